"""Index tensors on the fast road: which places of an array they name, and `t[index]`."""

import numpy as np

from ..... import _primitives, extend
from ..graph.node_names import NamedRule
from ..graph.recording import noted
from ..modes.modes import MODES
from ..state.makers import history, tensor_of
from ..state.plain import OPEN, RECORDED, bare, current, records, simple
from ..types.parameter import PLAIN_KINDS, Parameter
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import FAST, GENERAL, INFERENCE, VIEW, Tensor, infer, wrap
from .views import PICK

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


def place_of(key):
    """The number that an index tensor without axes is; None for all else."""
    if type(key) not in PLAIN_KINDS or key.level_trace is not None:
        return None
    array = key.value
    return int(array) if type(array) is ndarray and not array.ndim and array.dtype.kind == "i" else None


def picked(t, key):
    """`t[key]`; None for what this road does not take."""
    if type(t) is not Tensor and type(t) is not Parameter or not OPEN[0]:
        return None
    u: TensorSlots = t
    m = MODES.get()
    recording = m is None or not m.still
    array = u.value
    meta = u.autograd_meta
    if u.level_trace is not None or type(array) is not ndarray or recording and m is not None and not records(m):
        return None
    if u.dispatch_key == VIEW:
        if not current(t, recording) or recording and meta.creation not in RECORDED:
            return None
    elif u.dispatch_key == INFERENCE or u.dispatch_key == GENERAL and (not bare(t) or meta is not None and (
            meta.inference)):
        return None
    index, axis = index_of(key, array.shape)
    if index is None:
        return None
    p = history(t) if recording else None
    try:
        found = array[index]
        node = None if p is None else node_of(p, array, index, axis)
    except (IndexError, ValueError):
        return None
    if found.ndim > 1 and not array.flags.c_contiguous or p is not None and node is None:
        return None  # PyTorch lays it out as the tensor is
    if not found.flags.c_contiguous:
        found = np.ascontiguousarray(found)
    if p is not None:
        return tensor_of(found, node, None, None, FAST)
    out = wrap(found)
    if m is not None and m.inference:
        infer(out)
    return out


def node_of(p, array, index, axis):
    """The node of what an index takes from an array; None where it is not that of one operation."""
    if axis is None and type(index) is ndarray:
        index = index.nonzero()
        axis = 0 if len(index) == 1 else None
    if axis is None:
        if len(index) != array.ndim or not all(type(k) is ndarray for k in index):
            return None
        return noted(_PICKED, p, (aval_of(array), _primitives.Places(np.ravel_multi_index(index, array.shape))))
    along = index if type(index) is ndarray else [k for k in index if type(k) is ndarray][0]
    return noted(_TAKEN, p, (aval_of(array), along, axis))
