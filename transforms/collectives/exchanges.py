"""Exchanges between examples (ppermute, all_to_all), composed of a gather and a selection."""

from collections.abc import Iterable
from operator import index

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.errors import ShapeError, at_user_line
from ...core.numpy_api.methods import take
from ...core.ops.samples import Sample
from ...core.ops.selection import where
from ...core.primitive.families import linear
from ...core.trace.device import constant
from ...core.types import PyTree
from ..arguments.arguments import flatten, settle
from ..ranks.placed import at_line
from ..ranks.primitives import rank_exchange, rank_shift
from ..scope.axis_environment import axis_trace
from .along_axes import along_axes
from .collectives import AxisName, all_gather, axis_index, axis_size, every_place
from .varying import entered


def ppermute(x: PyTree, axis_name: AxisName, perm: Iterable[tuple[int, int]]) -> PyTree:
    """Send the value of each example to another one.

    Args:
        x: a pytree of arrays.
        axis_name: the mapped axis, or a tuple of them, the first of them outermost; those of a mesh gather all values.
        perm: pairs (source, destination) of indices, each at most once per side. Who receives nothing gets zeros.
    Returns:
        the same structure and shapes.
    Raises:
        NameError: no axis of that name is mapped.
        ValueError: an index is out of range, or occurs twice on one side.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.ppermute(x, "i", [(0, 1), (1, 2)]), axis_name="i")(np.array([5.0, 6.0, 7.0]))
    array([0., 5., 6.])
    """
    size = axis_size(axis_name)
    pairs = [(index(a), index(b)) for a, b in perm]
    for side in zip(*pairs):
        if len(set(side)) < len(side) or not all(0 <= k < size for k in side):
            raise ValueError(f"ppermute needs pairs (from, to) of positions from 0 to {size - 1}, each at most once a "
                             f"side, but got {pairs}; leave out what is too much{at_user_line()}")
    sender, gets = np.zeros(size, int), np.zeros(size, bool)
    for a, b in pairs:
        sender[b], gets[b] = a, True

    names = axis_name if isinstance(axis_name, tuple) else (axis_name,)
    if len(names) == 1 and axis_trace(names[0]).mesh:
        return _each(lambda v: send_along(entered(v, names), names, tuple(pairs)), x)

    def send(v):
        here = axis_index(axis_name)
        moved = take(all_gather(v, axis_name), take(constant(sender, v), here, 0), 0)
        return where(take(constant(gets, v), here, 0), moved, constant(np.zeros((), moved.dtype), v))

    return _each(send, x)


def all_to_all(
    x: PyTree, axis_name: AxisName, split_axis: int, concat_axis: int, *, tiled: bool = False
) -> PyTree:
    """Split an axis into one part per example, and give every example its parts from all: a transposed mapped axis.

    Args:
        x: a pytree of arrays.
        axis_name: the mapped axis.
        split_axis: the axis to split, as long as the mapped axis (a multiple if `tiled`).
        concat_axis: the position of the parts: a new axis, or, if `tiled`, concatenated along that axis.
        tiled: whether both axes are kept.
    Returns:
        each leaf with the axes changed accordingly.
    Raises:
        NameError: no axis of that name is mapped.
        ShapeError: the axis has a different length.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.all_to_all(x, "i", 0, 0), axis_name="i")(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    names = axis_name if isinstance(axis_name, tuple) else (axis_name,)
    if len(names) != 1:
        raise ShapeError(f"all_to_all takes one mapped axis, but got {axis_name}; name one{at_user_line()}")
    size, mesh = axis_size(axis_name), axis_trace(names[0]).mesh

    def exchange(v):
        k = split_axis % v.ndim
        if v.shape[k] != size and not (tiled and v.shape[k] % size == 0):
            raise ShapeError(f"all_to_all needs axis {k} of length {size}, the size of {axis_name!r}, but got shape "
                             f"{tuple(v.shape)}; pad it, or split another axis{at_user_line()}")
        cut = v.reshape((*v.shape[:k], size, v.shape[k] // size, *v.shape[k + 1 :])) if tiled else v
        if mesh:
            c = concat_axis % v.ndim
            mine = exchange_along(entered(cut, names), names, k, c)
            return mine.reshape((*mine.shape[:c], size * mine.shape[c + 1], *mine.shape[c + 2 :])) if tiled else mine
        parts = all_gather(cut, axis_name)  # (from, …, to, …)
        mine = take(parts.swapaxes(0, k + 1), axis_index(axis_name), 0)  # (…, from at k, …)
        rest = [d for d in range(mine.ndim) if d != k]
        c = concat_axis % v.ndim
        rest.insert(c, k)
        mine = mine.transpose(tuple(rest))
        if not tiled:
            return mine
        return mine.reshape((*mine.shape[:c], size * mine.shape[c + 1], *mine.shape[c + 2 :]))

    return _each(exchange, x)


def _each(fun, tree):
    leaves, rebuild = flatten(tree)
    leaves = [settle(v) for v in leaves]
    return rebuild([fun(v if hasattr(v, "shape") else np.asarray(v)) for v in leaves])


# ppermute and all_to_all between the positions of a mesh axis, as primitives of their own.

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
