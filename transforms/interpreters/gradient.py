"""Drivers of reverse mode: grad, value_and_grad, vjp, and the unboxing of their outputs."""

from collections.abc import Sequence

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.arrays.fp_warnings import error_state, leave_error_state
from ...core.checks import check_function
from ...core.errors import DtypeError, ShapeError, at_user_line
from ...core.ops.indexing.places import duplicate
from ...core.tape.strong_zeros import may_have_zeros
from ...core.trace.buffers import Buffer
from ...core.trace.device import constant, library_of, zeros_like_leaf
from ...core.trace.tracer import Rev, Tracer, call_inside
from ...core.types import Any, Callable, P, PyTree
from ..arguments.arguments import (
    answer_aval,
    box_arguments,
    checked_argnums,
    computable,
    flatten,
    in_dtype,
    only_leaf,
    same_structure,
    settle,
    split_aux,
    without_values,
)
from ..arguments.escape_checks import abandon, check_escaped
from ..arguments.transformed import transformed
from ..reverse.nan_checks import start_trace
from ..reverse.sweep import sweep
from ..scope.errstate import enter_quiet

ndarray = np.ndarray
_SEEDS = {}


def grad(
    fun: Callable[P, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, *,
    holomorphic: bool = False, conjugate: bool = False, allow_int: bool = False,
) -> Callable[P, Any]:
    """Return a function that computes the gradient of a scalar-valued function.

    Args:
        fun: returns a real scalar, shape `()` (or `(scalar, aux)` with `has_aux`). Arguments may be pytrees.
        argnums: position of the argument to differentiate, or a tuple of positions.
        has_aux: `fun` returns a pair, whose second part is returned without being differentiated.
        holomorphic: `fun` is complex-differentiable, with complex input and output; returns df/dz.
        conjugate: return the direction of steepest ascent, ∂f/∂a + i ∂f/∂b for z = a + ib, instead of its conjugate.
        allow_int: treat integer and boolean leaves as constants; their gradients are arrays of the same shapes without
            values, with JAX's dtype float0.
    Returns:
        a function of the same arguments: the gradient, with the structure, shapes and dtypes of the argument
        (a tuple of them if `argnums` is a tuple), as ordinary writable arrays; with `has_aux`, `(gradient, aux)`.
    Raises:
        ShapeError: the output is not a scalar.
        DtypeError: an input or the output is integer or boolean, or complex without `holomorphic`.

    >>> import numpy as np, covector
    >>> covector.grad(lambda x: np.sum(np.sin(x)))(np.array([0.0, np.pi]))
    array([ 1., -1.])
    """
    return _driver(fun, argnums, has_aux, holomorphic, conjugate, "grad", False, allow_int, grad)


def value_and_grad(
    fun: Callable[P, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, *,
    holomorphic: bool = False, conjugate: bool = False, allow_int: bool = False,
) -> Callable[P, tuple[Any, Any]]:
    """Return a function that computes `(value, gradient)`.

    Args:
        fun, argnums, has_aux, holomorphic, conjugate, allow_int: as in `grad`.
    Returns:
        a function: `(value, gradient)`, or `((value, aux), gradient)` with `has_aux`.
    Raises:
        ShapeError, DtypeError: as for `grad`.

    >>> import numpy as np, covector
    >>> value, gradient = covector.value_and_grad(lambda x: x @ x)(np.array([1.0, 2.0]))
    >>> float(value), gradient
    (5.0, array([2., 4.]))
    """
    return _driver(fun, argnums, has_aux, holomorphic, conjugate, "value_and_grad", True, allow_int, value_and_grad)


def _driver(fun, argnums, has_aux, holomorphic, conjugate, name, both, allow_int=False, maker=None):
    """The function of `grad` and `value_and_grad`, the `maker`; `both` hands out the value too."""
    check_function(fun, name)
    if type(argnums) is not int:
        checked_argnums(argnums, name)

    def differentiated(*args, **kwargs):
        trace = start_trace()
        args, leaves, rebuilds = box_arguments(trace, args, argnums, name, allow_int)
        try:
            result = call_inside(fun, *args, **kwargs)
        except BaseException as error:
            abandon(trace, error)
            raise
        aux = None
        if has_aux:
            result, aux = split_aux(result, name)
        out = result.read() if type(result) is Buffer else result
        shell = None
        if not isinstance(out, Rev):
            out, shell = only_leaf(out)
        if isinstance(out, Rev) and out.owner is trace:
            aval = out.aval
            if aval.shape or aval.dtype.kind != "f" or holomorphic:
                _check_scalar(aval, holomorphic, name, fun)
            value = out.value
            roots = [(out.node, seed(aval, value))]
            out = result = args = None  # type: ignore[assignment] # nothing may keep the graph alive
            if trace.guards is not None:
                trace.check_guards()
            state = error_state()
            try:
                enter_quiet()
                cts = sweep(roots, len(leaves), masked=trace.masked, large=trace.large)
            finally:
                leave_error_state(state)
        else:
            _check_scalar(_scalar_aval(out, name, fun), holomorphic, name, fun)
            value = out
            # The output does not depend on the arguments: no sweep, and zeros below.
            cts = [None] * len(leaves)
        if shell is not None:
            value = shell([value])
        if has_aux:
            value = (value, unbox(aux, trace))
        trace.done = True
        check_escaped(value)
        own_all(cts, leaves, conjugate, trace)
        if allow_int:
            cts = [without_values(x) if c.dtype.kind in "iub" else c for c, x in zip(cts, leaves)]
        gradient = cts[0] if rebuilds is None else _rebuild(cts, rebuilds, argnums)
        if both:
            return value, gradient
        return (gradient, value[1]) if has_aux else gradient

    if maker is None:
        return differentiated
    options = {"holomorphic": holomorphic, "conjugate": conjugate, "allow_int": allow_int}
    return transformed(differentiated, fun, maker, (fun, argnums, has_aux), options)



def vjp(fun: Callable[..., Any], *primals: PyTree, has_aux: bool = False) -> tuple[Any, ...]:
    """Evaluate `fun` and return its pullback, which computes vector-Jacobian products.

    Args:
        fun: any function of pytrees of arrays.
        primals: its arguments, all differentiated.
        has_aux: `fun` returns `(out, aux)`.
    Returns:
        `(out, pullback)`, or `(out, pullback, aux)`. `pullback(ct)` takes a cotangent with the structure and shapes of
        `out` and returns a tuple with one cotangent per primal; it may be called repeatedly. Complex values follow JAX:
        the pullback is the plain transpose, without conjugation.
    Raises:
        DtypeError: an input is integer or boolean.
        MutationError: an array that the pullback needs was modified in the meantime.

    >>> import numpy as np, covector
    >>> out, pullback = covector.vjp(lambda x, y: x * y, np.array([1.0, 2.0]), 3.0)
    >>> pullback(np.array([1.0, 1.0]))
    (array([3., 3.]), array(3.))
    """
    check_function(fun, "vjp")
    trace = start_trace()
    args, leaves, rebuilds = box_arguments(trace, primals, tuple(range(len(primals))), "vjp")
    try:
        result = call_inside(fun, *args)
    except BaseException as error:
        abandon(trace, error)
        raise
    aux = None
    if has_aux:
        result, aux = split_aux(result, "vjp")
        aux = unbox(aux, trace)
    outs, rebuild = flatten(result)
    nodes, values, avals = unbox_outputs(outs, trace)
    del args, result, outs
    values = [_handed_out(trace, v) for v in values]
    count = len(leaves)
    # Traced inputs are dropped: the pullback needs their library alone, and would keep the trace alive.
    kept = [library_of(v) if isinstance(v, Tracer) else v for v in leaves]
    avals_in = [aval_of(v) for v in leaves]
    trace.done = True
    check_escaped(values)
    check_escaped(aux)

    def pullback(ct):
        cts = same_structure(ct, rebuild, len(avals), "pullback", "a cotangent")
        roots = []
        for node, c, aval in zip(nodes, cts, avals):
            c = checked_cotangent(c, aval, "pullback")
            if node is not None and c is not None:
                roots.append((node, c))
        trace.check_guards()
        # A cotangent with zeros selects outputs as `where` does, and a zero must not meet an infinite factor.
        masked = trace.masked or any(may_have_zeros(c) for _, c in roots)
        state = error_state()
        try:
            enter_quiet()
            # `retain`: the pullback may be called again, so saved values are not freed as the sweep goes on.
            found = sweep(roots, count, masked=masked, large=trace.large, retain=True)
        finally:
            leave_error_state(state)
        own_all(found, kept, False, trace, avals_in, given=cts)
        return _rebuild(found, rebuilds, tuple(range(len(rebuilds))))

    pullback.trace = trace  # type: ignore[attr-defined] # what linearize asks for
    return (rebuild(values), pullback, aux) if has_aux else (rebuild(values), pullback)


def seed(aval, value):
    """The cotangent 1 of a scalar output, on its device."""
    one = _SEEDS.get(aval.dtype)
    if one is None:
        one = _SEEDS[aval.dtype] = np.ones((), aval.dtype)
        # Shared by all gradients of this dtype, and handed to rules of the user's.
        one.flags.writeable = False
    if isinstance(value, (ndarray, np.generic)):
        return one
    return constant(one, value)


def _scalar_aval(out, name, fun):
    try:
        return aval_of(out)
    except DtypeError:
        advice = "end it with `return loss`" if out is None else "return the loss alone, or use has_aux=True"
        raise DtypeError(f"{name} needs {_called(fun)} to return a number, but it returned "
                         f"{'None' if out is None else type(out).__name__}; {advice}{at_user_line()}") from None


def _called(fun):
    return getattr(fun, "__name__", "the function")


def _check_scalar(aval, holomorphic, name, fun):
    if aval.shape:
        raise ShapeError(f"{name} needs a scalar-valued function, but {_called(fun)} returned shape {aval.shape}; "
                         f"reduce it, for example with .sum(), or use jacobian{at_user_line()}")
    if not is_inexact(aval.dtype):
        raise DtypeError(f"{name} needs a floating output, but {_called(fun)} returned dtype {aval.dtype}; "
                         f"compute it in floats, without .astype(int) or integer division{at_user_line()}")
    if aval.dtype.kind == "c" and not holomorphic:
        raise DtypeError(f"{name} needs a real output, but {_called(fun)} returned dtype {aval.dtype}; take "
                         f"np.abs(y)**2 or y.real, or pass holomorphic=True if it is complex-differentiable"
                         f"{at_user_line()}")
    if holomorphic and aval.dtype.kind != "c":
        raise DtypeError(f"{name} with holomorphic=True needs complex input and output, but {_called(fun)} returned "
                         f"dtype {aval.dtype}; pass complex arguments, or drop holomorphic{at_user_line()}")


def checked_cotangent(ct, aval, name):
    """A cotangent in the convention of the rules (conjugated), checked against the output's aval."""
    ct = settle(ct)
    found = aval_of(ct)
    if type(ct) is not ndarray and isinstance(ct, ndarray) and not computable(ct):
        raise DtypeError(f"{name} needs a cotangent that is an array or a number, but got {ct!r} of type "
                         f"{type(ct).__name__}; convert it with np.asarray{at_user_line()}")
    if found.shape != aval.shape:
        raise ShapeError(f"{name} needs a cotangent of shape {aval.shape} like the output, but got {found.shape}"
                         f"; reshape it, for example with np.broadcast_to{at_user_line()}")
    if not is_inexact(aval.dtype):
        return None
    ct = in_dtype(ct, aval, name, "cotangent")
    # Rules are conjugate transposes; the public pullback is the plain transpose, as JAX's: conjugated on both ends.
    return ct.conj() if aval.dtype.kind == "c" else ct


def unbox_outputs(outs, trace):
    """Split output leaves into nodes (None for constants), plain values and avals."""
    nodes, values, avals = [], [], []
    for out in outs:
        out = settle(out)
        if isinstance(out, Rev) and out.owner is trace:
            nodes.append(out.node)
            values.append(out.value)
            avals.append(out.aval)
        else:
            nodes.append(None)
            values.append(out)
            avals.append(answer_aval(out))
    return nodes, values, avals


def unbox(tree, trace):
    """Replace this trace's tracers in a pytree by their values."""
    leaves, rebuild = flatten(tree)
    return rebuild([x.value if isinstance(x, Tracer) and x.owner is trace else x for x in map(settle, leaves)])


def _handed_out(trace, value):
    """Protect an output that the tape still needs from the user's writes: copy it if small, watch it if large."""
    if type(value) is ndarray:
        kept = trace.keep(value)
        return kept if kept is not value else value
    return value


def own_all(cts, leaves, conjugate, trace, avals=None, given=()):
    """Make sweep results arrays that the caller owns, in place: own memory, writable, zeros where nothing arrived.

    What a rule gives is new memory, or that of its cotangent; what users gave is `lent`, and views have a base.
    """
    seen = set()  # of several leaves, the memory that was given to some
    for i in range(len(cts)):
        c = cts[i]
        if c is None:
            cts[i] = zeros_like_leaf(leaves[i], None if avals is None else avals[i])
            continue
        if type(c) is ndarray:
            if c.dtype.kind == "c" and not conjugate:
                c = np.asarray(c.conj())  # NumPy makes a scalar of a 0-d array
            elif c.base is not None or not c.flags.writeable or id(c) in seen or (
                    given and _is_any(c, given)):
                c = c.copy()
            cts[i] = c
            seen.add(id(c))
        elif isinstance(c, np.generic):
            cts[i] = np.asarray(c if c.dtype.kind != "c" or conjugate else c.conj())
        else:
            while isinstance(c, Tracer) and c.owner is trace:  # a rule that held a value of this very transform
                c = c.value
            if c.dtype.kind == "c" and not conjugate:
                cts[i] = c.conj()
            elif not isinstance(c, Tracer):
                cts[i] = np.array(c) if isinstance(c, (ndarray, np.generic)) else c.copy()
            else:
                check_escaped(c)
                cts[i] = duplicate(c) if _is_any(c, cts[:i]) or given and _is_any(c, given) else c


def _is_any(c, given):
    for g in given:
        if g is c:
            return True
    return False


def _rebuild(cts, rebuilds, argnums):
    if rebuilds is None:
        return cts[0]
    out = []
    start = 0
    for count, rebuild in rebuilds:
        out.append(rebuild(cts[start : start + count]))
        start += count
    return tuple(out) if isinstance(argnums, (tuple, list)) else out[0]
