"""Forward mode: the trace of dual numbers, and `jvp`."""

from collections.abc import Sequence

import numpy as np

from ...core.arrays.avals import WEAK, aval_of
from ...core.arrays.dtypes import FLOAT0, is_inexact
from ...core.arrays.fp_warnings import error_state, leave_error_state
from ...core.checks import check_function
from ...core.errors import DtypeError, ShapeError, TreeError, at_user_line
from ...core.ops.shaping import broadcast_to
from ...core.primitive.primitive import below, take_operands
from ...core.tape.strong_zeros import holds_nan, may_have_zeros, pushed_strongly
from ...core.tape.unbroadcast import recast
from ...core.trace.device import zeros_like_leaf
from ...core.trace.tracer import Dual, Late, Trace, Tracer, call_inside, check_alive
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import (
    WEAK_VALUE,
    answer_aval,
    computable,
    described,
    differentiable,
    flatten,
    settle,
    split_aux,
    structure,
)
from ..arguments.escape_checks import abandon, check_escaped, owned
from ..reverse.nan_checks import WatchedDual, Watching
from ..scope.debug_modes import modes
from ..scope.errstate import enter_quiet
from .gradient import unbox

ndarray = np.ndarray
_LATE_SIZE = 1 << 12  # elements of an operand from which a product costs more than putting it off


class DualTrace(Trace):
    """Computes tangents beside values.

    With `late`, products of large plain arrays wait until their value is asked for: in a sweep for tangents alone, that
    of what arrives at the leaves never is.
    """

    __slots__ = ("late",)
    kind = "jvp"
    tracer = Dual

    def __init__(self):
        Trace.__init__(self)
        self.late = False

    def process(self, prim, args):
        if prim.flat and prim.elementwise:  # derivatives pass it by, also those of a trace that has finished
            return prim.rebind([below(x) if isinstance(x, Tracer) and x.owner is self else x for x in args])
        if self.done:
            check_alive(self, prim)
        if prim.handlers is not None:
            return prim.handlers[self.kind](self, prim, args)
        values, mine, weak = take_operands(self, prim, args)
        # Of a Hessian-vector product only the tangent of the gradient is wanted: products for its value are put off.
        if self.late and len(prim.linear) > 1 and mine and all(type(v) is ndarray for v in values):
            out = self.later(prim, values, {i: args[i].tangent for i in mine})
            if out is not None:
                return out
        ans = prim.rebind(values)
        if prim.flat or not mine:
            return ans
        tangents = {i: args[i].tangent for i in mine}
        # From here on tangents may hold structural zeros, which must not meet infinities as 0 · inf = NaN.
        if prim.zeros:
            self.masked = True
        if prim.singular or prim.quiet is not None:
            state = error_state()
            try:
                enter_quiet()
                tangent = prim.tangent(tangents, values, ans)
            finally:
                leave_error_state(state)
        else:
            tangent = prim.tangent(tangents, values, ans)
        # Strong zeros only where a NaN came out: the check is one pass, the strong rules are several.
        if self.masked and prim.strong:
            state = error_state()
            try:
                enter_quiet()  # looking for a NaN squares
                if holds_nan(tangent):
                    tangent = pushed_strongly(prim, tangents, values, ans)
            finally:
                leave_error_state(state)
        if prim.outputs is None:
            out = self.box(ans, tangent)
            if weak and isinstance(out, Tracer):
                # NumPy makes float64 of a Python number; to the user it still is one, and takes the dtype of what it
                # meets.
                out.aval = WEAK[complex if out.aval.dtype.kind == "c" else float]
            return out
        return tuple([self.box(v, t) for v, t in zip(ans, tangent)])

    def later(self, prim, values, tangents):
        """The output of a large product, linear in each operand, without its value; None for any other operation."""
        if prim.elementwise or max([v.size for v in values]) < _LATE_SIZE:
            return None
        if not all(type(t) is ndarray and t.shape == values[i].shape for i, t in tangents.items()):
            return None
        out = Late()
        out.owner = self
        out.tangent = tangent = prim.tangent(tangents, values, None)
        out.aval = aval_of(tangent)  # the map itself gave it, of operands of the same shapes and dtypes

        def compute():
            state = error_state()
            try:
                enter_quiet()
                return prim.rebind(values)
            finally:
                leave_error_state(state)

        out.node = compute
        return out

    def box(self, value, tangent):
        """A tracer of this trace; the bare value where there is no tangent."""
        if tangent is None:
            return value
        aval = aval_of(value)
        if not is_inexact(aval.dtype):
            return value
        # A rule of a broadcasting operation gives the tangent in the shape of its operand.
        if tangent.shape != aval.shape:
            tangent = broadcast_to(tangent, shape=aval.shape)
        if tangent.dtype != aval.dtype:
            tangent = recast(tangent, aval.dtype)
        out = self.tracer()
        out.owner = self
        out.value = value
        out.aval = aval
        out.tangent = tangent
        return out


class WatchedDualTrace(Watching, DualTrace):
    """Raises where a NaN first appears in a value or a tangent."""

    __slots__ = ()
    tracer = WatchedDual


def start_dual():
    """Start a forward trace, one that checks for NaN under debug_nans."""
    return WatchedDualTrace() if modes().nans else DualTrace()


def jvp(
    fun: Callable[..., Any], primals: Sequence[PyTree], tangents: Sequence[PyTree], has_aux: bool = False
) -> tuple[Any, ...]:
    """Compute the Jacobian-vector product of a function: push tangents forward.

    Args:
        fun: any function of pytrees of arrays.
        primals: a tuple or list of its arguments.
        tangents: the same structure, shapes and dtypes; None stands for zero.
        has_aux: `fun` returns `(out, aux)`.
    Returns:
        `(out, tangent_out)`, or `(out, tangent_out, aux)`; the tangent has the structure and shapes of `out`.
    Raises:
        TypeError: primals is not a tuple or list.
        TreeError, ShapeError, DtypeError: a tangent does not match its primal.

    >>> import numpy as np, covector
    >>> out, tangent = covector.jvp(np.sin, (0.0,), (2.0,))
    >>> float(out), float(tangent)
    (0.0, 2.0)
    """
    check_function(fun, "jvp")
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(f"jvp needs tuples of primals and tangents, but got {type(primals).__name__} and "
                        f"{type(tangents).__name__}; write jvp(f, (x,), (dx,)){at_user_line()}")
    trace = start_dual()
    args = _boxed(trace, primals, tangents)
    trace.masked = _choose(tangents)
    try:
        result = call_inside(fun, *args)
    except BaseException as error:
        abandon(trace, error)
        raise
    aux = None
    if has_aux:
        result, aux = split_aux(result, "jvp")
        aux = unbox(aux, trace)
    out, tangent = unbox_dual(result, trace)
    trace.done = True
    check_escaped(out)
    check_escaped(tangent)
    check_escaped(aux)
    tangent = owned(tangent, tangents)
    return (out, tangent, aux) if has_aux else (out, tangent)



def _choose(tangents):
    """Tell whether tangents may have zeros: as a unit tangent, they choose elements."""
    return any(map(may_have_zeros, flatten(tangents)[0]))


def tangent_of_gradient(fun, gradient, primals, tangents):
    """The tangent of `gradient(fun)`, whose value nobody asks for, at tuples of primals and tangents."""
    trace = start_dual()
    args = _boxed(trace, primals, tangents)
    trace.masked = _choose(tangents)

    def marked(*args):
        out = fun(*args)
        trace.late = True  # the sweep begins
        return out

    marked.__name__ = getattr(fun, "__name__", "the function")
    try:
        result = call_inside(gradient(marked), *args)
    except BaseException as error:
        abandon(trace, error)
        raise
    found = tangents_alone(result, trace)
    trace.done = True
    check_escaped(found)
    return found


def _boxed(trace, primals, tangents):
    if len(primals) != len(tangents):
        raise TreeError(f"jvp got {len(primals)} primals but {len(tangents)} tangents; give one tangent per primal"
                        f"{at_user_line()}")
    return [_box_argument(trace, x, dx, k) for k, (x, dx) in enumerate(zip(primals, tangents))]


def _box_argument(trace, x, dx, k):
    # One array and its tangent are no pytree to be flattened and compared.
    same_kind = type(x) is ndarray and type(dx) is ndarray and x.dtype is dx.dtype
    if same_kind and x.shape == dx.shape and x.dtype.kind in "fc":
        return _dual(trace, x, aval_of(x), dx)
    leaves, rebuild = flatten(x)
    if dx is None:
        return x
    tangents = flatten(dx)[0]
    if len(tangents) != len(leaves) or structure(dx) != structure(x):
        raise TreeError(f"jvp needs tangent {k} with the structure of its primal {described(x)}, "
                        f"but got {described(dx)}; give it the structure of the primal{at_user_line()}")
    return rebuild([_box_leaf(trace, settle(v), settle(t), k) for v, t in zip(leaves, tangents)])


def _box_leaf(trace, x, dx, k):
    aval = aval_of(x)
    if not is_inexact(aval.dtype) and getattr(dx, "dtype", None) == FLOAT0:
        return x
    aval = differentiable(x, "jvp", f"primal {k}")
    found = aval_of(dx)
    if found.shape != aval.shape:
        raise ShapeError(f"jvp needs tangent {k} of shape {aval.shape} like its primal, but got {found.shape}"
                         f"; reshape it, for example with np.broadcast_to{at_user_line()}")
    if found.weak:
        dx = np.asarray(dx, aval.dtype)[()]
    elif not computable(dx):
        raise DtypeError(f"jvp needs tangents that are arrays or numbers, but tangent {k} is {dx!r} of type "
                         f"{type(dx).__name__}; convert it with np.asarray{at_user_line()}")
    elif found.dtype != aval.dtype:
        # float64 beside float32 is cast; a complex tangent would lose its imaginary part.
        if not np.can_cast(found.dtype, aval.dtype, "same_kind"):
            raise DtypeError(f"jvp needs tangent {k} of dtype {aval.dtype} like its primal, but got {found.dtype}; "
                             f"cast it with .astype{at_user_line()}")
        dx = recast(dx, aval.dtype)
    return _dual(trace, WEAK_VALUE.get(type(x), lambda v: v)(x), aval, dx)


def _dual(trace, x, aval, dx):
    out = trace.tracer()
    out.owner = trace
    out.value = x
    out.aval = aval
    out.tangent = dx
    return out


def unbox_dual(result, trace):
    """`(values, tangents)` of a result of this trace; constants have the tangent zero."""
    result = settle(result)
    if isinstance(result, Dual) and result.owner is trace:
        return result.value, result.tangent
    leaves, rebuild = flatten(result)
    values, tangents = [], []
    for leaf in map(settle, leaves):
        if isinstance(leaf, Dual) and leaf.owner is trace:
            values.append(leaf.value)
            tangents.append(leaf.tangent)
        else:
            values.append(leaf)
            tangents.append(zeros_like_leaf(leaf, answer_aval(leaf)))
    return rebuild(values), rebuild(tangents)


def tangents_alone(result, trace):
    """Unbox the tangents of a result, without computing its values."""
    leaves, rebuild = flatten(settle(result))
    return rebuild([leaf.tangent if isinstance(leaf, Dual) and leaf.owner is trace else
                    zeros_like_leaf(leaf, answer_aval(leaf)) for leaf in map(settle, leaves)])
