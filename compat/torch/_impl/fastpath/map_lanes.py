"""The fast paths of operations on values of the innermost vmap: the same operation one level down, on all examples.

There the examples lie along the first axis, so an operation by elements is itself, once the other axes meet. Whatever
holds below (another vmap, a level of `func`, recording) is seen to by the operation there. A lane returns None for what
it does not take; `modes.mapped` names the vmap where nothing but levels, vmaps and grad mode is in force.
"""

from ..... import _engine
from ..dispatch.layouts import laid_out
from ..modes.errstate import QUIET, enter_error_state, error_state, restore_fp_warnings
from ..modes.modes import MODES
from ..types.number_cache import CONSTS, EXACT, FLOATS, constant
from ..types.tensor_type import FAST, FOREIGN, GENERAL, Tensor, at_level, new
from ..types.tensor_value import shape_dtype

with_small_calls = _engine.with_small_calls


def plain(t):
    """Tell whether a tensor is an ambient one of floats without history."""
    return not t.dispatch_key and t.node is None and not t.wants_grad


def raised(trace, v):
    """The value of a vmap over an array of floats."""
    t = new(Tensor)
    t.value = below = new(Tensor)
    t.level_trace = trace
    t.dispatch_key = GENERAL
    below.value = v
    below.level_trace = t.node = t.autograd_meta = below.node = below.autograd_meta = None
    t.wants_grad = below.wants_grad = False
    below.dispatch_key = FAST
    return t


def unary(row, ufunc):
    """The operation of one tensor."""

    def at(args, m):
        if len(args) != 1:
            return None
        (t,) = args
        if type(t) is not Tensor or t.level_trace is not m.mapped:
            return None
        t = t.value
        if not plain(t) or m.under() is not None:
            return at_level(m.mapped, below(row.fun, (t,), m))
        token = error_state()
        try:
            enter_error_state(QUIET)
            v = ufunc(t.value)
        finally:
            restore_fp_warnings(token)
        return raised(m.mapped, v)

    return with_small_calls(at, True)


def binary(row, op):
    """The operation of two tensors of one floating dtype, or of a tensor and a number."""

    def at(args, m):
        a, b = args
        trace = m.mapped
        kind = type(b)
        if type(a) is not Tensor:
            return None
        if kind is float or kind is int and -EXACT <= b <= EXACT:
            if a.level_trace is not trace:
                return None
            x = a.value
            if plain(x) and m.under() is None:
                x = x.value
                y = CONSTS[x.dtype].get(b)
                return of_arrays(trace, op, x, constant(b, x.dtype) if y is None else y, True, False)
            if shape_dtype(x)[1] not in FLOATS:
                return None
            return at_level(trace, below(row.fun, (a.value, b), m))
        if kind is not Tensor:
            return None
        mine, theirs = a.level_trace is trace, b.level_trace is trace
        if not (mine or theirs) or above(a, trace) or above(b, trace):
            return None
        x, y = a.value if mine else a, b.value if theirs else b
        if plain(x) and plain(y) and m.under() is None:
            return of_arrays(trace, op, x.value, y.value, mine, theirs)
        (shape, dtype), (other, second) = shape_dtype(x), shape_dtype(y)
        if dtype is not second or dtype not in FLOATS:
            return None
        rank, other_rank = len(shape) - mine, len(other) - theirs
        if rank != other_rank:
            if mine and rank < other_rank:
                x = below(spread, (x, shape, other_rank - rank), m)
            elif theirs and other_rank < rank:
                y = below(spread, (y, other, rank - other_rank), m)
        return at_level(trace, below(row.fun, (x, y), m))

    return with_small_calls(at, True)


def of_arrays(trace, op, x, y, mine, theirs):
    """The operation of two arrays of floats, of which some have the examples along their first axis."""
    if x.dtype is not y.dtype:
        return None
    rank, other = x.ndim - mine, y.ndim - theirs
    if rank != other:
        if mine and rank < other:
            x = x.reshape(x.shape[0], *(1,) * (other - rank), *x.shape[1:])
        elif theirs and other < rank:
            y = y.reshape(y.shape[0], *(1,) * (rank - other), *y.shape[1:])
    token = error_state()
    try:
        enter_error_state(QUIET)
        v = op(x, y)
    except ValueError:
        return None  # shapes that do not fit: the general path says how
    finally:
        restore_fp_warnings(token)
    return raised(trace, v if v.ndim < 2 or v.strides == x.strides else laid_out(v, x, y))


def total(row):
    """The reduction over all elements of each example."""

    def at(args, m):
        if len(args) != 1:
            return None
        (t,) = args
        if type(t) is not Tensor or t.level_trace is not m.mapped:
            return None
        shape = shape_dtype(t.value)[0]
        if len(shape) == 1:
            return None
        return at_level(m.mapped, below(row.fun, (t.value, tuple(range(1, len(shape)))), m))

    return at


def above(t, trace):
    """Tell whether a tensor lives at a level that is not known to be below that of a vmap, nor its own."""
    level = t.level_trace
    return level is FOREIGN or level is not None and level is not trace and level.level >= trace.level


def below(fun, args, m):
    """`fun(*args)` one level below the vmap."""
    try:
        MODES.set(m.under())
        return fun(*args)
    finally:
        MODES.set(m)


def spread(t, shape, count):
    """A tensor whose examples have `count` more axes in front."""
    return t.reshape((shape[0], *(1,) * count, *shape[1:]))
