"""Indexing and assignment in torch's forms: views for basic indices, copies for index tensors."""

import warnings

import numpy as np

from ....._primitives import At
from .....extend import REGISTRY, Tracer
from ..dispatch.call import attach, marked
from ..dispatch.host_ops import filled, is_plain
from ..dispatch.layouts import of_index
from ..dispatch.lowering import lifted, tensors_in
from ..dispatch.overriding import overridden
from ..graph import versions
from ..inplace.fast import assigned_whole, placing, put as put_at_once
from ..inplace.inplace import inplace
from ..inplace.write import writable
from ..modes.inference import check_write
from ..modes.modes import MODES
from ..state.levels import BatchTrace, mapped
from ..state.meta import on_device
from ..types.arrays import ARRAYS, writeable
from ..types.devices import beside
from ..types.dtypes import c_type, type_word
from ..types.size import CPU
from ..types.tensor_type import Tensor, TensorBase, bottom, needs_grad, shape_dtype, wrap
from ..values.core_values import lower
from ..values.tangents import tangent_of
from ..views.array_index import picked, place_of
from ..views.fast import reading
from ..views.overlap import check_own
from ..views.views import GETITEM, view
from .assigned import assigned, class_word, type_name
from .copying import copy_, fill_
from .index_arrays import AT, WHOLE, check_arrays, message, of_places, refused_write
from .unit_axes import expand

# Basic indices: refusals, the form in which they make views, the names of their nodes.


def check_basic(key, shape, alone):
    """torch's errors for a basic index; `alone` says that the index was given without a tuple."""
    used = sum(k is not None and k is not Ellipsis for k in key)
    if used > len(shape):
        if not shape and alone:
            if type(key[0]) is slice:
                raise IndexError("slice() cannot be applied to a 0-dim tensor.")
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
                             "in C++ to convert a 0-dim tensor to a number")
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    axis = 0
    for place, k in enumerate(key):  # torch's messages count places of the index
        if k is Ellipsis:
            axis += len(shape) - used
        elif k is not None:
            if type(k) is int and not -shape[axis] <= k < shape[axis]:
                raise IndexError(f"index {k} is out of bounds for dimension {place} with size {shape[axis]}")
            axis += 1


def useful(index, shape):
    """A basic index without slices that take a whole axis, and with an Ellipsis; torch makes no view for those."""
    used = sum(k is not None and k is not Ellipsis for k in index)
    axis = 0
    out = []
    for k in index:
        if k is Ellipsis:
            axis += len(shape) - used
        elif k is None:
            out.append(k)
            continue
        else:
            if type(k) is slice and (k.start in (None, 0)) and k.step in (None, 1) and (
                    k.stop is None or k.stop >= shape[axis]):
                k = _WHOLE
            axis += 1
        out.append(k)
    if Ellipsis in out:  # whole axes behind it count from the end
        return tuple(out) if any(k is not Ellipsis and k is not _WHOLE for k in out) else (Ellipsis,)
    while out and out[-1] is _WHOLE:
        out.pop()
    return (*out, Ellipsis)


_WHOLE = slice(None)


def node_of(index):
    """torch's name for the node of a basic index."""
    kinds = [k for k in index if k is not Ellipsis and k is not _WHOLE]
    if not kinds:
        return "AliasBackward0"
    last = kinds[-1]
    return ("SelectBackward0" if type(last) is int else "UnsqueezeBackward0" if last is None else "SliceBackward0")


ndarray = np.ndarray


def normal(key):
    """`(basic, key)`: an index with tensors as core values; lists count as index arrays, as in torch."""
    items = key if type(key) is tuple else (key,)
    basic = True
    out = []
    for k in items:
        if type(k) is int or type(k) is slice or k is None or k is Ellipsis:
            out.append(k if type(k) is not slice else plain_slice(k))
            continue
        if isinstance(k, TensorBase):
            shape, dtype = shape_dtype(k)
            if dtype.kind == "i" and not shape and type(bottom(k)) in ARRAYS and k.level_trace is None:
                out.append(int(k.value))  # a 0-d integer tensor counts as an int: a view
                continue
            basic = False
            out.append(of_places(concrete(k)))
        elif isinstance(k, bool | np.bool_):
            basic = False
            out.append(np.asarray(bool(k)))
        elif isinstance(k, np.integer):
            out.append(int(k))
        elif isinstance(k, list | tuple | range | ndarray):
            basic = False
            k = [lower(v) if isinstance(v, TensorBase) else v for v in k] if not isinstance(k, ndarray) else k
            array = np.asarray(k)
            if array.dtype.kind not in "biu":
                if array.size:
                    raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
                array = array.astype(np.int64)
            out.append(array if array.dtype != np.uint8 or type(k) is not ndarray else array.astype(bool))
        elif is_plain(k):
            basic = False
            out.append(k)
        elif hasattr(k, "__index__"):
            out.append(k.__index__())
        else:
            if isinstance(k, str | bytes):
                raise TypeError(f"new(): invalid data type '{type(k).__name__}'")
            raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
                             f"valid indices (got {type(k).__name__})")
    return basic, tuple(out)


def concrete(k):
    """An index tensor as an array, where no running vmap maps it: integers carry no derivatives."""
    t = k
    while isinstance(t.value, TensorBase):
        if isinstance(t.level_trace, BatchTrace) and not t.level_trace.done:
            return lower(k)
        t = t.value
    return t.value if type(t.value) in ARRAYS else lower(k)


def plain_slice(s):
    """A slice with ints; torch has no negative steps."""
    if s.step is None and (s.start is None or type(s.start) is int) and (s.stop is None or type(s.stop) is int):
        return s
    for v in (s.start, s.stop, s.step):
        if v is not None and not isinstance(v, TensorBase) and not hasattr(v, "__index__"):
            raise TypeError("slice indices must be integers or None or have an __index__ method, not "
                            f"{type(v).__name__}")
    if s.step is not None and int(s.step) <= 0:
        raise ValueError("step must be greater than zero")
    start, stop, step = (None if v is None else int(v) for v in (s.start, s.stop, s.step))
    return slice(start, stop, step)


def check_places(t, index):
    """Refuse index arrays on a GPU for a tensor on the CPU; the other way round they are moved."""
    if any(type(k) in ARRAYS and type(k) is not ndarray for k in index) and not on_device(t):
        raise RuntimeError(f"indices should be either on {CPU} or on the same device as the indexed tensor ({CPU})")


def getitem(self, key):
    """`tensor[key]`: a view for integers, slices, None and ...; a copy for index tensors and masks."""
    if type(key) is Tensor and (place := place_of(key)) is not None:
        return getitem(self, place)
    if type(key) is Tensor or type(key) is tuple:
        found = picked(self, key)
        if found is not None:
            return found
    key = as_tuple(key)
    override = overridden((self, key), None)
    if override is not None:
        return override(getitem, (self, key), {})
    basic, index = normal(key)
    shape = shape_dtype(self)[0]
    if not basic:
        check_masks(key, index, "torch.where(mask, x, 0) instead of x[mask]")
        check_places(self, index)
    if basic:
        check_basic(index, shape, type(key) is not tuple)
        if type(key) is slice:
            index, name = (*index, Ellipsis), "SliceBackward0"
        else:
            index = useful(index, shape)
            name = node_of(index)
        return view(self, GETITEM, (index,), name)
    index = joined(index, len(shape))
    first, rest = numbers_first(index)
    if first is not None:
        return getitem(getitem(self, first), rest)
    v = lower(self)
    check_arrays(index)
    try:
        out = fetched(v, index)
    except IndexError as error:
        raise IndexError(message(error, index, shape)) from error
    read_from = [self, *tensors_in(key if type(key) is tuple else (key,), {})]
    out = in_order(lifted(out, "IndexBackward0", read_from), self, index)
    m = MODES.get()
    if m is not None and m.inference:
        marked(out)
    return out


def check_masks(key, index, instead):
    """torch's refusal of masks that a running vmap maps."""
    if any(isinstance(k, Tracer) and k.dtype == np.bool_ for k in index) and any(
            isinstance(k, TensorBase) and mapped(k) for k in (key if type(key) is tuple else (key,))):
        raise RuntimeError("vmap: We do not support batching operators that can support dynamic shape. Attempting to "
                           f"batch over indexing with a boolean mask; use {instead}")


def joined(index, ndim):
    """An index without an Ellipsis that passes over no axis: it parts index arrays in NumPy, but not in PyTorch."""
    at = next((i for i, k in enumerate(index) if k is Ellipsis), None)
    if at is None:
        return index
    used = sum([k.ndim if hasattr(k, "dtype") and k.dtype == np.bool_ else k is not None for k in index]) - 1
    return index if used < ndim else (*index[:at], *index[at + 1 :])


def numbers_first(index):
    """An index as a basic one with its numbers, and the rest of it; `(None, index)` where one step does the same.

    PyTorch takes numbers out first, so `x[0, :, places]` has the places last. NumPy counts numbers among the index
    arrays, which come first where a slice parts them.
    """
    places = [i for i, k in enumerate(index) if type(k) is int or hasattr(k, "dtype")]
    if places[-1] - places[0] < len(places) or all(type(index[i]) is not int for i in places):
        return None, index
    first = []
    for k in index:
        if type(k) is int or k is Ellipsis:
            first.append(k)
        elif k is not None:
            first += [slice(None)] * (k.ndim if hasattr(k, "dtype") and k.dtype == np.bool_ else 1)
    return tuple(first), tuple([k for k in index if type(k) is not int])


def fetched(x, index):
    """`x[index]`, where an array may be indexed by traced values."""
    if is_plain(x):
        if any(isinstance(k, Tracer) for k in index):
            return At(x)[index].get()
        return (x if type(x) in ARRAYS else np.asarray(x))[tuple([beside(k, x) for k in index])]
    return x[index]


def in_order(out, t, index):
    """Lay out the result of an index with arrays as PyTorch does: NumPy lays out some outputs by their index."""
    if out.level_trace is None and type(t.value) is ndarray and out.value.ndim > 1:
        if not t.value.flags.c_contiguous:
            out.value = of_index(out.value, t.value, index)
        elif not out.value.flags.c_contiguous:
            out.value = np.ascontiguousarray(out.value)
    return out


def as_tuple(key):
    """A key as PyTorch reads it: a list that holds a sequence, a slice, None or ... is a tuple of indices."""
    if type(key) is not list or len(key) >= 32 or not any(
            k is None or k is Ellipsis or isinstance(k, list | tuple | slice | TensorBase) for k in key):
        return key
    warnings.warn("Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                  "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor "
                  "index, x[torch.tensor(seq)], which will result either in an error or a different result",
                  UserWarning, stacklevel=3)
    return tuple(key)


def setitem(self, key, value):
    """`tensor[key] = value`, in memory and on the tape."""
    given = key
    if type(key) is Tensor and (place := place_of(key)) is not None:
        key = place
    if (key is Ellipsis or type(key) is slice and key == WHOLE and self.ndim) and assigned_whole(self, value):
        return
    if type(given) is Tensor and put_at_once(self, key, value):
        return
    if key is False and not isinstance(value, ndarray | list | tuple | str | bytes):
        return  # names nothing, whatever the dtype
    key = (None,) if key is True else as_tuple(key)
    override = overridden((self, key, value), None)
    if override is not None:
        override(setitem, (self, key, value), {})
        return
    basic, index = normal(key)
    if basic:
        shape = shape_dtype(self)[0]
        check_basic(index, shape, type(key) is not tuple)
        m = MODES.get()
        index = useful(index, shape)
        watched = m is not None and (m.level is not None or m.recorder is not None or m.hooks)
        check_write(self)
        if self.level_trace is None and self.node is None and not watched and (
                not isinstance(value, TensorBase)) and not needs_grad(self) and tangent_of(self) is None and (
                type(value) in (int, float, bool)):
            array = self.value
            if type(value) is int or array.dtype != np.float64 and not (
                    array.dtype == np.float32 and -3e38 < value < 3e38):
                value = assigned(value, array.dtype)
            if 0 in array.strides:
                check_own(array[index])
            (array if writeable(array) else writable(array))[index] = beside(value, array)
            versions.bump(array)
            return
        part = view(self, GETITEM, (index,), node_of(index)) if index != (Ellipsis,) else self
        if isinstance(value, ndarray | list | tuple | str | bytes):
            raise TypeError(f"can't assign a {class_word(value)} to a torch.{type_name(self)}")
        if not isinstance(value, TensorBase):
            value = wrap(assigned(value, shape_dtype(self)[1]))
        shape = shape_dtype(part)[0]
        value = trimmed(value, len(shape))
        given = shape_dtype(value)[0]
        if shape and not given:
            fill_(part, value)
        else:
            copy_(part, value if given == shape else expand(value, shape))
        return
    check_masks(key, index, "torch.where(mask, value, x) instead of x[mask] = value")
    check_places(self, index)
    index = joined(index, len(shape_dtype(self)[0]))
    first, rest = numbers_first(index)
    if first is not None:
        setitem(getitem(self, first), rest, value)
        return
    check_arrays(index)
    if isinstance(value, str | bytes):
        raise TypeError(f"can't assign a {class_word(value)} to a torch.{type_name(self)}")
    if isinstance(value, TensorBase):
        value = placeable(self, index, value)
    inplace(self, "index_put_", lambda x, v: put(x, index, v), (value,), node_name="IndexPutBackward0")


def trimmed(value, ndim):
    """A tensor without leading axes of length 1 beyond `ndim`."""
    shape = shape_dtype(value)[0]
    extra = len(shape) - ndim
    if extra > 0 and all(n == 1 for n in shape[:extra]):
        return view(value, GETITEM, ((0,) * extra + (Ellipsis,),), "SliceBackward0")
    return value


def placeable(t, index, value):
    """A tensor for places of another: without leading axes of length 1, and of its dtype, or torch's refusal."""
    shape = shape_dtype(value)[0]
    ones = next((a for a, n in enumerate(shape) if n != 1), len(shape))
    if ones:
        value = view(value, GETITEM, ((0,) * ones + (Ellipsis,),), "SliceBackward0")
    given, wanted = shape_dtype(value)[1], shape_dtype(t)[1]
    if given == wanted:
        return value
    arrays = [v for v in index if not (v is None or v is Ellipsis or type(v) in (int, slice))]
    masked = len(arrays) == 1 and getattr(arrays[0], "dtype", None) == np.bool_ and arrays[0].ndim  # masked_fill
    if ones < len(shape) or not masked:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{type_word(wanted)} for the destination and {type_word(given)} for the source.")
    if given.kind == "c" and wanted.kind not in "bc":
        raise RuntimeError(f"value cannot be converted to type {c_type(wanted)} without overflow: it is complex")
    return value


def put(x, index, value, add=False):
    """`x` with `x[index] = value`."""
    if not hasattr(value, "dtype"):
        value = assigned(value, x.dtype)
    elif value.dtype != x.dtype:
        value = value.astype(x.dtype) if value.ndim or x.dtype.kind in "fV" else filled(value, x.dtype)
    if type(x) in ARRAYS and (type(value) in ARRAYS or isinstance(value, np.generic)) and all(
            not hasattr(k, "dtype") or type(k) in ARRAYS for k in index):
        x = x.copy()
        try:
            x[index] = value
        except (ValueError, TypeError, IndexError) as error:
            raise refused_write(index, x.shape, value.shape) or error from error
        return x
    at = AT(x)[index]
    try:
        out = at.add(value) if add else at.set(value)
    except (ValueError, IndexError) as error:
        raise refused_write(index, tuple(x.shape), tuple(np.shape(value))) or error from error
    return REGISTRY["duplicate"].fun(x) if out is x else out  # no element was meant; a write it is nevertheless


getitem, setitem = reading(getitem), placing(setitem)
attach("__getitem__", getitem)
attach("__setitem__", setitem)
