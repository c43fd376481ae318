"""Tensors from data: `tensor`, `as_tensor`, `from_numpy`, and the legacy constructors."""

import warnings

import numpy as np

from ..modes.warnings import first
from ..state.levels import mapped
from ..state.meta import on_meta
from ..state.python_data import array_of, check_array, warn_imaginary
from ..types import dtypes
from ..types.arrays import ARRAYS, cupy
from ..types.dtypes import type_word
from ..types.size import Size
from ..types.tensor_type import Tensor, TensorBase, bottom, wrap
from .creation import (
    batched_like,
    empty,
    empty_strided,
    full,
    new_leaf,
    new_method,
    ones,
    size_argument,
    zeros,
)


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """Create a tensor with a copy of `data`.

    Args:
        data: numbers, nested lists of them, an array or a tensor.
        dtype: by default that of the data; Python floats become the default dtype.
        requires_grad: make it a leaf that requires a gradient.

    >>> import covector.compat.torch as torch
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    dtype = dtypes.torch_dtype(dtype)
    if isinstance(data, TensorBase):
        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
                      UserWarning, stacklevel=2)
        if mapped(data):
            t = data.detach().clone()
            t = t if dtype is None else t.to(dtype)
            return t.requires_grad_() if requires_grad else t
    return new_leaf(copied(data, dtype), requires_grad, device)


def copied(data, dtype=None):
    """A fresh array of what `tensor` takes."""
    if isinstance(data, TensorBase):
        found = bottom(data)
        if dtype is not None and dtype.category < 3 and found.dtype.kind == "c":
            warn_imaginary()
            found = found.real
        return found.astype(found.dtype if dtype is None else dtype.numpy, order="C", copy=True)
    return array_of(data, dtype)


def as_tensor(data, dtype=None, device=None):
    """Create a tensor from `data`, sharing its memory if possible."""
    if on_meta(device):
        return tensor(data, dtype=dtype, device=device) if not isinstance(data, TensorBase) else data.to(device, dtype)
    dtype = dtypes.torch_dtype(dtype)
    if isinstance(data, TensorBase):
        return data.to(device, dtype)
    if type(data) not in ARRAYS and hasattr(data, "__cuda_array_interface__") and cupy() is not None:
        data = cupy().asarray(data)
    if isinstance(data, tuple(ARRAYS)) and (dtype is None or dtype.numpy == data.dtype):
        t = from_numpy(data) if isinstance(data, np.ndarray) else wrap(data.view())
        return t if device is None else t.to(device)
    return tensor(data, dtype=dtype, device=device)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None):
    """Convert `obj` to a tensor, sharing its memory if possible."""
    dtype = dtypes.torch_dtype(dtype)
    if isinstance(obj, TensorBase):
        obj = obj if device is None else obj.to(device)
        if requires_grad is None and obj.requires_grad:
            warnings.warn("torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of "
                          "False. Pass requires_grad=False explicitly to get the old behavior.", UserWarning,
                          stacklevel=2)
        wanted = obj.requires_grad if requires_grad is None else requires_grad
        if dtype is not None and dtype is not obj.dtype:
            if copy is False:
                raise ValueError(f"can't alias tensor with dtype '{type_word(obj.dtype.numpy)}' into dtype "
                                 f"'{type_word(dtype.numpy)}'.")
            t = obj.to(dtype)
        else:
            t = obj.clone() if copy else obj
        if not wanted and t.requires_grad:
            return t.requires_grad_(False) if t.is_leaf else t.detach()
        return t.requires_grad_() if wanted and not t.requires_grad else t
    if isinstance(obj, bytes | bytearray | memoryview) and not isinstance(obj, np.ndarray):
        t = frombuffer(obj, dtype=dtype or dtypes.Default.float)
        t = t.clone() if copy else t
    elif isinstance(obj, np.ndarray | np.generic):
        array = np.asarray(obj)
        same = dtype is None or dtype.numpy == array.dtype
        if copy is False and not same:
            raise ValueError(f"can't alias tensor with dtype '{type_word(array.dtype)}' into dtype "
                             f"'{type_word(dtype.numpy)}'.")
        t = from_numpy(array) if same and not copy else tensor(array, dtype=dtype)
    elif hasattr(obj, "untyped"):  # a storage: its bytes
        array = obj.untyped().bytes().view((dtype or dtypes.Default.float).numpy)
        t = new_leaf(array.copy() if copy else array)
    else:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        t = tensor(obj, dtype=dtype)
    t = t if device is None else t.to(device)
    return t.requires_grad_() if requires_grad else t


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """Create a tensor on the memory of an object with the buffer protocol."""
    dtype = dtypes.torch_dtype(dtype)
    size = memoryview(buffer).nbytes
    item = dtype.itemsize
    if not size or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} "
                         "bytes) minus 1")
    if count < 0 and (size - offset) % item:
        raise ValueError(f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of "
                         f"element size ({item})")
    if count > 0 and offset + count * item > size:
        raise ValueError(f"requested buffer length ({count} * {item} bytes) after offset ({offset} bytes) must not be "
                         f"greater than actual buffer length ({size} bytes)")
    array = np.frombuffer(buffer, dtype.numpy, count, offset)
    if not array.flags.writeable:
        warnings.warn("The given buffer is not writable, and PyTorch does not support non-writable tensors. This means "
                      "you can write to the underlying (supposedly non-writable) buffer using the tensor. You may want "
                      "to copy the buffer to protect its data or make it writable before converting it to a tensor. "
                      "This type of warning will be suppressed for the rest of this program.", UserWarning,
                      stacklevel=2)
    return new_leaf(array, requires_grad)


class Typed(type):
    """The class of `FloatTensor` and the like: a constructor of tensors of one dtype, which are its instances."""

    def __call__(cls, *args):
        if len(args) == 1 and isinstance(args[0], TensorBase):
            return args[0].to(cls.dtype)
        return new_leaf(legacy(args, cls.dtype))

    def __instancecheck__(cls, other):
        return isinstance(other, TensorBase) and other.dtype is cls.dtype and not other.other_layout


def typed(name, dtype):
    """A legacy constructor: `FloatTensor`."""
    module = __name__.partition("._impl")[0]
    return Typed(name, (), {"__doc__": f"A tensor of {dtype}.", "__module__": module, "dtype": dtype})


def legacy(args, dtype):
    """The array of a legacy constructor: `Tensor(2, 3)`, `Tensor([…])`, `Tensor()`."""
    if len(args) == 1 and not isinstance(args[0], int | np.integer):
        if isinstance(args[0], Size):
            return np.empty(args[0], dtype.numpy)
        if not isinstance(args[0], list | tuple | np.ndarray | range):
            raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")
        return array_of(args[0], dtype)
    return np.empty(size_argument(args) if args else (0,), dtype.numpy)


def new(self, *args):
    """Create a tensor of the same dtype, from sizes or data."""
    if len(args) == 1 and isinstance(args[0], TensorBase):
        return wrap(bottom(args[0])) if args[0].level_trace is None else args[0].detach()
    return wrap(legacy(args, self.dtype))


def new_empty_strided(self, size, stride, dtype=None, **named):
    """Create an uninitialized tensor with the given strides, per example if a vmap maps `self`."""
    return batched_like(self, empty_strided(size, stride, dtype=dtype or self.dtype, **named))


def from_numpy(ndarray):
    """Create a tensor that shares memory with a NumPy array.

    Args:
        ndarray: an array of numbers or booleans; its dtype and shape are those of the tensor.
    Raises:
        TypeError: it is not an array, or of a dtype that tensors do not have.

    >>> import numpy as np
    >>> import covector.compat.torch as torch
    >>> a = np.zeros(2)
    >>> torch.from_numpy(a).add_(1.0)
    tensor([1., 1.], dtype=torch.float64)
    >>> a
    array([1., 1.])
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    check_array(ndarray)
    if not ndarray.flags.writeable and first("read-only memory"):
        warnings.warn("The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This "
                      "means writing to this tensor will result in undefined behavior. You may want to copy the array "
                      "to protect its data or make it writable before converting it to a tensor. This type of warning "
                      "will be suppressed for the rest of this program.", UserWarning, stacklevel=2)
    return wrap(ndarray.view())


def array_wrap(self, array, context=None, return_scalar=False):
    """NumPy's `__array_wrap__`: what its functions make of a tensor is a tensor, truth values are bytes in PyTorch."""
    return from_numpy(np.asarray(array).astype(np.uint8) if array.dtype == np.bool_ else np.asarray(array))


def new_tensor(cls, *args, dtype=None, device=None):
    """`Tensor(2, 3)`, `Tensor([…])`, `Tensor()`."""
    if len(args) == 1 and isinstance(args[0], TensorBase):
        return wrap(bottom(args[0]), cls) if args[0].level_trace is None else args[0].detach()
    return wrap(legacy(args, dtypes.Default.float), cls)


LEGACY = {name + "Tensor": typed(name + "Tensor", d) for name, d in {
    "Float": dtypes.float32, "Double": dtypes.float64, "Half": dtypes.float16, "Long": dtypes.int64,
    "Int": dtypes.int32,
    "Short": dtypes.int16, "Char": dtypes.int8, "Byte": dtypes.uint8, "Bool": dtypes.bool_}.items()}
for _name, _make in {"zeros": zeros, "ones": ones, "empty": empty, "full": full, "tensor": tensor}.items():
    setattr(Tensor, f"new_{_name}", new_method(_make))
Tensor.new, Tensor.new_empty_strided, Tensor.__array_wrap__ = new, new_empty_strided, array_wrap


Tensor.__new__ = staticmethod(new_tensor)
