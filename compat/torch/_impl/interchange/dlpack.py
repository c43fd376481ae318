"""DLPack: tensors exchanged with other libraries without a copy."""

import numpy as np

from ..dispatch.call import attach
from ..factories.from_data import from_numpy
from ..state.levels import concrete
from ..state.meta import on_device
from ..types.arrays import cupy
from ..types.devices import checked
from ..types.dtypes import bfloat16
from ..types.tensor_type import TensorBase, needs_grad, wrap

CPU = (1, 0)  # kDLCPU
GPU = (2, 0)  # kDLCUDA


def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):  # noqa: N807
    """Return a DLPack capsule of the memory."""
    if needs_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self.dtype is bfloat16:
        raise BufferError("NumPy exports no bfloat16; cast the tensor to float32 first")
    array = concrete(self, "__dlpack__")
    if type(array) is not np.ndarray:  # on the stream that the other library names, as CuPy has it
        return array.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
    return array.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)


def __dlpack_device__(self):  # noqa: N807
    """The DLPack device of the memory: the CPU, or the first GPU of the process."""
    return CPU if type(self.value) is np.ndarray or not on_device(self) else GPU


class Capsule:
    """A capsule as an object that NumPy takes."""

    def __init__(self, capsule, device=CPU):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **named):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


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
        array = concrete(ext_tensor.detach(), "from_dlpack")
        t = from_numpy(array) if type(array) is np.ndarray else wrap(array.view())
        return placed(t.clone() if copy else t, device, copy)
    source = ext_tensor if hasattr(ext_tensor, "__dlpack__") else Capsule(ext_tensor)
    if source is ext_tensor and ext_tensor.__dlpack_device__()[0] == GPU[0]:
        if cupy() is None:
            raise BufferError(f"from_dlpack() got an array on device {tuple(ext_tensor.__dlpack_device__())}, which "
                              "needs CuPy (pip install 'covector[cuda12]' or 'covector[cuda13]')")
        array = cupy().from_dlpack(source)
        return placed(wrap(array.copy() if copy else array), device, copy)
    try:
        array = np.from_dlpack(source)
    except RuntimeError:  # a bare capsule does not say where its memory lies
        if source is ext_tensor or cupy() is None:
            raise
        return placed(wrap(cupy().from_dlpack(Capsule(ext_tensor, GPU))), device, copy)
    if source is not ext_tensor and not array.flags.writeable:
        array = np.asarray(Writable(array))
    return placed(from_numpy(array.copy() if copy else array), device, copy)


def placed(t, device, copy):
    """A tensor on the device that was asked for; moved where a copy may be made."""
    if device is None or checked(device) == t.device:
        return t
    if copy is False:
        raise ValueError(f"cannot move {t.device} tensor from {device} without copying; leave copy=False out")
    return t.to(device)


def to_dlpack(tensor):
    """A capsule over the memory of a tensor."""
    return tensor.__dlpack__()


@property
def __cuda_array_interface__(self):  # noqa: N807
    """The description of GPU memory by which other libraries share it."""
    if type(self.value) is np.ndarray or not on_device(self):
        raise AttributeError("Can't get __cuda_array_interface__ on non-CUDA tensor type: "
                             f"{self.type()} If CUDA data is required use tensor.cuda() to copy tensor to device "
                             "memory.")
    if needs_grad(self):
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
                           "required, use var.detach() to get Variable that doesn't require grad.")
    return concrete(self, "__cuda_array_interface__").__cuda_array_interface__


attach("__cuda_array_interface__", __cuda_array_interface__)
attach("__dlpack__", __dlpack__)
attach("__dlpack_device__", __dlpack_device__)
