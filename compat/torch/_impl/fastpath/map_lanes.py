"""The fast paths of operations on values of the innermost vmap: the same operation one level down, on all examples.

There the examples lie along the first axis, so an operation by elements is itself, once the other axes meet. Whatever
holds below (another vmap, a level of `func`, recording) is seen to by the operation there. A lane returns None for what
it does not take; `modes.mapped` names the vmap where nothing but levels, vmaps and grad mode is in force.
"""

import numpy as np

from ..dispatch.layouts import laid_out
from ..modes.modes import MODES
from ..state.levels import exact
from ..state.makers import above, made
from ..state.plain import OPEN
from ..types.number_cache import FLOATS
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import FOREIGN, Tensor, shape_dtype

ndarray = np.ndarray


def plain(x):
    """Tell whether a tensor is an ambient one of floats without history."""
    t: TensorSlots = x
    return not t.dispatch_key and t.node is None and not t.wants_grad


def unary(row, op):
    """The operation of one tensor; `op` is that of arrays."""

    def at(args, m):
        if len(args) != 1 or type(args[0]) is not Tensor or not OPEN[0]:
            return None
        t: TensorSlots = args[0]
        trace = m.mapped
        if t.level_trace is not trace:
            return None
        t = t.value
        if not plain(t) or m.under() is not None:
            return above(trace, below(row.fun, (t,), m))
        return above(trace, made(op(t.value), None))

    return at


def binary(row, op):
    """The operation of two tensors of one floating dtype, or of a tensor and a number; `op` is that of arrays."""

    def at(args, m):
        a, b = args
        trace = m.mapped
        if type(a) is not Tensor or not OPEN[0]:
            return None
        t: TensorSlots = a
        if type(b) is float or type(b) is int:
            if t.level_trace is not trace:
                return None
            t = t.value
            dtype = shape_dtype(t)[1]
            c = exact(b, dtype) if dtype in FLOATS else None
            if c is None:
                return None
            if plain(t) and m.under() is None:
                return of_arrays(trace, op, t.value, c, True, False)
            return above(trace, below(row.fun, (t, b), m))
        if type(b) is not Tensor:
            return None
        u: TensorSlots = b
        mine, theirs = t.level_trace is trace, u.level_trace is trace
        if not (mine or theirs) or foreign(t, trace) or foreign(u, trace):
            return None
        if mine:
            t = t.value
        if theirs:
            u = u.value
        if plain(t) and plain(u) and m.under() is None:
            return of_arrays(trace, op, t.value, u.value, mine, theirs)
        (shape, dtype), (other, second) = shape_dtype(t), shape_dtype(u)
        if dtype is not second or dtype not in FLOATS:
            return None
        x, y = t, u
        rank, other_rank = len(shape) - mine, len(other) - theirs
        if mine and rank < other_rank:
            x = below(spread, (x, shape, other_rank - rank), m)
        elif theirs and other_rank < rank:
            y = below(spread, (y, other, rank - other_rank), m)
        return above(trace, below(row.fun, (x, y), m))

    return at


def of_arrays(trace, op, x, y, mine, theirs):
    """The operation of two arrays of floats, of which some have the examples along their first axis."""
    if x.dtype is not y.dtype:
        return None
    rank, other = x.ndim - mine, y.ndim - theirs
    if mine and rank < other:
        x = x.reshape(x.shape[0], *(1,) * (other - rank), *x.shape[1:])
    elif theirs and other < rank:
        y = y.reshape(y.shape[0], *(1,) * (rank - other), *y.shape[1:])
    try:
        v = op(x, y)
    except ValueError:
        return None  # shapes that do not fit: the general path says how
    return above(trace, made(v if v.ndim < 2 or v.strides == x.strides else laid_out(v, x, y), None))


def total(row):
    """The reduction over all elements of each example."""

    def at(args, m):
        if len(args) != 1 or not OPEN[0]:
            return None
        (t,) = args
        if type(t) is not Tensor or t.level_trace is not m.mapped:
            return None
        shape = shape_dtype(t.value)[0]
        if len(shape) == 1:
            return None
        return above(m.mapped, below(row.fun, (t.value, tuple(range(1, len(shape)))), m))

    return at


def foreign(t, trace):
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
