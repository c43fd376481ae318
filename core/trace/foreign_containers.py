"""Other libraries' wrappers of one array: unwrap them beside traced values, and put traced values into them."""

import numpy as np

from ..arrays.backend import find_backend
from .tracer import Batched, Dual, Late, Rev, Staged, Tracer

# What most arguments are, spared a look.
_FAMILIAR = frozenset({np.ndarray, Rev, Dual, Late, Batched, Staged, float, int, bool, complex, str, slice, type(None),
                       type(np._NoValue), np.float64, np.float32})


def values_of(x):
    """The array in a labelled one (a pandas Series, an xarray DataArray, a file's dataset); anything else as it is.

    NumPy would take the same of it: what `__array__` gives. An array of another library, which has `__dlpack__`, is
    none: its own derivatives, or its device, would be lost.
    """
    kind = type(x)
    if isinstance(x, Tracer) or find_backend(kind) is not None or not hasattr(kind, "__array__"):
        return x
    if hasattr(kind, "__dlpack__") or isinstance(x, np.ndarray):
        return x
    inside = traced_in(x)
    return np.asarray(x) if inside is None else inside


def traced_in(x):
    """The traced value in a labelled array, or None: xarray keeps the arrays that it is given."""
    if isinstance(x, np.ndarray | np.generic) or not hasattr(type(x), "__array__"):
        return None
    # xarray's `.data` is the array that it was given; `np.asarray` of it would drop the derivative.
    inside = getattr(x, "data", None)
    return inside if isinstance(inside, Tracer) else None


def without_labels(args):
    """A tuple, list or dict of arguments with labelled arrays in it made plain; itself where there are none."""
    if type(args) is dict:
        out = {key: without_labels((value,))[0] for key, value in args.items()}
        return args if all(out[key] is value for key, value in args.items()) else out
    found = None
    for k, x in enumerate(args):
        kind = type(x)
        if kind in _FAMILIAR:
            continue
        plain = without_labels(x) if kind is list or kind is tuple else values_of(x)
        if plain is not x:
            found = list(args) if found is None else found
            found[k] = plain
    return args if found is None else type(args)(found)
