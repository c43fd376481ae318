"""Lanes of index tensors: `t[index]`, and `t[index] = value` of which nothing is recorded."""

import numpy as np

from ..... import _engine, extend
from ..graph import versions
from ..graph.node_names import NamedRule
from ..modes.modes import MODES
from ..state.edges import accumulator, untangled
from ..types.number_cache import EXACT
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import GENERAL, VIEW, infer, needs_grad, wrap
from ..views.overlap import crossing
from ..views.views import PICK
from . import makers
from .bare_tensors import bare, number
from .basic_index import ready
from .copy_slices import hooked

ndarray = np.ndarray
aval_of = extend.aval_of
_TAKEN, _PICKED = (NamedRule(prim.rule((0,), True), "IndexBackward0") for prim in (extend.REGISTRY["take"], PICK))
if (_TAKEN.names, _PICKED.names) != (("x_aval", "index", "axis"), ("x_aval", "places")):
    raise AssertionError(f"the rules of index arrays save other things than these lanes write: {_TAKEN.names}, "
                         f"{_PICKED.names}")


def places(key):
    """The array of an index tensor of integers with axes; None for all else."""
    if type(key) not in PLAIN_KINDS or key.level_trace is not None:
        return None
    array = key.value
    return array if type(array) is ndarray and array.ndim and array.dtype.kind == "i" and (
        array.dtype.itemsize > 2) else None


def index_of(key, shape):
    """`(index for NumPy, axis)` of index tensors and numbers of some of the first axes, of a mask of them, or of one
    index tensor among slices, None and an Ellipsis. The axis is that of the only index tensor where all others are
    taken whole, else None. `(None, None)` for any other key."""
    if type(key) is not tuple:
        array = places(key)
        if array is not None:
            return (array, 0) if shape else (None, None)
        return masked(key, shape), None
    out, arrays, used, dots, whole, numbers = [], 0, 0, 0, True, 0
    for k in key:
        if k is Ellipsis:
            dots += 1
        elif k is None:
            whole = False
        elif type(k) is slice:
            if not simple(k):
                return None, None
            whole = whole and k.start is None and k.stop is None and k.step is None
            used += 1
        elif type(k) is int:
            numbers += 1
            used += 1
        else:
            k = places(k)
            if k is None:
                return None, None
            before, passed = used, dots
            arrays += 1
            used += 1
        out.append(k)
    if used > len(shape) or dots > 1 or not arrays or 1 < arrays + numbers != len(out):
        return None, None
    if numbers:
        return tuple(out), None
    return tuple(out), before + (len(shape) - used if passed else 0) if whole and arrays == 1 else None


def masked(key, shape):
    """The array of a mask of the first axes of a shape; None for all else."""
    if type(key) not in PLAIN_KINDS or key.level_trace is not None:
        return None
    array = key.value
    return array if type(array) is ndarray and array.dtype.kind == "b" and array.ndim and (
        shape[: array.ndim] == array.shape) else None


def simple(s):
    """Tell whether a slice is one of ints that PyTorch takes."""
    return (s.start is None or type(s.start) is int) and (s.stop is None or type(s.stop) is int) and (
        s.step is None or type(s.step) is int and s.step > 0)


def place_of(key):
    """The number that an index tensor without axes is; None for all else."""
    if type(key) not in PLAIN_KINDS or key.level_trace is not None:
        return None
    array = key.value
    return int(array) if type(array) is ndarray and not array.ndim and array.dtype.kind == "i" else None


def unrecorded(t):
    """Tell whether nothing is recorded now of a tensor that has an array of NumPy and no tangent, and is none of
    inference mode."""
    if type(t) not in PLAIN_KINDS:
        return False
    m = MODES.get()
    if m is not None and not m.still and (m.packing is None or not hooked(m)):
        return False
    key = t.dispatch_key
    if key == GENERAL:
        return bare(t)
    if key > VIEW or key and not untangled(t):
        return False
    return m is not None and m.still or not needs_grad(t)


def picked(t, key):
    """`t[key]`; None for what this lane does not take."""
    p, recorded = None, MODES.get() is None and t.dispatch_key != GENERAL
    if not (ready(t) if recorded else unrecorded(t)):
        return None
    array = t.value
    index, axis = index_of(key, array.shape)
    if index is None:
        return None
    if recorded:
        p = t.node
        if p is None and t.wants_grad:
            p = accumulator(t)
    try:
        found = array[index]
        node = None if p is None else noted(p, array, index, axis)
    except (IndexError, ValueError):
        return None
    if found.ndim > 1 and not array.flags.c_contiguous or p is not None and node is None:
        return None  # PyTorch lays it out as the tensor is
    if not found.flags.c_contiguous:
        found = np.ascontiguousarray(found)
    if p is not None:
        return makers.made(found, node)
    out = wrap(found)
    m = MODES.get()
    if m is not None and m.inference:
        infer(out)
    return out


def noted(p, array, index, axis):
    """The node of what an index takes from an array; None where it is not that of one operation."""
    if axis is None and type(index) is ndarray:
        index = index.nonzero()
        axis = 0 if len(index) == 1 else None
    if axis is None:
        if len(index) != array.ndim or not all(type(k) is ndarray for k in index):
            return None
        return makers.noted(_PICKED, p, (aval_of(array), _engine.Places(np.ravel_multi_index(index, array.shape))))
    along = index if type(index) is ndarray else [k for k in index if type(k) is ndarray][0]
    return makers.noted(_TAKEN, p, (aval_of(array), along, axis))


def put(t, key, value):
    """`t[key] = value`; False for what this lane does not take."""
    if not unrecorded(t) or t.node is not None:
        return False
    array = t.value
    index, _ = index_of(key, array.shape)
    if index is None or not array.flags.writeable or versions.EXPOSED and versions.exposed(array):
        return False
    if t.autograd_meta is not None and (crossing(array) or t.dispatch_key == VIEW and (
            t.autograd_meta.base.node is not None)):
        return False
    if type(value) in PLAIN_KINDS:
        v = value.value
        if not unrecorded(value) or v.dtype is not array.dtype or versions.root_of(v) is versions.root_of(array):
            return False
    elif t.dispatch_key == GENERAL:
        v = number(value, array.dtype)
    elif type(value) is float:
        v = value if array.itemsize == 8 or -3e38 < value < 3e38 or value - value != 0 else None
    else:
        v = value if type(value) is int and -EXACT <= value <= EXACT else None
    if v is None:
        return False
    try:
        array[index] = v
    except (IndexError, TypeError, ValueError):  # nothing was written
        return False
    _ = versions.note(array)
    return True
