"""Tensors from data and from nothing: `tensor`, `zeros`, `arange` and related functions."""

import functools
import inspect
import operator

import numpy as np

from ..dispatch.layouts import uninitialised
from ..dispatch.out_argument import PLAIN, write_out
from ..dispatch.signatures import Looked, check, signed
from ..modes.modes import MODES
from ..state.levels import BatchTrace, GradTrace, concrete
from ..state.meta import META, is_meta, meta_tensor, on_device, on_meta
from ..state.python_data import filling
from ..state.recorder import traced
from ..types import dtypes
from ..types.arrays import ARRAYS, cupy
from ..types.devices import CUDA, checked, moved
from ..types.memory_formats import empty_in_format, preserves
from ..types.size import Size, strided
from ..types.tensor_type import FOREIGN, Tensor, TensorBase, at_level, bottom, infer, shape_dtype, wrap
from ..values.core_values import inside, lower

# Placement of the tensors of factories: the given `device`, or the default in force.


def to_meta(device):
    """Tell whether a factory that was given a device, or none, makes a tensor of device "meta"."""
    if device is None:
        m = MODES.get()
        device = None if m is None else m.device
    return on_meta(device)


def library_for(device, kind):
    """The array library of a factory for a device, or for the default: NumPy, or CuPy; None for device "meta"."""
    if device is None:
        m = MODES.get()
        device = None if m is None else m.device
        if device is None:
            return np
    place = checked(device).type
    return None if place == "meta" else np if place == "cpu" or kind.kind == "V" else cupy()


def place_beside(t):
    """The device of a tensor, for a factory that makes another one beside it; None where that is the default anyway."""
    m = MODES.get()
    return None if type(t.value) is np.ndarray and (m is None or m.device is None) else t.device


def new_leaf(array, requires_grad=False, device=None):
    """A new leaf over an array."""
    m = MODES.get()
    if device is not None or m is not None and m.device is not None:
        place = checked(m.device if device is None else device)
        if place.type == "meta":
            return meta_tensor(array.shape, array.dtype, requires_grad)
        array = moved(array, place)
    t = wrap(array)
    if m is not None:
        if m.inference:
            infer(t)
        if m.level is not None or m.foreign is not None:
            t = inside(t, m)  # a tensor that values of the running transforms may be written to
    if requires_grad:
        if array.dtype.kind not in "fcV":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        if isinstance(t.level_trace, GradTrace):
            t.wants_grad = True  # a leaf of the level
        elif t.level_trace is None:
            t.requires_grad_()
    return t


def with_out(make, target=PLAIN):
    """A factory that looks at its arguments first, and that writes its numbers to `out=` where that is given, in the
    dtype of `out` unless one is named. Its `make` takes the arguments as they are."""
    name = make.__name__.rstrip("_")
    row, span, asks_dtype = Looked(name), f"aten::{name}", "dtype" in make.__kwdefaults__

    @functools.wraps(make)
    def made_or_written(*args, **named):
        args, named, way = check(row, args, named)
        if not named:
            return traced(span, make, args, named)
        if named.pop("pin_memory", None):
            raise RuntimeError(f"{name}(pin_memory=True): no memory here is shared with a device; leave pin_memory out")
        if "layout" in named:
            check_layout(name, named["layout"])
        out = named.pop("out", None)
        if out is None:
            return traced(span, make, args, named)
        if asks_dtype and named.get("dtype") is None:
            named["dtype"] = out.dtype
        return write_out(name, out, lower(make(*args, **named)), [v for v in args if isinstance(v, TensorBase)],
                         target, way)

    made_or_written.signed, made_or_written.make = True, make
    return made_or_written


def sized(make, plain, stream=None):
    """`with_out(make)` for a `make` of a size: where no mode but `no_grad` or `inference_mode` is in force, and no more
    than a dtype and `requires_grad` are named, `plain(size, kind)` gives the array at once; `plain(size, kind, r)`
    where a generator is named as well, whose `stream` that is: a function that gives None of anything else."""
    general = with_out(make)

    def usual(named):
        return all(type(v) is dtypes.dtype if k == "dtype" else type(v) is bool if k == "requires_grad" else
                   k == "generator" and stream is not None and stream(v) is not None for k, v in named.items())

    @functools.wraps(general)
    def made_at_once(*size, **named):
        kind = dtypes.Default.float if not named else named.get("dtype") if len(named) == 1 else None
        if ((m := MODES.get()) is None or m.still) and (type(kind) is dtypes.dtype or usual(named)):
            wanted = size[0] if len(size) == 1 and type(size[0]) in _SIZES else size
            for n in wanted:
                if type(n) is not int or n < 0:
                    break
            else:
                if size and type(kind) is dtypes.dtype:
                    array = plain(tuple(wanted), kind.numpy)
                    return wrap(array) if m is None else new_leaf(array)
                if size:
                    more = [stream(v) for k, v in named.items() if k == "generator"]
                    array = plain(tuple(wanted), named.get("dtype", dtypes.Default.float).numpy, *more)
                    return new_leaf(array, named.get("requires_grad", False))
        return general(*size, **named)

    return made_at_once


def at_once(make, plain):
    """`make`; in the modes of `sized`, where nothing is named, by what `plain(*args)` gives, if that is something."""
    @functools.wraps(make)
    def made(*args, **named):
        if not named and ((m := MODES.get()) is None or m.still) and (array := plain(*args)) is not None:
            return wrap(array) if m is None else new_leaf(array)
        return make(*args, **named)

    return made


def plain_size(size):
    """The tuple of a sequence of sizes; None for what factories look at."""
    if type(size) not in _SIZES:
        return None
    for n in size:
        if type(n) is not int or n < 0:
            return None
    return tuple(size)


_SIZES = frozenset((tuple, list, Size))


def check_layout(name, layout):
    """Refuse layouts other than strided."""
    if layout is not None and layout is not strided:
        raise NotImplementedError(f"{name}(layout={layout}) is not supported: it makes dense tensors; use "
                                  "torch.sparse_coo_tensor(size) for a sparse one without entries")


def size_argument(size, name=None):
    """`(2, 3)` of `f(2, 3)` or `f((2, 3))`; `name` is that of the function where its message shows it."""
    if len(size) == 1 and isinstance(size[0], list | tuple | range | np.ndarray):
        size = tuple(size[0])
    for n in size:
        if type(n) is not int or n < 0:
            break
    else:
        return size
    for place, n in enumerate(size):
        if isinstance(n, bool) or not isinstance(n, int | np.integer) and not hasattr(n, "__index__"):
            raise TypeError("argument 'size' (position 1) must be tuple of ints, but found element of type "
                            f"{type(n).__name__} at pos {place}")
    size = tuple([operator.index(n) for n in size])
    for n in size:
        if n < 0:
            raise RuntimeError(f"{name}: Dimension size must be non-negative." if name else
                               f"Trying to create tensor with negative dimension {n}: {list(size)}")
    return size


def numpy_dtype(dtype):
    """NumPy's dtype of a torch dtype; the default one for None."""
    dtype = dtypes.torch_dtype(dtype)
    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")
    return dtypes.Default.float.numpy if dtype is None else dtype.numpy


@functools.partial(sized, plain=np.zeros)
def zeros(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """A tensor of zeros."""
    size, kind = size_argument(size, "zeros"), numpy_dtype(dtype)
    xp = library_for(device, kind)
    if xp is None:
        return meta_tensor(size, kind, requires_grad)
    return new_leaf(xp.zeros(size, kind), requires_grad, device)


def _ones(size, kind):
    array = np.empty(size, kind)
    array.fill(1)
    return array


@functools.partial(sized, plain=_ones)
def ones(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """A tensor of ones."""
    size, kind = size_argument(size), numpy_dtype(dtype)
    xp = library_for(device, kind)
    if xp is None:
        return meta_tensor(size, kind, requires_grad)
    return new_leaf(xp.ones(size, kind), requires_grad, device)


@functools.partial(sized, plain=np.empty)
def empty(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False,
          memory_format=None):
    """A tensor of what lay in memory."""
    size, kind = size_argument(size), numpy_dtype(dtype)
    xp = library_for(device, kind)
    if xp is None:
        return meta_tensor(size, kind, requires_grad)
    return new_leaf(empty_in_format(size, kind, memory_format, xp), requires_grad, device)


def _filled(*args):
    size = plain_size(args[0]) if len(args) == 2 else None
    if size is None or type(value := args[1]) not in _NUMBERS:
        return None
    kind = dtypes.of_scalar(value).numpy
    array = np.empty(size, kind)
    array.fill(filling(value, kind))
    return array


@functools.partial(at_once, plain=_filled)
@with_out
def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """A tensor of one number."""
    if isinstance(fill_value, TensorBase) and (fill_value.dim() or fill_value.requires_grad):
        raise TypeError("full(): argument 'fill_value' (position 2) must be Number, not Tensor")
    if dtype is None:
        dtype = dtypes.of_scalar(number(fill_value))  # of a tensor the kind alone counts, as in PyTorch
    xp = library_for(device, dtype.numpy)
    if xp is None:
        return meta_tensor(size_argument((size,)), dtype.numpy, requires_grad)
    value = number(fill_value) if isinstance(fill_value, TensorBase) else filling(fill_value, dtype.numpy)
    size = size_argument((size,))
    array = xp.empty(size, dtype.numpy)
    array.fill(value if xp is np else np.asarray(value).item())
    return new_leaf(array, requires_grad, device)


@with_out
def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The identity matrix."""
    for name, k in (("n", n), ("m", m)):
        if k is not None and k < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {k}")
    return new_leaf(np.eye(n, m, dtype=numpy_dtype(dtype)), requires_grad, device)


def scalar_tensor(s, *, dtype=None, layout=None, device=None, requires_grad=False):
    """A 0-d tensor of the default dtype."""
    kind = numpy_dtype(dtype)
    return new_leaf(np.asarray(filling(number(s), kind), kind), requires_grad, device)


def number(value):
    """A number of what stands for one: itself, or the only element of a tensor that no vmap maps."""
    if not isinstance(value, TensorBase):
        return value
    found = concrete(value, "item")
    if getattr(found, "size", 1) != 1:
        raise RuntimeError(f"a Tensor with {found.size} elements cannot be converted to Scalar")
    return found.item() if isinstance(found, np.ndarray) else found


def like(name, make):
    """`zeros_like` of `zeros`: the shape, dtype and strides of a tensor."""

    def made_like(input, *args, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
                  pin_memory=False, **fill_value):
        if fill_value.keys() - {"fill_value"} or fill_value and (args or name != "full_like"):
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(fill_value))}'")
        args = (*args, *fill_value.values())
        shape, kind = shape_dtype(input)
        kind = kind if dtype is None else dtype.numpy
        if is_meta(input) and device is None or on_meta(device):
            return meta_tensor(shape, kind, requires_grad)
        found = bottom(input)
        place = place_beside(input) if device is None and type(found) in ARRAYS else device
        dense = type(found) in ARRAYS and found.shape == shape and found.size and preserves(memory_format) and (
            kind.kind != "V" or type(found) is np.ndarray)
        array = uninitialised(shape, kind, [found]) if dense else empty_in_format(
            shape, kind, None if preserves(memory_format) else memory_format, library_for(place, kind) or np)
        fill = make(*args)
        if fill is not None:
            array[...] = filling(fill, kind)
        t = new_leaf(array, requires_grad, place)
        return t if is_meta(input) else batched_like(input, t)

    made_like.__name__ = made_like.__qualname__ = name
    made_like.__doc__ = f"Create a tensor with the shape, dtype and layout of `input`: `{name}`."

    @signed(name)
    @functools.wraps(made_like)
    def made_in_span(*args, **named):
        return traced(f"aten::{name}", made_like, args, named)

    fills = inspect.signature(make).parameters

    @functools.wraps(made_in_span)
    def made_at_once(*args, **named):
        if not named and len(args) == 1 + len(fills) and type(t := args[0]) is Tensor and (
                type(x := t.value) is np.ndarray and x.flags.c_contiguous and x.dtype.kind != "V") and (
                (m := MODES.get()) is None or m.still) and (not fills or type(args[1]) in _NUMBERS):
            array, fill = np.empty(x.shape, x.dtype), make(*args[1:])
            if fill is not None:
                array.fill(filling(fill, x.dtype) if fills else fill)
            return new_leaf(array)
        return made_in_span(*args, **named)

    return made_at_once


_NUMBERS = frozenset((bool, int, float))


def batched_like(input, t):
    """Under vmap, one for each example, so that batched values may be written to it; in a transform of covector's own,
    a value of it."""
    levels = []
    while isinstance(input.value, TensorBase):
        if not input.level_trace.done:
            levels.append(input.level_trace)
        input = input.value
    maps = [trace for trace in reversed(levels) if isinstance(trace, BatchTrace)]
    if not maps and input.level_trace is not FOREIGN:
        return t
    while isinstance(t.value, TensorBase):
        if t.level_trace not in levels:
            levels.append(t.level_trace)
        t = t.value
    rows = t.value
    if maps:
        rows = np.broadcast_to(rows, (*[trace.size for trace in maps], *rows.shape)).copy()
    rows = at_level(FOREIGN, rows) if FOREIGN in (input.level_trace, t.level_trace) else wrap(rows)
    for trace in sorted(levels, key=lambda trace: trace.level):
        rows = at_level(trace, rows)
    return rows


zeros_like = like("zeros_like", lambda: 0)
ones_like = like("ones_like", lambda: 1)
empty_like = like("empty_like", lambda: None)
full_like = like("full_like", lambda fill_value: number(fill_value))


def in_places(name, args, named):
    """The arguments of `new_…`, those in their places too that were given by name."""
    first = "data" if name == "tensor" else "size"
    if first in named:
        args = (named.pop(first), *args)
    if name == "full" and "fill_value" in named:
        args = (*args, named.pop("fill_value"))
    if named:
        raise TypeError(f"new_{name}() got an unexpected keyword argument '{next(iter(named))}'")
    return args


def new_method(make):
    """`t.new_zeros(…)` of `zeros`; under vmap one for each example, but for `new_tensor`."""

    def method(self, *args, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False, **named):
        if device is None and type(self.value) is not np.ndarray:
            device = META if is_meta(self) else CUDA if on_device(self) else None
        if named:
            args = in_places(make.__name__, args, named)
        if make.__name__ == "zeros":
            args = (size_argument(args),)  # whose message says less
        asked = {"device": device} if device is not None else {}
        if requires_grad:
            asked["requires_grad"] = requires_grad
        t = make(*args, dtype=dtype or self.dtype, **asked)
        return t if is_meta(t) or is_meta(self) or make.__name__ == "tensor" else batched_like(self, t)

    method.__doc__ = "A new tensor of this one's dtype."
    return method


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """Create an uninitialized tensor with the given strides."""
    size, stride = size_argument((size,)), tuple([int(n) for n in stride])
    if len(size) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides "
                           f"({len(stride)})")
    if any(n < 0 for n in stride):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    kind = numpy_dtype(dtype)
    extent = 1 + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else 0
    memory = np.empty(extent, kind)
    array = np.ndarray(size, kind, memory, 0, [s * kind.itemsize for s in stride]) if extent else np.empty(size, kind)
    return new_leaf(array, requires_grad, device)


def is_tensor(obj):
    """Tell whether an object is a tensor."""
    return isinstance(obj, TensorBase)


def result_type(a, b):
    """The dtype that an operation of both would have."""
    dimmed, zero, numbers = [], [], []
    for v in (a, b):
        if isinstance(v, TensorBase):
            (dimmed if v.ndim else zero).append(v.dtype)
        else:
            numbers.append(v)
    return dtypes.promoted(dimmed, zero, numbers)
