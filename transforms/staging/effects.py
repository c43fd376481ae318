"""Side effects and detached values in traced code: stop_gradient, debug.print, callbacks."""

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.checks import check_function
from ...core.errors import DtypeError, RuleError, ShapeError, TreeError, at_user_line
from ...core.ops.samples import unary
from ...core.primitive.families import ZERO, elementwise
from ...core.primitive.primitive import bind
from ...core.trace.tracer import INSIDE, Tracer
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import flatten, settle
from ..graph.equations import Body
from .bodies import higher_order, operands_of
from .graph import ShapeDtype

# Side effects and detached values in traced code: stop_gradient, debug.print, callbacks.

ndarray = np.ndarray


def _frozen(xp, x):
    """A read-only view: the tape may need the memory."""
    if type(x) is ndarray:
        x = x.view()
        x.flags.writeable = False
    return x


_stop = elementwise("stop_gradient", impl=lambda xp, x: _frozen(xp, x), lower=lambda x: x, composite="always", d=ZERO,
                    identity=True, shares=True, weak=True, samples=unary(smooth=False))


def stop_gradient(x: PyTree) -> PyTree:
    """Make `x` a constant for differentiation.

    Args:
        x: a pytree of arrays.
    Returns:
        the same values; plain arrays if only derivatives were traced, read-only since the tape may need them.

    >>> import covector
    >>> float(covector.grad(lambda x: x * covector.stop_gradient(x))(3.0))
    3.0
    """
    leaves, rebuild = flatten(x)
    return rebuild([_stop(settle(v)) if isinstance(v, Tracer) else v for v in leaves])


def debug_print(fmt: str, *args: PyTree, **kwargs: PyTree) -> None:
    """Print values while a traced function runs; under vmap all examples at once, in a graph at each evaluation.

    Args:
        fmt: a format string for `str.format`.
        args, kwargs: arrays to format.

    >>> import covector
    >>> _ = covector.grad(lambda x: (covector.debug.print("x = {}", x), x * x)[1])(3.0)
    x = 3.0
    """
    leaves, rebuild = flatten((args, kwargs))

    def show(*values):
        given, named = rebuild(list(values))
        print(fmt.format(*given, **named))  # noqa: T201 - this is what it is for

    acting(show, leaves)


def acting(act, values):
    """Call `act` with plain arrays each time the surrounding code runs; under vmap with all examples at once."""
    def run(flat):
        act(*flat)
        return []

    bind(_effect, (*[settle(x) for x in values], Body(run=run), ()))


def debug_callback(callback: Callable[..., Any], *args: PyTree, ordered: bool = False, **kwargs: PyTree) -> None:
    """Call a function with the values of traced arrays, for what it does: to log, to plot, to stop in a debugger.

    Args:
        callback: takes plain arrays; what it returns is ignored. It is called each time the surrounding code runs, in
            a compiled function and in its loops too, and once per example under vmap. It has no part in derivatives.
        args, kwargs: pytrees of arrays for it.
        ordered: accepted for compatibility with JAX; calls are always made in the order of the program.

    >>> import numpy as np, covector
    >>> seen = []
    >>> def f(x):
    ...     covector.debug.callback(lambda y: seen.append(float(y)), np.sum(x))
    ...     return np.sum(x * x)
    >>> _ = covector.grad(f)(np.ones(2)), covector.jit(f)(np.ones(3)), covector.vmap(f)(np.ones((2, 4)))
    >>> seen
    [2.0, 3.0, 4.0, 4.0]
    """
    check_function(callback, "debug.callback", "give a function of plain arrays, and its arguments after it")
    leaves, rebuild = flatten((args, kwargs))

    def act(flat):
        given, named = rebuild(list(flat))
        callback(*given, **named)
        return []

    bind(_call, (*[settle(x) for x in leaves], Body(run=act), ()))


def _pass(trace, prim, args):
    *operands, body, out = args
    values, _ = operands_of(trace, operands)
    return prim.rebind((*values, body, out))


def _effect_graph(trace, prim, args):
    *operands, body, out = args
    lifted = [trace.lift(a) for a in operands]
    return trace.emit(prim, [x for x, _ in lifted], (body, out), list(out), None)


_effect = higher_order(
    "debug_print",
    impl=lambda xp, *xs, body, out: tuple(body(*xs)),
    handlers={"grad": _pass, "jvp": _pass, "vmap": _pass, "graph": _effect_graph},
    effects="acts",
).prim


def _call_vmap(trace, prim, args):
    *operands, body, out = args
    values, flags = trace.unbox(operands)

    def run(flat):
        for i in range(trace.size):
            body(*[v[i] if f else v for v, f in zip(flat, flags)])
        return []

    return prim.rebind((*values, Body(run=run), out))


_call = higher_order(
    "debug_callback",
    impl=lambda xp, *xs, body, out: tuple(body(*xs)),
    handlers={"grad": _pass, "jvp": _pass, "vmap": _call_vmap, "graph": _effect_graph},
    effects="acts",
).prim


def host_callback(fun: Callable[..., Any], result: PyTree, *args: PyTree) -> PyTree:
    """Call a function of plain arrays from traced code.

    Args:
        fun: takes and returns plain arrays; called each time the surrounding code runs, once per example under vmap.
        result: `ShapeDtype` (or a pytree of them) of what `fun` returns.
        args: arrays.
    Returns:
        the output of `fun`, as constants of known shape.
    Raises:
        RuleError: a derivative would have to pass through; wrap the call in `custom_jvp` or `custom_vjp`, or the
            arguments in `stop_gradient`.
        ShapeError: `fun` returned a different shape.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.host_callback(np.sort, covector.ShapeDtype((2,)), x))(np.array([[2.0, 1.0]]))
    array([[1., 2.]])
    """
    check_function(fun, "host_callback", "give a function of plain arrays")
    leaves, rebuild = flatten(args)
    outs, rebuild_out = flatten(result)
    avals = tuple(make_aval(x.shape, x.dtype) if isinstance(x, ShapeDtype) else aval_of(x) for x in outs)

    def call(flat):
        inside = INSIDE.get()
        try:
            INSIDE.set(False)
            found = flatten(fun(*rebuild(list(flat))))[0]
        finally:
            INSIDE.set(inside)
        found = [np.asarray(v) if not hasattr(v, "shape") else v for v in found]
        if len(found) != len(avals):
            raise TreeError(f"host_callback was promised {len(avals)} arrays, but the function returned {len(found)}; "
                            f"give one ShapeDtype for each{at_user_line()}")
        for v, aval in zip(found, avals):
            if v.shape != aval.shape:
                raise ShapeError(f"host_callback was promised shape {aval.shape}, but the function returned {v.shape}"
                                 f"; promise that shape, or reshape what is returned{at_user_line()}")
        return [_as_promised(v, a.dtype) for v, a in zip(found, avals)]

    return rebuild_out(list(bind(_callback, (*[settle(x) for x in leaves], Body(run=call), avals))))



def _as_promised(value, dtype):
    if value.dtype.kind not in "fciubV":
        raise DtypeError(f"host_callback was promised dtype {dtype}, but the function returned {value!r}; return "
                         f"numbers{at_user_line()}")
    if value.dtype.kind == "c" and dtype.kind != "c":
        raise DtypeError(f"host_callback was promised dtype {dtype}, but the function returned {value.dtype}; promise "
                         f"that, or return the real part{at_user_line()}")
    return value.astype(dtype, copy=False)


def _refused(trace, prim, args):
    raise RuleError("host_callback has no derivative: a traced value reached it; give it one with custom_jvp or "
                    f"custom_vjp, or pass stop_gradient(x){at_user_line()}")


def _callback_vmap(trace, prim, args):
    *operands, body, out = args
    values, flags = trace.unbox(operands)

    def run(flat):
        rows = [body(*[v[i] if f else v for v, f in zip(flat, flags)]) for i in range(trace.size)]
        return [np.stack([r[k] for r in rows]) for k in range(len(out))]

    grown = tuple(aval_of(np.broadcast_to(np.zeros((), a.dtype), (trace.size, *a.shape))) for a in out)
    return tuple([trace.box(v) for v in prim.rebind((*values, Body(run=run), grown))])


_callback = higher_order(
    "host_callback",
    impl=lambda xp, *xs, body, out: tuple(body(*xs)),
    handlers={"grad": _refused, "jvp": _refused, "vmap": _callback_vmap, "graph": _effect_graph},
    effects="acts",
).prim
