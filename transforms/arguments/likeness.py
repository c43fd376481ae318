"""Fast comparison of the structure and shapes of two pytrees, for loops that check every step."""

import numpy as np

from ...core.trace.tracer import Batched, Dual, Rev
from ...core.types import Callable, PyTree

ARRAYS = frozenset({np.ndarray, np.float64, np.float32, Rev, Dual, Batched})  # leaves of any pytree, with a shape


def likeness(tree: PyTree) -> Callable[[PyTree], bool]:
    """`alike(other)`: whether another tree surely has the structure and the shapes of this one.

    False says nothing: nodes other than tuples, lists and dicts, and leaves of rarer types, are for the
    caller to compare.
    """
    kind = type(tree)
    if kind in ARRAYS or kind is float:
        shape = () if kind is float else tree.shape
        return lambda x: x.shape == shape if type(x) in ARRAYS else type(x) is float and not shape
    if tree is None:
        return lambda x: x is None
    if kind is tuple or kind is list:
        each = [likeness(x) for x in tree]
        whole = _all_arrays(tree)
        return lambda x: type(x) is kind and len(x) == len(each) and (
            _alike(x, whole) or all(alike(v) for alike, v in zip(each, x)))
    if kind is dict:
        names = tuple(tree)
        each = [likeness(x) for x in tree.values()]
        whole = _all_arrays(tree.values())
        return lambda x: type(x) is dict and tuple(x) == names and (
            _alike(x.values(), whole) or all(alike(v) for alike, v in zip(each, x.values())))
    return lambda x: False


def _all_arrays(values):
    """The shapes of values that are all leaves; else None."""
    values = list(values)
    return [v.shape for v in values] if ARRAYS.issuperset(map(type, values)) else None


def _alike(values, shapes):
    return shapes is not None and ARRAYS.issuperset(map(type, values)) and [v.shape for v in values] == shapes
