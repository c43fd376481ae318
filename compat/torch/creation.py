"""Tensors from data and from nothing: `tensor`, `zeros`, `arange` and their kin."""

import numpy as np

from . import dtypes
from .modes import MODES
from .size import device as Device
from .state import TensorBase, at_level, bottom, more, wrap
from .tensor import FACTORY


def made(array, requires_grad=False, device=None):
    """A new leaf over an array."""
    check_device(device)
    t = wrap(array)
    m = MODES.get()
    if m is not None:
        if m.inference:
            more(t).inference = True
            t.slow = 2
        if m.level is not None:
            return at_level(m.level, t)  # a tensor that values of the running transform may be written to
    if requires_grad:
        if array.dtype.kind not in "fcV":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.requires_grad_()
    return t


def check_device(device):
    """Only the CPU, or CUDA where CuPy runs."""
    if device is not None and Device(device).type != "cpu":
        raise RuntimeError(f"device {str(Device(device))!r} was asked for, but tensors of covector.compat.torch live on "
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


def zeros(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of zeros."""
    return made(np.zeros(size_argument(size), numpy_dtype(dtype)), requires_grad, device)


def ones(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of ones."""
    return made(np.ones(size_argument(size), numpy_dtype(dtype)), requires_grad, device)


def empty(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
          memory_format=None):
    """A tensor of what lay in memory."""
    return made(np.empty(size_argument(size), numpy_dtype(dtype)), requires_grad, device)


def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """A tensor of one number."""
    if dtype is None:
        dtype = dtypes.of_scalar(fill_value) if not isinstance(fill_value, TensorBase) else fill_value.dtype
    value = bottom(fill_value) if isinstance(fill_value, TensorBase) else fill_value
    return made(np.full(size_argument((size,)), value, dtype.numpy), requires_grad, device)


def from_numpy(ndarray):
    """A tensor that shares memory with a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtypes.of_numpy(ndarray.dtype)
    if any(s < 0 for s in ndarray.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative strides are "
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
