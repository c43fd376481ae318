"""Tensors of device "meta": a shape and a dtype without elements. The shape rules of primitives are all that is run."""

import numpy as np

from ..... import _interpreters, extend
from ..types.arrays import ARRAYS, cupy
from ..types.devices import CUDA
from ..types.dtypes import Default
from ..types.size import CPU, device as Device
from ..types.tensor_type import FOREIGN, TensorBase, at_level, shape_dtype

META = Device("meta")
NO_DATA = "Cannot copy out of meta tensor; no data! "


class MetaTrace(_interpreters.GraphTrace):
    """Gives of every primitive the shapes and dtypes of its outputs, and keeps nothing."""

    __slots__ = ()
    kind = "meta"

    def __init__(self):
        super().__init__(watch=False)

    def box(self, var, value=None):
        """A value of a shape and a dtype."""
        return super().box(var)

    def lift(self, a):
        """`(Var or Literal, None)` of an operand; of values of other transforms the shape alone."""
        if isinstance(a, extend.Tracer):
            return (a.node if a.owner is self else _interpreters.Var(extend.aval_of(a))), None
        return _interpreters.Literal(a), None

    def emit(self, prim, inputs, params, out_avals, values=None):
        """The outputs; nothing is written down."""
        if prim.outputs is None:
            return self.box(_interpreters.Var(out_avals))
        return tuple([self.box(_interpreters.Var(a)) for a in out_avals])


TRACE = MetaTrace()


def meta_tensor(shape, dtype, requires_grad=False):
    """A tensor of device "meta".

    Args:
        shape: a tuple.
        dtype: NumPy's.
    """
    aval = extend.aval_of(np.broadcast_to(np.zeros((), dtype), shape))
    t = at_level(FOREIGN, TRACE.box(_interpreters.Var(aval)))
    return t.requires_grad_() if requires_grad else t


def is_meta(t):
    """Tell whether a tensor is of device "meta"."""
    while isinstance(t.value, TensorBase):
        t = t.value
    return t.level_trace is FOREIGN and getattr(t.value, "owner", None) is TRACE


def on_meta(device):
    """Tell whether a device, or the name of one, is "meta"."""
    return device is not None and Device(device).type == "meta"


def on_device(t):
    """Tell whether the elements of a tensor lie on a GPU."""
    while isinstance(t.value, TensorBase):
        t = t.value
    value = t.value
    while isinstance(value, extend.Tracer):
        value = value.value if hasattr(value, "value") else None
    return type(value) in ARRAYS and type(value) is not np.ndarray


def library(t):
    """The array library of a tensor: NumPy, or CuPy."""
    return cupy() if on_device(t) else np


def zeros_as(t):
    """An array of zeros of the shape and dtype of a tensor, where its elements lie."""
    shape, dtype = shape_dtype(t)
    return (np if type(t.value) is np.ndarray else library(t)).zeros(shape, dtype)


def facts_of(t):
    """Shape, NumPy dtype and library of a tensor."""
    value = t.value
    return (value.shape, value.dtype, np) if type(value) is np.ndarray else (*shape_dtype(t), library(t))


def fitting(grad, library, place, words=""):
    """A gradient where its tensor lies: a number moves there, anything else is refused."""
    there = CPU if library is np else CUDA
    if grad.device == there:
        return grad
    if grad.dim():
        raise RuntimeError(f"{words}invalid gradient at index {place} - expected device {there} but got {grad.device}")
    return grad.to(there)


def check_devices(tensors):
    """Tell whether operands lie on the CPU and on a GPU, numbers on the CPU alone; all else that does not fit is
    refused."""
    found = [META.type if is_meta(t) else CUDA.type if on_device(t) else CPU.type for t in tensors]
    kinds = dict.fromkeys(found)
    if len(kinds) == 1:
        return False
    if META.type in kinds:
        for place, t in zip(found, tensors):
            if place != META.type and t.dim():
                raise RuntimeError(f"Tensor on device {CUDA if place == CUDA.type else place} is not on the expected "
                                   "device meta!")
        return False
    if any(place == CPU.type and t.dim() for place, t in zip(found, tensors)):
        first, second = [CUDA if place == CUDA.type else place for place in kinds]
        raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, "
                           f"{first} and {second}! Move one of them with .to(device)")
    return True


def check_written(t, operands):
    """Tell whether an operation that writes to a tensor gets numbers on the CPU beside one on a GPU, as
    `check_devices`; nothing on a GPU is written to what lies on the CPU."""
    if not on_device(t) and not is_meta(t) and any(on_device(x) for x in operands):
        raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {CUDA} and "
                           f"{CPU}! Move one of them with .to(device)")
    return check_devices([t, *operands])


def shown(t):
    """`tensor(..., device='meta', size=(2, 3))`."""
    kind = "" if t.dtype is Default.float else f", dtype={t.dtype}"
    grad = ", requires_grad=True" * t.requires_grad
    return f"tensor(..., device='meta', size={tuple(t.shape)}{kind}{grad})"
