"""The fast paths of operations on values of the innermost vmap: the same operation one level down, on all examples.

There the examples lie along the first axis, so an operation by elements is itself, once the other axes meet. Whatever
holds below (another vmap, a level of `func`, recording) is seen to by the operation there. A lane returns None for what
it does not take; `modes.mapped` names the vmap where nothing but levels, vmaps and grad mode is in force.
"""

from ..modes.modes import MODES
from ..types.number_cache import EXACT, FLOATS
from ..types.tensor_type import FOREIGN, Tensor, at_level
from ..types.tensor_value import shape_dtype


def unary(row):
    """The operation of one tensor."""

    def at(args, m):
        if len(args) != 1:
            return None
        (t,) = args
        if type(t) is not Tensor or t.level_trace is not m.mapped:
            return None
        return at_level(m.mapped, below(row.fun, (t.value,), m))

    return at


def binary(row):
    """The operation of two tensors of one floating dtype, or of a tensor and a number."""

    def at(args, m):
        a, b = args
        trace = m.mapped
        kind = type(b)
        if type(a) is not Tensor:
            return None
        if kind is float or kind is int and -EXACT <= b <= EXACT:
            if a.level_trace is not trace or shape_dtype(a.value)[1] not in FLOATS:
                return None
            return at_level(trace, below(row.fun, (a.value, b), m))
        if kind is not Tensor:
            return None
        mine, theirs = a.level_trace is trace, b.level_trace is trace
        if not (mine or theirs) or above(a, trace) or above(b, trace):
            return None
        x, y = a.value if mine else a, b.value if theirs else b
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

    return at


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
    """Whether a tensor lives at a level that is not known to be below that of a vmap, nor its own."""
    level = t.level_trace
    return level is FOREIGN or level is not None and level is not trace and level.level >= trace.level


def below(fun, args, m):
    """`fun(*args)` one level below the vmap."""
    MODES.set(m.under())
    try:
        return fun(*args)
    finally:
        MODES.set(m)


def spread(t, shape, count):
    """A tensor whose examples have `count` more axes in front."""
    return t.reshape((shape[0], *(1,) * count, *shape[1:]))
