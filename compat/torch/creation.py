"""Tensors from data and from nothing: `tensor`, `zeros`, `arange` and their kin."""

import functools

import numpy as np

from . import dtypes
from .call import write_out
from .levels import FOREIGN, BatchTrace
from .modes import MODES
from .recorder import traced
from .size import device as Device
from .state import CLASS, TensorBase, at_level, bottom, inside, lower, more, wrap
from .tensor import FACTORY
from .views import shape_dtype


def made(array, requires_grad=False, device=None):
    """A new leaf over an array."""
    check_device(device)
    t = wrap(array)
    m = MODES.get()
    if m is not None:
        if m.inference:
            more(t).inference = True
            t.slow = 2
        if m.level is not None or m.foreign is not None:
            return inside(t, m)  # a tensor that values of the running transforms may be written to
    if requires_grad:
        if array.dtype.kind not in "fcV":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.requires_grad_()
    return t


def check_device(device):
    """Only the CPU, or CUDA where CuPy runs."""
    if device is not None and Device(device).type != "cpu":
        raise RuntimeError(f"device {str(Device(device))!r} was asked for, but tensors of covector.compat.torch live "
                           "on "
                           "the CPU in this version; use device='cpu', or covector's own transforms on CuPy arrays")


def inferred_dtype(data):
    """The dtype of nested numbers."""
    array = np.asarray(data)
    if array.dtype.kind == "f":
        return array, dtypes.Default.float.numpy if not isinstance(data, np.ndarray | np.generic) else array.dtype
    if array.dtype.kind == "c":
        return array, (dtypes.default_complex().numpy if not isinstance(data, np.ndarray | np.generic) else array.dtype)
    if array.dtype.kind in "biu":
        return array, array.dtype
    raise TypeError(f"new(): invalid data type '{type(data).__name__}'" if not isinstance(data, list | tuple) else
                    "not a sequence of numbers")


def plain(data):
    """Nested data with tensors as arrays."""
    if isinstance(data, TensorBase):
        return np.asarray(bottom(data))
    if isinstance(data, list | tuple):
        return [plain(v) for v in data]
    return data


def has_numpy_or_tensor(data):
    """Whether the first element of nested data has a dtype of its own."""
    while isinstance(data, list | tuple) and len(data):
        data = data[0]
    return isinstance(data, np.ndarray | np.generic | TensorBase)


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor with a copy of `data`.

    Args:
        data: numbers, nested lists of them, an array or a tensor.
        dtype: by default that of the data; Python floats become the default dtype.
        requires_grad: make it a leaf that asks for gradients.

    >>> import covector.compat.torch as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    if isinstance(data, TensorBase):
        found = bottom(data)
        array = np.array(found, dtype=None if dtype is None else dtype.numpy, order="C")
    elif isinstance(data, list | tuple) and has_numpy_or_tensor(data):
        array = np.array(plain(data), dtype=None if dtype is None else dtype.numpy)
    else:
        try:
            array, found = inferred_dtype(data)
        except ValueError as error:
            raise ValueError(f"expected sequence of equal length at every axis, but got {data!r}") from error
        array = np.array(array, dtype=found if dtype is None else dtype.numpy, order="C")
    dtypes.of_numpy(array.dtype)
    return made(array, requires_grad, device)


def with_out(make):
    """A factory that writes its numbers to `out=` where that is given, in the dtype of `out` unless one is named."""

    @functools.wraps(make)
    def made_or_written(*args, out=None, **named):
        if out is None:
            return traced(f"aten::{make.__name__.rstrip('_')}", make, args, named)
        if "dtype" in make.__kwdefaults__ and named.get("dtype") is None:
            named["dtype"] = out.dtype
        return write_out(make.__name__.rstrip("_"), out, lower(make(*args, **named)), [])

    return made_or_written


def size_argument(size):
    """`(2, 3)` of `f(2, 3)` or `f((2, 3))`."""
    if len(size) == 1 and not isinstance(size[0], int | np.integer):
        size = tuple(size[0])
    size = tuple([int(n) for n in size])
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    return size


def numpy_dtype(dtype):
    """NumPy's dtype of a torch dtype; the default one for None."""
    return dtypes.Default.float.numpy if dtype is None else dtype.numpy


@with_out
def zeros(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of zeros."""
    return made(np.zeros(size_argument(size), numpy_dtype(dtype)), requires_grad, device)


@with_out
def ones(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of ones."""
    return made(np.ones(size_argument(size), numpy_dtype(dtype)), requires_grad, device)


@with_out
def empty(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
          memory_format=None):
    """A tensor of what lay in memory."""
    return made(np.empty(size_argument(size), numpy_dtype(dtype)), requires_grad, device)


@with_out
def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """A tensor of one number."""
    if dtype is None:
        dtype = dtypes.of_scalar(fill_value) if not isinstance(fill_value, TensorBase) else fill_value.dtype
    value = bottom(fill_value) if isinstance(fill_value, TensorBase) else fill_value
    return made(np.full(size_argument((size,)), value, dtype.numpy), requires_grad, device)


@with_out
def arange(*args, out=None, dtype=None, layout=None, device=None, requires_grad=False, start=0, end=None, step=1):
    """Numbers from `start` to below `end`; see PyTorch's documentation of `torch.arange`."""
    if len(args) == 1:
        end = args[0]
    elif len(args) > 1:
        start, end, *rest = args
        step = rest[0] if rest else step
    start, end, step = (v.item() if isinstance(v, TensorBase) else v for v in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        whole = all(isinstance(v, int | np.integer) for v in (start, end, step))
        dtype = dtypes.int64 if whole else dtypes.Default.float
    count = int(np.ceil((end - start) / step))
    wide = np.int64 if dtype.category <= 1 else np.float64
    return made((start + np.arange(count, dtype=wide) * step).astype(dtype.numpy), requires_grad, device)


@with_out
def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """`steps` numbers from `start` to `end`."""
    start, end = (v.item() if isinstance(v, TensorBase) else v for v in (start, end))
    return made(np.linspace(start, end, steps).astype(numpy_dtype(dtype)), requires_grad, device)


@with_out
def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """`steps` numbers from `base ** start` to `base ** end`."""
    return made(np.logspace(start, end, steps, base=base).astype(numpy_dtype(dtype)), requires_grad, device)


@with_out
def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The identity matrix."""
    return made(np.eye(n, m, dtype=numpy_dtype(dtype)), requires_grad, device)


def scalar_tensor(s, *, dtype=None, layout=None, device=None, requires_grad=False):
    """A 0-d tensor of the default dtype."""
    return made(np.asarray(s, numpy_dtype(dtype)), requires_grad, device)


def like(name, make):
    """`zeros_like` of `zeros`: the shape, dtype and strides of a tensor."""

    def made_like(input, *args, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
        shape, kind = shape_dtype(input)
        kind = kind if dtype is None else dtype.numpy
        found = bottom(input)
        dense = isinstance(found, np.ndarray) and found.shape == shape and memory_format is None
        array = np.empty_like(found, dtype=kind) if dense and found.size else np.empty(shape, kind)
        if any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape)):
            array = np.empty(shape, kind)
        fill = make(*args)
        if fill is not None:
            array[...] = fill
        t = made(array, requires_grad, device)
        return batched_like(input, t)

    made_like.__name__ = made_like.__qualname__ = name
    made_like.__doc__ = f"See PyTorch's documentation of `torch.{name}`."

    @functools.wraps(made_like)
    def made_in_span(*args, **named):
        return traced(f"aten::{name}", made_like, args, named)

    return made_in_span


def batched_like(input, t):
    """Under vmap, one for each example, so that batched values may be written to it; in a transform of covector's own,
    a value of it."""
    levels = []
    while isinstance(input.value, TensorBase):
        if not input.trace.done:
            levels.append(input.trace)
        input = input.value
    maps = [trace for trace in reversed(levels) if isinstance(trace, BatchTrace)]
    if not maps and input.trace is not FOREIGN:
        return t
    while isinstance(t.value, TensorBase):
        if t.trace not in levels:
            levels.append(t.trace)
        t = t.value
    rows = t.value
    if maps:
        rows = np.broadcast_to(rows, (*[trace.size for trace in maps], *rows.shape)).copy()
    rows = at_level(FOREIGN, rows) if FOREIGN in (input.trace, t.trace) else wrap(rows)
    for trace in sorted(levels, key=lambda trace: trace.level):
        rows = at_level(trace, rows)
    return rows


zeros_like = like("zeros_like", lambda: 0)
ones_like = like("ones_like", lambda: 1)
empty_like = like("empty_like", lambda: None)
full_like = like("full_like", lambda fill: bottom(fill) if isinstance(fill, TensorBase) else fill)


def new_method(make):
    """`t.new_zeros(…)` of `zeros`; under vmap one for each example, but for `new_tensor`."""

    def method(self, *args, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
        t = make(*args, dtype=dtype or self.dtype, requires_grad=requires_grad, device=device)
        return t if make is tensor else batched_like(self, t)

    method.__doc__ = "A new tensor of this one's dtype."
    return method


def as_tensor(data, dtype=None, device=None):
    """A tensor over `data`, sharing its memory where possible."""
    check_device(device)
    if isinstance(data, TensorBase):
        return data if dtype is None or dtype is data.dtype else data.to(dtype)
    if isinstance(data, np.ndarray) and data.dtype in dtypes.OF_NUMPY and (dtype is None or dtype.numpy == data.dtype) \
            and not any(s < 0 for s in data.strides):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """A tensor over `obj`; see PyTorch's documentation of `torch.asarray`."""
    t = tensor(obj, dtype=dtype) if copy else as_tensor(obj, dtype)
    return t.detach().requires_grad_() if requires_grad else t


@with_out
def complex_(real, imag, *, out=None):
    """A complex tensor from its parts; see PyTorch's documentation of `torch.complex`."""
    return real + imag * 1j


def is_tensor(obj):
    """Whether an object is a tensor."""
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


class finfo:  # noqa: N801 (torch's name)
    """The limits of a floating dtype."""

    def __init__(self, dtype=None):
        dtype = dtypes.Default.float if dtype is None else dtype
        info = np.finfo(dtype.numpy)
        self.bits, self.dtype = info.bits, dtype.name
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.tiny)
        self.resolution = float(info.resolution)


class iinfo:  # noqa: N801 (torch's name)
    """The limits of an integer dtype."""

    def __init__(self, dtype):
        info = np.iinfo(dtype.numpy)
        self.bits, self.max, self.min, self.dtype = info.bits, int(info.max), int(info.min), dtype.name


def typed(dtype):
    """A legacy constructor: `FloatTensor`."""

    def make(*args):
        if len(args) == 1 and not isinstance(args[0], int | np.integer):
            return tensor(args[0] if not isinstance(args[0], TensorBase) else args[0].detach(), dtype=dtype)
        return made(np.empty(size_argument(args) if args else (0,), dtype.numpy))

    make.__doc__ = f"A tensor of {dtype}."
    return make


LEGACY = {name + "Tensor": typed(d) for name, d in {
    "Float": dtypes.float32, "Double": dtypes.float64, "Half": dtypes.float16, "Long": dtypes.int64,
    "Int": dtypes.int32,
    "Short": dtypes.int16, "Char": dtypes.int8, "Byte": dtypes.uint8, "Bool": dtypes.bool_}.items()}
for _name, _make in {"zeros": zeros, "ones": ones, "empty": empty, "full": full, "tensor": tensor}.items():
    setattr(CLASS[0], f"new_{_name}", new_method(_make))


def from_numpy(ndarray):
    """A tensor that shares memory with a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtypes.of_numpy(ndarray.dtype)
    if any(s < 0 for s in ndarray.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative "
                         "strides are "
                         "not currently supported. (You can probably work around this by making a copy of your array "
                         " with array.copy().) ")
    return wrap(ndarray.view())


def new_tensor(cls, *args, dtype=None, device=None):
    """`Tensor(2, 3)`, `Tensor([…])`, `Tensor()`."""
    default = dtypes.Default.float.numpy
    if not args:
        return wrap(np.empty(0, default), cls)
    if len(args) == 1 and isinstance(args[0], TensorBase):
        return wrap(bottom(args[0]), cls)
    if len(args) == 1 and not isinstance(args[0], int | np.integer):
        return wrap(np.array(plain(args[0]), default), cls)
    return wrap(np.empty(size_argument(args), default), cls)


FACTORY.append(new_tensor)
