"""Functions that write into an array: NumPy's, into traced buffers, and `at`, into a new array."""

from typing import Any

import numpy as np

from ..core.errors import ConversionError, DtypeError, at_user_line
from ..core.numpy_api import methods
from ..core.numpy_api.at import At
from ..core.numpy_api.views import cast_for_write
from ..core.ops import reductions as r, selection
from ..core.ops.indexing import extremes as _extremes  # noqa: F401 - of which `At` takes one, by name
from ..core.trace.tracer import Tracer, is_concrete
from .indexing import along, take
from .shaping import resize
from .surface import Array, array_beside, array_of, implements, known


def at(x: Any) -> At:
    """Return what writes to parts of `x` and gives a new array: JAX's `x.at` for plain and traced arrays alike.

    Args:
        x: an array, or nested lists.
    Returns:
        an object to index as NumPy indexes: `at(x)[index].set(v)` gives a copy of `x` with `v` at the index. `.add`,
        `.subtract`, `.multiply`, `.divide`, `.power`, `.min`, `.max` combine `v` with what is there, `.apply(f)` writes
        `f` of it, `.get()` reads it. A place that the index names twice is written to twice, as by `np.add.at`; of
        `.set` the last value stays. For `.multiply`, `.divide`, `.power` and `.apply` a traced index needs
        `unique_indices=True`, which says that it names no place twice. An integer out of bounds raises, unless
        `mode="clip"` has it stand for the nearest place, or `mode="drop"` (also "fill") for none: there nothing is
        written, and `.get(mode="fill")` reads `fill_value`, by default NaN.
    Raises:
        IndexError: the index is out of bounds.
        DtypeError: `x` holds no numbers.
        ConversionError: a traced index may name a place twice, where that would have to be known.

    >>> import numpy as np, covector, covector.numpy as cnp
    >>> covector.grad(lambda v: np.sum(cnp.at(np.ones(3))[1].multiply(v) ** 2))(3.0)
    array(6.)
    >>> cnp.at(np.zeros(3))[np.array([0, 0])].add(1.0)
    array([2., 0., 0.])
    """
    return At(array_of(x))


def _writable(name: str, a: Array) -> None:
    if not isinstance(a, Tracer):
        raise ConversionError(
            f"numpy.{name} was asked to write a traced value into a plain array, which would drop its derivative; "
            f"start from a traced buffer: covector.numpy.zeros(shape), numpy.zeros_like(t){at_user_line()}")


def _contents(a: Array) -> Array:
    return a.read() if hasattr(a, "read") else a


@implements(np.copyto, masked=True)
def copyto(dst: Array, src: Array, casting: Any = "same_kind", where: Any = True) -> None:
    _writable("copyto (numpy.full_like)", dst)
    src = src if hasattr(src, "dtype") or type(src) in (bool, int, float, complex) else array_of(src)
    have = src.dtype if hasattr(src, "dtype") else src
    weak = not hasattr(src, "dtype") and np.result_type(dst.dtype, src) == dst.dtype
    if not weak and not np.can_cast(np.result_type(have), dst.dtype, casting):
        raise DtypeError(f"copyto does not cast {np.result_type(have)} to {dst.dtype} by casting={casting!r}; cast the "
                         f"source, or give casting='unsafe'{at_user_line()}")
    dst[...] = src if where is True else selection.where(array_beside(where, dst), src, _contents(dst))


@implements(np.put)
def put(a: Array, ind: Array, v: Array, mode: str = "raise") -> None:
    _writable("put", a)
    places = known(methods.places_of(ind), "put").ravel()
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"put supports the modes 'raise', 'wrap' and 'clip', but got {mode!r}; "
                         f"choose one of them{at_user_line()}")
    if mode == "clip":
        places = np.clip(places, 0, a.size - 1)
    elif mode == "wrap":
        places = places % a.size
    elif places.size and not (-a.size <= places.min() and places.max() < a.size):
        raise IndexError(f"put got an index out of bounds for an array of {a.size} elements; "
                         f"use indices below that number, or mode='wrap'{at_user_line()}")
    _put(a, places % max(a.size, 1), v)


def _put(a: Array, places: Any, v: Array) -> None:
    """Write at flat positions; values are repeated as needed, and of equal positions the last one wins."""
    v = methods.reshape(array_beside(v, a), (-1,))
    if v.dtype.kind == "c" != a.dtype.kind:
        raise DtypeError(f"complex values were written into an array of dtype {a.dtype}, which would drop their "
                         f"imaginary part; take v.real, or make the array complex{at_user_line()}")
    if not places.size or not v.shape[0]:
        return
    v = take(v, np.arange(places.size) % v.shape[0])
    if a.ndim:
        a[np.unravel_index(places, a.shape)] = v
    else:
        a[...] = v[-1]


@implements(np.put_along_axis)
def put_along_axis(arr: Array, indices: Array, values: Array, axis: Any) -> None:
    _writable("put_along_axis", arr)
    if axis is None:
        flat = known(array_of(indices), "put_along_axis")
        if flat.ndim != 1:
            raise ValueError(f"put_along_axis without axis needs a vector of indices, but got shape {flat.shape}"
                             f"; reshape them to (-1,), or give axis{at_user_line()}")
        if flat.size and not (-arr.size <= flat.min() and flat.max() < arr.size):
            raise IndexError(f"put_along_axis got an index out of bounds for an array of {arr.size} elements: "
                             f"{flat.min()} to {flat.max()}; use indices below that number{at_user_line()}")
        arr[np.unravel_index(flat % max(arr.size, 1), arr.shape)] = values
    else:
        arr[along(arr, array_of(indices), axis)] = values


@implements(np.putmask)
def putmask(a: Array, /, mask: Array, values: Array) -> None:
    _writable("putmask", a)
    mask, values = _mask_like("putmask", a, mask), _values(values, a)
    if values.size:
        a[...] = selection.where(mask, resize(values, a.shape), _contents(a))


@implements(np.place)
def place(arr: Array, mask: Array, vals: Array) -> None:
    _writable("place", arr)
    mask = _mask_like("place", arr, mask)
    vals = methods.reshape(_values(vals, arr), (-1,))
    if not vals.shape[0]:
        if is_concrete(mask) and not known(mask, "place").any():
            return
        raise ValueError(f"place needs values for the elements selected by the mask, but got none; give at least one "
                         f"value{at_user_line()}")
    rank = r.cumsum(methods.reshape(mask, (-1,)), 0) - 1  # the k-th chosen element takes the k-th value
    chosen = methods.reshape(take(vals, rank % vals.shape[0]), arr.shape)
    arr[...] = selection.where(mask, chosen, _contents(arr))


def _values(values: Array, a: Array) -> Array:
    """`values` as an array; numbers and lists in the dtype of the array that they are written to."""
    found = array_beside(values, a)
    return found if hasattr(values, "dtype") or isinstance(found, Tracer) else cast_for_write(a, found)


def _mask_like(name: str, a: Array, mask: Array) -> Array:
    mask = array_beside(mask, a)
    if mask.size != a.size:
        raise ValueError(f"{name} needs a mask of {a.size} elements, but got shape {mask.shape}; "
                         f"give one truth value per element{at_user_line()}")
    mask = methods.reshape(mask, a.shape)
    return mask if mask.dtype == np.bool_ else mask != 0


@implements(np.fill_diagonal)
def fill_diagonal(a: Array, val: Array, wrap: bool = False) -> None:
    _writable("fill_diagonal", a)
    if a.ndim < 2 or a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError(f"fill_diagonal needs a matrix, or an array whose axes are equal, but got shape {a.shape}"
                         f"; write into a square part of it{at_user_line()}")
    if a.ndim == 2:
        stop = None if wrap else a.shape[1] * a.shape[1]
        places = np.arange(a.size)[: stop : a.shape[1] + 1]
    else:
        places = np.arange(a.size)[:: 1 + int(np.cumprod(a.shape[:-1]).sum())]
    _put(a, places, val)
