"""Choosing elements: where, take, triangles, diagonals, what is left out and put between."""

from typing import Any

import numpy as np

from ..core.arrays.dtypes import result_dtype
from ..core.checks import whole
from ..core.errors import DtypeError, at_user_line
from ..core.numpy_api import methods, views
from ..core.ops import selection, shaping
from ..core.ops.indexing import indexing
from ..core.trace.device import as_element, constant
from ..core.trace.tracer import Tracer, unwrap
from .creation import serving
from .surface import UNSET, Array, array_beside, array_of, arrays_of, implements, known, lift, refuse_options


@implements(np.where)
def where(condition: Array, x: Any = UNSET, y: Any = UNSET, /) -> Any:
    if x is UNSET:
        return nonzero(condition)
    if y is UNSET:
        raise ValueError(f"where needs both x and y, or neither; "
                         f"give y, the values where the condition does not hold{at_user_line()}")
    return selection.where(_mask(condition), lift(x), lift(y))


def _mask(condition: Any) -> Array:
    condition = lift(condition)
    return condition if type(condition) is bool or getattr(condition, "dtype", None) == np.bool_ else condition != 0


@implements(np.nonzero)
def nonzero(a: Array) -> Any:
    return np.nonzero(known(a, "nonzero"))


@implements(np.flatnonzero)
def flatnonzero(a: Array) -> Array:
    return np.flatnonzero(known(a, "flatnonzero"))


@implements(np.argwhere)
def argwhere(a: Array) -> Array:
    return np.argwhere(known(a, "argwhere"))


@implements(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ValueError(f"select needs as many conditions as choices, and at least one, but got {len(condlist)} and "
                         f"{len(choicelist)}; give one choice for each condition{at_user_line()}")
    masks = [array_of(condition) for condition in condlist]
    for k, mask in enumerate(masks):
        if mask.dtype != np.bool_:
            raise TypeError(f"select takes boolean masks, but condition {k} has dtype {mask.dtype}; compare it "
                            f"first, for example with x != 0{at_user_line()}")
    choices = [lift(choice) for choice in choicelist]
    ans = lift(default)
    dtype = result_dtype(*choices, ans)
    for mask, choice in zip(reversed(masks), reversed(choices)):
        ans = selection.where(mask, choice, ans)
    ans = array_of(ans)
    return ans if ans.dtype == dtype else selection.astype(ans, dtype)


@implements(np.choose)
def choose(a: Array, choices: Any, out: Any = None, mode: str = "raise") -> Array:
    refuse_options("choose", out)
    choices = list(choices)
    picked = array_beside(a, *choices)
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"choose supports the modes 'raise', 'wrap' and 'clip', but got {mode!r}; choose one of them"
                         f"{at_user_line()}")
    if picked.dtype.kind not in "iub" or not choices:
        raise TypeError(f"choose takes integers that count among choices, but got dtype {picked.dtype} and "
                        f"{len(choices)} choices; cast them with .astype(int){at_user_line()}")
    ans = lift(choices[0])
    places = unwrap(picked) if isinstance(picked, Tracer) else picked
    if mode == "raise" and places is not None and places.size and not (
            0 <= places.min() and places.max() < len(choices)):
        raise ValueError(f"choose needs indices from 0 to {len(choices) - 1}, but got {places.min()} to "
                         f"{places.max()}; give a mode, or clip them{at_user_line()}")
    if mode == "wrap":
        picked = picked % len(choices)
    for k, choice in enumerate(choices[1:], 1):
        hit = picked >= k if mode == "clip" and k == len(choices) - 1 else picked == k
        ans = selection.where(hit, lift(choice), ans)
    return ans + 0 * picked if isinstance(ans, (int, float)) else ans


@implements(np.take)
def take(a: Array, indices: Array, axis: Any = None, out: Any = None, mode: str = "raise") -> Array:
    refuse_options("take", out)
    return methods.take(array_of(a), indices, axis, mode)


@implements(np.take_along_axis)
def take_along_axis(arr: Array, indices: Array, axis: Any = -1) -> Array:
    arr = array_of(arr)
    if axis is None:
        arr, axis = methods.reshape(arr, (-1,)), 0
    return indexing.index(arr, along(arr, array_of(indices), axis))


def along(arr: Array, indices: Array, axis: int) -> tuple:
    """The index tuple of `take_along_axis`."""
    axis = methods.normal_axis(axis, arr.ndim)
    if indices.dtype.kind not in "iu":
        raise IndexError(f"indices are integers, but got dtype {indices.dtype}; cast them with .astype(int)"
                         f"{at_user_line()}")
    if indices.ndim != arr.ndim:
        raise ValueError(f"indices need as many axes as the array, but got {indices.ndim} and {arr.ndim}"
                         f"; add axes of length 1 to the indices{at_user_line()}")
    key: list[Any] = []
    for k, n in enumerate(arr.shape):
        shape = tuple(-1 if i == k else 1 for i in range(arr.ndim))
        key.append(indices if k == axis else np.arange(n).reshape(shape))
    return tuple(key)


@implements(np.diagonal, np.linalg.diagonal)
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return views.diagonal(a, offset, axis1, axis2)


@implements(np.trace)
def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Array:
    refuse_options("trace", out)
    return views.trace(array_of(a), offset, axis1, axis2, dtype)


@implements(np.diag)
def diag(v: Array, k: int = 0) -> Array:
    if v.ndim == 2:
        return views.diagonal(v, k)
    if v.ndim != 1:
        raise ValueError(f"diag needs one or two axes, but got shape {v.shape}; "
                         f"name the two axes with np.diagonal{at_user_line()}")
    return diagflat(v, k)


diag = serving(np.diag, diag, like=True)


@implements(np.diagflat)
def diagflat(v: Array, k: int = 0) -> Array:
    v, k = methods.reshape(v, (-1,)), whole(k, "the offset of a diagonal")
    n = v.shape[0] + abs(k)
    places = np.arange(v.shape[0])
    places = (places + max(-k, 0)) * n + places + max(k, 0)
    return shaping.reshape(indexing.scatter_add(v, constant(places, v), axis=0, n=n * n), (n, n))


_ZERO = {"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0.0}


@implements(np.tril)
def tril(m: Array, k: int = 0) -> Array:
    return selection.where(_triangle(m, k), m, _zero(m.dtype))


@implements(np.triu)
def triu(m: Array, k: int = 0) -> Array:
    return selection.where(_triangle(m, k - 1), _zero(m.dtype), m)


def _zero(dtype: Any) -> Any:
    """A 0 that keeps a dtype; what NumPy does not know itself, as bfloat16, it would widen beside a Python number."""
    return _ZERO[dtype.kind] if dtype.kind in _ZERO else np.zeros((), dtype)


def _triangle(m: Array, k: int) -> Array:
    if not m.ndim:
        raise TypeError(f"a triangle is cut from matrices or a vector of rows, but got a number; reshape it to (1, 1)"
                        f"{at_user_line()}")
    rows = m.shape[-2 if m.ndim > 1 else -1]  # a vector is each row of a matrix
    return constant(np.tri(rows, m.shape[-1], k, dtype=bool), m)


@implements(np.extract)
def extract(condition: Array, arr: Array) -> Array:
    return methods.reshape(array_of(arr), (-1,))[np.flatnonzero(known(condition, "extract"))]


@implements(np.compress)
def compress(condition: Array, a: Array, axis: Any = None, out: Any = None) -> Array:
    refuse_options("compress", out)
    chosen = known(array_of(condition), "compress")
    if chosen.ndim != 1:
        raise ValueError(f"compress takes a boolean vector, but got shape {chosen.shape}; use a[mask]"
                         f"{at_user_line()}")
    return take(a, np.flatnonzero(chosen), axis)


@implements(np.delete)
def delete(arr: Array, obj: Any, axis: Any = None) -> Array:
    if axis is None:
        arr, axis = methods.reshape(arr, (-1,)), 0
    return take(arr, np.delete(np.arange(arr.shape[axis]), obj), axis)


@implements(np.insert)
def insert(arr: Array, obj: Any, values: Array, axis: Any = None) -> Array:
    arr, values = arrays_of((arr, values))
    if axis is None:
        arr, axis = methods.reshape(arr, (-1,)), 0
    axis = methods.normal_axis(axis, arr.ndim)
    n = arr.shape[axis]
    places = np.arange(*obj.indices(n)) if isinstance(obj, slice) else known(array_of(obj), "insert")
    if places.dtype == np.bool_:
        places = np.flatnonzero(places)
    if places.size and places.dtype.kind not in "iu":
        raise TypeError(f"insert needs integer positions, but got dtype {places.dtype}; cast them with "
                        f".astype(int){at_user_line()}")
    if places.ndim > 1:
        raise ValueError(f"insert needs a number or a vector of positions, but got shape {places.shape}; "
                         f"ravel them{at_user_line()}")
    if places.size and not (-n <= places.min() and places.max() <= n):
        raise IndexError(f"insert got a position out of bounds for axis {axis} of length {n}; "
                         f"use positions up to that length{at_user_line()}")
    values = _as_part_of(arr, values)
    if places.size == 1:
        first = int(places.item()) % n if places.item() < 0 else int(places.item())
        values = methods.reshape(values, (1,) * (arr.ndim - values.ndim) + tuple(values.shape))
        if not places.ndim:  # a number takes the first axis of the values, a list the one that it inserts along
            ranks = list(range(1, values.ndim))
            ranks.insert(axis, 0)
            values = shaping.transpose(values, tuple(ranks))
        count = values.shape[axis]
        spots = first + np.arange(count)
    else:
        count = places.size
        places = np.where(places < 0, places + n, places).astype(np.intp)
        spots = places
        spots[np.argsort(places, kind="stable")] += np.arange(count)
    values = shaping.broadcast_to(values, (*arr.shape[:axis], count, *arr.shape[axis + 1 :]))
    source = np.empty(n + count, np.intp)
    old = np.ones(n + count, bool)
    old[spots] = False
    source[old] = np.arange(n)
    source[spots] = n + np.arange(count)
    return take(shaping.concatenate(arr, values, axis=axis), source, axis)


def _as_part_of(arr: Array, values: Array) -> Array:
    """`values` in the dtype of `arr`, as NumPy casts; a derivative is never cast away."""
    if not isinstance(values, Tracer):
        return constant(as_element(values, arr.dtype), arr)
    have, want = values.dtype, arr.dtype
    if isinstance(values, Tracer) and have.kind in "fc" and want.kind in ("biuf" if have.kind == "c" else "biu"):
        raise DtypeError(f"insert got traced values of dtype {have} for an array of dtype {want}, which would drop "
                         f"their derivative; make the array of dtype {have}{at_user_line()}")
    return values if have == want else selection.astype(values, want)
