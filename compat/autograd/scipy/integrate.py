"""autograd.scipy.integrate: initial value problems, differentiated by their adjoint equations."""

import numpy as _np
import scipy.integrate as _integrate

from .... import numpy as _cnp
from .._impl.core import defvjp_argnums as _defvjp_argnums, make_vjp as _make_vjp
from .._impl.missing import refusing as _refusing
from .._impl.tracer import primitive as _primitive
from ..misc.flatten import flatten as _flatten

odeint = _primitive(_integrate.odeint)


def _odeint_vjp(argnums, ans, args, kwargs):
    func, y0, t, func_args = (*args, ())[:4]
    steps, size = _np.shape(ans)
    flat_args, unflatten = _flatten(tuple(func_args))

    def rate(y, t, flat_args):
        return func(y, t, *unflatten(flat_args))

    def backwards(state, t, flat_args):
        """The rates of the state, its cotangent, and the cotangents of time and arguments."""
        pull, dy = _make_vjp(lambda given: rate(*given), (state[:size], t, flat_args))
        ct_y, ct_t, ct_args = pull(-state[size : 2 * size])
        return _cnp.hstack((dy, ct_y, ct_t, ct_args))

    def vjp(g):
        ct_y, ct_start, ct_args = g[-1, :], 0.0, _np.zeros(_np.size(flat_args))
        times = []
        for k in range(steps - 1, 0, -1):
            ct_time = _cnp.dot(func(ans[k], t[k], *func_args), g[k])
            times.append(ct_time)
            ct_start = ct_start - ct_time
            start = _cnp.hstack((ans[k], ct_y, ct_start, ct_args))
            moved = odeint(backwards, start, _cnp.asarray([t[k], t[k - 1]]), (flat_args,), **kwargs)[1]
            ct_y, ct_start, ct_args = moved[size : 2 * size], moved[2 * size], moved[2 * size + 1 :]
            ct_y = ct_y + g[k - 1]
        times.append(ct_start)
        every = {1: ct_y, 2: _cnp.hstack(times)[::-1], 3: unflatten(ct_args)}
        return [every[k] for k in argnums]

    return vjp


_defvjp_argnums(odeint, _odeint_vjp)

_refusing("scipy.integrate")
