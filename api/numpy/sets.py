"""Sets of values: which elements an output keeps is read from the data, and the elements keep their derivatives."""

from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.numpy_api import methods
from ..core.ops import selection
from ..core.ops.indexing import sorting
from .indexing import take
from .shaping import concatenate
from .surface import Array, array_of, implements, known


@implements(np.unique)
def unique(ar: Array, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           axis: Any = None, *, equal_nan: bool = True, sorted: bool = True) -> Any:
    ar = array_of(ar)
    plain = known(ar, "unique")
    found: Any = np.unique  # its overloads know single flags, not variables
    _, index, *rest = found(plain, True, return_inverse, return_counts, axis, equal_nan=equal_nan)
    values = take(ar, index, axis)
    ans = (values, *([index] if return_index else []), *rest)
    return values if len(ans) == 1 else ans


@implements(np.unique_all)
def unique_all(x: Array) -> Any:
    return np.unique_all(known(x, "unique_all"))._replace(values=_unequal(x))


@implements(np.unique_counts)
def unique_counts(x: Array) -> Any:
    return np.unique_counts(known(x, "unique_counts"))._replace(values=_unequal(x))


@implements(np.unique_inverse)
def unique_inverse(x: Array) -> Any:
    return np.unique_inverse(known(x, "unique_inverse"))._replace(values=_unequal(x))


def _unequal(x: Array) -> Array:
    """The sorted values, each NaN by itself."""
    return unique(x, equal_nan=False)


@implements(np.unique_values)
def unique_values(x: Array) -> Array:
    plain = known(x, "unique_values")
    want = np.unique_values(plain)  # in an order of NumPy's choice
    _, index = np.unique(plain, True, equal_nan=False)
    places = np.empty(want.shape, np.intp)
    places[np.argsort(want, kind="stable")] = index
    return take(x, places)


@implements(np.union1d)
def union1d(ar1: Array, ar2: Array) -> Array:
    return unique(concatenate((ar1, ar2), axis=None))


@implements(np.intersect1d)
def intersect1d(ar1: Array, ar2: Array, assume_unique: bool = False, return_indices: bool = False) -> Any:
    ar1 = array_of(ar1)
    found = np.intersect1d(known(ar1, "intersect1d"), known(array_of(ar2), "intersect1d"), assume_unique, True)
    values = selection.astype(take(ar1, found[1]), found[0].dtype)
    return (values, *found[1:]) if return_indices else values


@implements(np.setdiff1d)
def setdiff1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Array:
    ar1 = methods.reshape(array_of(ar1), (-1,)) if assume_unique else unique(ar1)
    gone = np.isin(known(ar1, "setdiff1d"), known(array_of(ar2), "setdiff1d"))
    return take(ar1, np.flatnonzero(~gone))


@implements(np.setxor1d)
def setxor1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Array:
    parts = [methods.reshape(array_of(x), (-1,)) if assume_unique else unique(x) for x in (ar1, ar2)]
    both = concatenate(parts)
    plain = known(both, "setxor1d")
    order = np.argsort(plain, kind="stable")
    plain = plain[order]
    edge = np.concatenate(([True], plain[1:] != plain[:-1], [True])) if plain.size else np.ones(1, bool)
    return take(both, order[edge[1:] & edge[:-1]])


@implements(np.isin)
def isin(element: Array, test_elements: Array, assume_unique: bool = False, invert: bool = False, *,
         kind: Any = None) -> Array:
    return sorting.isin(methods.reshape(array_of(test_elements), (-1,)), array_of(element), bool(invert))


@implements(np.trim_zeros)
def trim_zeros(filt: Array, trim: str = "fb", axis: Any = None) -> Array:
    sides = trim.lower()
    if sides not in ("f", "b", "fb", "bf"):
        raise ValueError(f"trim_zeros trims 'f', 'b' or 'fb', but got {trim!r}; choose one of them{at_user_line()}")
    filt = array_of(filt)
    places = np.argwhere(known(filt, "trim_zeros"))
    axes = methods.normal_axes(axis, filt.ndim)
    if not places.size:
        return filt[tuple([slice(0, 0) if k in axes else slice(None) for k in range(filt.ndim)])]
    start, stop = places.min(0), places.max(0) + 1
    if "f" not in sides:
        start[:] = 0
    if "b" not in sides:
        stop[:] = filt.shape
    return filt[tuple([slice(a, b) if k in axes else slice(None) for k, (a, b) in enumerate(zip(start, stop))])]
