"""Exchanges between examples (ppermute, all_to_all), composed of a gather and a selection."""

from collections.abc import Iterable
from operator import index

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.numpy_api.methods import take
from ...core.ops.selection import where
from ...core.trace.device import constant
from ...core.types import PyTree
from ..arguments.arguments import flatten, settle
from ..scope.axis_environment import axis_trace
from .collectives import AxisName, all_gather, axis_index, axis_size
from .moves import exchange_along, send_along
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
