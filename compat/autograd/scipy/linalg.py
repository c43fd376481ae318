"""autograd.scipy.linalg: SciPy's linear algebra on traced values."""

from functools import partial as _partial

import numpy as _np
import scipy.linalg as _linalg

from .... import numpy as _cnp
from ....scipy import linalg as _ours
from .._impl.core import defjvp_argnums as _defjvp_argnums, defvjp as _defvjp, defvjp_argnums as _defvjp_argnums
from .._impl.missing import refusing as _refusing
from .._impl.tracer import primitive as _primitive
from .._impl.wrapping import wrap_namespace as _wrap_namespace

_wrap_namespace({name: getattr(_linalg, name) for name in dir(_linalg) if name[:1] != "_"}, globals(), _ours)

sqrtm = _primitive(_linalg.sqrtm)
solve_sylvester = _primitive(_linalg.solve_sylvester)
solve_banded = _primitive(_linalg.solve_banded)


def _sqrtm_vjp(ans, A, disp=True, blocksize=64):
    root = _cnp.conj(_cnp.transpose(ans))

    def vjp(g):
        return _cnp.conj(solve_sylvester(root, root, _cnp.conj(g)))

    return vjp


def _sqrtm_jvp(argnums, gs, ans, args, kwargs):
    return solve_sylvester(ans, ans, gs[0])


_defvjp(sqrtm, _sqrtm_vjp)
_defjvp_argnums(sqrtm, _sqrtm_jvp)


def _sylvester_vjp(argnums, ans, args, kwargs):
    a, b, _ = args

    def vjp(g):
        moved = solve_sylvester(_cnp.transpose(a), _cnp.transpose(b), g)
        every = (lambda: -_cnp.dot(moved, _cnp.transpose(ans)), lambda: -_cnp.dot(_cnp.transpose(ans), moved),
                 lambda: moved)
        return [every[k]() for k in argnums]

    return vjp


def _sylvester_jvp(argnums, gs, ans, args, kwargs):
    a, b, _ = args
    moved = dict(zip(argnums, gs))
    right = moved[2] if 2 in moved else _np.zeros(_np.shape(ans))
    if 0 in moved:
        right = right - _cnp.dot(moved[0], ans)
    if 1 in moved:
        right = right - _cnp.dot(ans, moved[1])
    return solve_sylvester(a, b, right)


_defvjp_argnums(solve_sylvester, _sylvester_vjp)
_defjvp_argnums(solve_sylvester, _sylvester_jvp)


def _places(l_and_u, n):
    """Rows of the banded form, and rows and columns of the matrix, of the elements in the bands."""
    below, above = l_and_u
    found = [(above + i - j, i, j) for j in range(n) for i in range(max(0, j - above), min(n, j + below + 1))]
    return tuple(_np.array(found).T)


def _banded_vjp(argnum, ans, l_and_u, ab, b, **kwargs):
    n = _np.shape(ab)[1]
    band, row, column = _places(l_and_u, n)
    below, above = l_and_u
    turned = _cnp.zeros_like(ab, shape=(below + above + 1, n)) if hasattr(ab, "aval") else _np.zeros_like(ab)
    turned[below + column - row, row] = ab[band, column]

    def vjp(g):
        solved = solve_banded((above, below), turned, g)
        if argnum == 2:
            return solved
        left = solved if solved.ndim > 1 else solved[:, None]
        right = ans if ans.ndim > 1 else ans[:, None]
        products = -_cnp.sum(left[row] * right[column], axis=-1)
        out = _cnp.zeros_like(products, shape=_np.shape(ab)) if hasattr(products, "aval") else _np.zeros(_np.shape(ab))
        out[band, column] = products
        return out

    return vjp


_defvjp(solve_banded, _partial(_banded_vjp, 1), _partial(_banded_vjp, 2), argnums=[1, 2])

_refusing("scipy.linalg")
