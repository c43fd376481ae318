"""Index arrays: of diagonals and triangles, of grids, and between flat and multiple indices; `r_` and `c_`."""

from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.numpy_api import methods
from ..core.ops import selection, shaping
from ..core.ops.indexing import sorting
from .indexing import flatnonzero
from .shaping import concatenate
from .surface import Array, array_of, arrays_of, implements, traced_inside

diag_indices, tril_indices, triu_indices = np.diag_indices, np.tril_indices, np.triu_indices
mask_indices, indices, mgrid, ogrid = np.mask_indices, np.indices, np.mgrid, np.ogrid


@implements(np.diag_indices_from)
def diag_indices_from(arr: Array) -> tuple:
    if arr.ndim < 2 or len(set(arr.shape)) > 1:
        raise ValueError(f"diag_indices_from needs at least two axes, all of one length, but got shape {arr.shape}"
                         f"; make it square, or name the length with diag_indices{at_user_line()}")
    return np.diag_indices(arr.shape[0], arr.ndim)


@implements(np.tril_indices_from)
def tril_indices_from(arr: Array, k: int = 0) -> tuple:
    return np.tril_indices(*_matrix("tril_indices_from", arr, k))


@implements(np.triu_indices_from)
def triu_indices_from(arr: Array, k: int = 0) -> tuple:
    return np.triu_indices(*_matrix("triu_indices_from", arr, k))


def _matrix(name: str, arr: Array, k: int) -> tuple:
    if arr.ndim != 2:
        raise ValueError(f"{name} needs a matrix, but got shape {arr.shape}; "
                         f"reshape it, or pick a matrix of it{at_user_line()}")
    return arr.shape[0], k, arr.shape[1]


@implements(np.ix_)
def ix_(*args: Array) -> tuple:
    out = []
    for k, x in enumerate(args):
        x = array_of(x)
        if x.ndim != 1:
            raise ValueError(f"ix_ needs vectors, but got shape {x.shape}; ravel it{at_user_line()}")
        x = flatnonzero(x) if x.dtype == np.bool_ else x
        x = x if x.shape[0] or x.dtype.kind in "iu" else selection.astype(x, np.intp)
        out.append(methods.reshape(x, tuple(-1 if i == k else 1 for i in range(len(args)))))
    return tuple(out)


@implements(np.unravel_index)
def unravel_index(indices: Array, shape: Any, order: str = "C") -> tuple:
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return sorting.unravel_index(array_of(indices), shape, order)


@implements(np.ravel_multi_index)
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Array:
    parts = [array_of(x) for x in multi_index]
    shape = np.broadcast_shapes(*[x.shape for x in parts])
    parts = [x if x.shape == shape else shaping.broadcast_to(x, shape) for x in parts]
    dims = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    return sorting.ravel_multi_index(*parts, dims=dims, mode=tuple(mode) if isinstance(mode, list) else mode,
                                       order=order)


class Joiner:
    """`r_` and `c_`: slices, numbers and arrays, traced ones too, joined along one axis."""

    def __init__(self, plain: Any, axis: int, ndmin: int, trans1d: int) -> None:
        self.plain, self.axis, self.ndmin, self.trans1d = plain, axis, ndmin, trans1d
        self.__doc__ = plain.__doc__

    def __getitem__(self, key: Any) -> Array:
        key = key if isinstance(key, tuple) else (key,)
        if not traced_inside(key):
            return self.plain[key]
        axis, ndmin, trans1d = self.axis, self.ndmin, self.trans1d
        if isinstance(key[0], str):
            axis, ndmin, trans1d = self._directive(key[0])
            key = key[1:]
        weak = (bool, int, float, complex)
        arrays = arrays_of([np.r_[item].tolist() if isinstance(item, slice) else item for item in key])
        dtype = np.result_type(*[item if isinstance(item, weak) else x.dtype for item, x in zip(key, arrays)])
        return concatenate([selection.astype(self._laid(item, x, ndmin, trans1d), dtype)
                            for item, x in zip(key, arrays)], axis)

    def _directive(self, text: str) -> tuple:
        try:
            numbers = [int(n) for n in text.split(",")]
        except ValueError:
            raise ValueError(f"r_ of traced values takes up to three numbers as its directive, but got {text!r}; "
                             f"matrices ('r', 'c') are not supported{at_user_line()}") from None
        return (numbers + [self.axis, self.ndmin, self.trans1d][len(numbers):])[:3]  # type: ignore[return-value]

    def _laid(self, item: Any, x: Array, ndmin: int, trans1d: int) -> Array:
        rank = x.ndim
        if rank >= ndmin:
            return x
        x = methods.reshape(x, (1,) * (ndmin - rank) + tuple(x.shape))
        if trans1d == -1:
            return x
        if isinstance(item, slice):
            return methods.swapaxes(x, -1, trans1d)
        new = ndmin - rank
        start = trans1d + (new + 1 if trans1d < 0 else 0)
        order = list(range(ndmin))
        return shaping.transpose(x, tuple(order[:start] + order[new:] + order[start:new]))


r_, c_ = Joiner(np.r_, 0, 1, -1), Joiner(np.c_, -1, 2, 0)
