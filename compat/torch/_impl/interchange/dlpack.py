"""DLPack: tensors exchanged with other libraries without a copy."""

import numpy as np

from ..dispatch.call import attach
from ..factories.from_data import from_numpy
from ..state.concrete import concrete
from ..types.dtypes import bfloat16
from ..types.tensor_type import TensorBase, needs_grad

CPU = (1, 0)  # kDLCPU


def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):  # noqa: N807
    """Return a DLPack capsule of the memory."""
    if needs_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self.dtype is bfloat16:
        raise BufferError("NumPy exports no bfloat16; cast the tensor to float32 first")
    array = concrete(self, "__dlpack__")
    return array.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)


def __dlpack_device__(self):  # noqa: N807
    """Where the memory lies: the CPU."""
    return CPU


class Capsule:
    """A capsule as an object that NumPy takes."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **named):
        return self.capsule

    def __dlpack_device__(self):
        return CPU


class Writable:
    """The memory of a bare capsule, which NumPy takes for read-only: the old protocol does not say."""

    def __init__(self, array):
        self.owner = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """Create a tensor that shares the memory of another library's array.

    >>> import numpy as np
    >>> import covector.compat.torch as torch
    >>> torch.from_dlpack(np.arange(3))
    tensor([0, 1, 2])
    """
    if isinstance(ext_tensor, TensorBase):
        t = from_numpy(np.asarray(concrete(ext_tensor.detach(), "from_dlpack")))
        return t.clone() if copy else t
    source = ext_tensor if hasattr(ext_tensor, "__dlpack__") else Capsule(ext_tensor)
    array = np.from_dlpack(source)
    if source is not ext_tensor and not array.flags.writeable:
        array = np.asarray(Writable(array))
    return from_numpy(array.copy() if copy else array)


def to_dlpack(tensor):
    """A capsule over the memory of a tensor."""
    return tensor.__dlpack__()


attach("__dlpack__", __dlpack__)
attach("__dlpack_device__", __dlpack_device__)
