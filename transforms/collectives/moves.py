"""ppermute and all_to_all between the positions of a mesh axis, as primitives of their own."""

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.numpy_api.methods import take
from ...core.ops.samples import Sample
from ...core.ops.selection import where
from ...core.primitive.families import linear
from ...core.trace.device import constant
from ..ranks.placed import at_line
from ..ranks.primitives import rank_exchange, rank_shift
from .along_axes import along_axes
from .collectives import every_place

_KINDS = ((np.float64, 1), (np.float32, 1), (np.complex128, 1 + 2j))  # of the samples
_NO_SCALAR = {"()": "its operand has the mapped axis"}


def _send_across(trace, values, batched, names, perm):
    (x,) = values
    x = x if batched[0] else trace.spread(x)
    if trace.group is not None and trace.size == 1:
        return rank_shift(x, at_line(trace.group, x), perm)
    sender, gets = np.zeros(trace.total, int), np.zeros(trace.total, bool)
    for a, b in perm:
        sender[b], gets[b] = a, True
    mine = slice(trace.offset, trace.offset + trace.size)
    moved = take(every_place(trace, x), constant(sender[mine], x), 0)
    arrives = constant(gets[mine].reshape((-1,) + (1,) * (x.ndim - 1)), x)
    return where(arrives, moved, constant(np.zeros((), x.dtype), x))


send_along = along_axes(linear(
    "ppermute",  # from place to place, by pairs (source, destination); zeros where nothing arrives
    impl=lambda xp, x, *, names, perm: x.copy(),
    transpose=lambda ct, names, perm: send_along(ct, names, tuple([(b, a) for a, b in perm])),
    shape=lambda x, names, perm: x,
    batch=lambda x, names, perm: send_along(x, names, perm),
    across=_send_across,
    varies=lambda given: True,
    effects="collective",
    samples=lambda rng: [Sample((rng.normal(size=(3, *s)) * unit).astype(dtype),
                                params={"names": ("i",), "perm": ((0, 1), (1, 0))})
                         for s in ((2,), (), (0,)) for dtype, unit in _KINDS],
    absent=_NO_SCALAR,
))


def _exchange_across(trace, values, batched, names, split, concat):
    (x,) = values
    x = x if batched[0] else trace.spread(x)
    x = x.transpose((split + 1, 0, *[d for d in range(1, x.ndim) if d != split + 1]))  # (to, from here, …)
    if trace.group is None:
        x = x.swapaxes(0, 1)  # (from, to, …)
    else:
        ranks, here, rest = trace.group.size, trace.size, x.shape[2:]
        x = x.reshape((ranks, here, here, *rest))
        x = rank_exchange(x, at_line(trace.group, x))  # (rank from, to here, from there, …)
        x = x.transpose((0, 2, 1, *range(3, x.ndim))).reshape((trace.total, here, *rest))
    order = list(range(2, x.ndim))
    order.insert(concat, 0)
    return x.transpose((1, *order))


exchange_along = along_axes(linear(
    "all_to_all",  # part j along `split` goes to place j; what arrives from place j lies at j along `concat`
    impl=lambda xp, x, *, names, split, concat: np.moveaxis(x, split, concat).copy(),
    transpose=lambda ct, names, split, concat: exchange_along(ct, names, concat, split),
    shape=lambda x, names, split, concat: make_aval(_moved(x.shape, split, concat), x.dtype),
    batch=lambda x, names, split, concat: exchange_along(x, names, split + 1, concat + 1),
    across=_exchange_across,
    shares=True,
    varies=lambda given: True,
    effects="collective",
    samples=lambda rng: [Sample((rng.normal(size=(3, *s)) * unit).astype(dtype),
                                params={"names": ("i",), "split": 0, "concat": c})
                         for s, c in (((3, 2), 0), ((3, 2), 1), ((3,), 0), ((3, 0), 1)) for dtype, unit in _KINDS],
    absent=_NO_SCALAR,
))


def _moved(shape, split, concat):
    rest = [n for d, n in enumerate(shape) if d != split]
    rest.insert(concat, shape[split])
    return tuple(rest)
