"""Attributes of tensors: shape, dtype, device, and the layout in memory."""

import math
import warnings

import numpy as np

from ..dispatch.telling import by_mode, given
from ..graph import versions
from ..graph.node import AccumulateGrad
from ..modes.modes import MODES
from ..state.edges import edge
from ..state.levels import BatchTrace
from ..state.meta import META, is_meta, on_device
from ..types import dtypes
from ..types.arrays import address
from ..types.devices import CUDA
from ..types.dtypes import dtype, type_word
from ..types.memory_formats import lies_in
from ..types.size import CPU, Size, of_ints, strided
from ..types.tensor_type import FOREIGN, Tensor, TensorBase, completes, more, shape_dtype
from ..views.memory import address_of, at_axis, example_of, memory_of, steps_of

ndarray = np.ndarray


@completes
class Facts:
    """Attributes of a tensor."""

    @property
    def shape(self):
        """The shape, a `Size`."""
        return of_ints(Size, self.value.shape if type(self.value) is ndarray else shape_dtype(self)[0])

    @property
    def dtype(self):
        """The dtype."""
        value = self.value
        d = value.dtype if type(value) is ndarray else shape_dtype(self)[1]
        return dtypes.OF_NUMPY.get(d) or dtypes.of_numpy(d)

    @property
    def ndim(self):
        """The number of axes."""
        value = self.value
        return value.ndim if type(value) is ndarray else len(shape_dtype(self)[0])

    @property
    def device(self):
        """The device."""
        if type(self.value) is ndarray:
            return CPU
        return META if is_meta(self) else CUDA if on_device(self) else CPU

    @property
    def layout(self):
        """`torch.strided`."""
        return strided

    @property
    def nbytes(self):
        """The size of all elements in bytes."""
        return self.dtype.itemsize * self.shape.numel()

    @property
    def is_cuda(self):
        """Tell whether the elements lie on a GPU."""
        return type(self.value) is not ndarray and self.device.type == "cuda"

    @property
    def is_meta(self):
        """Tell whether it has a shape and a dtype, and no elements."""
        return type(self.value) is not ndarray and is_meta(self)

    def size(self, dim=None):
        """The shape, or the length of one axis."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.size, (self,) if dim is None else (self, dim), {})
        shape = self.value.shape if type(self.value) is ndarray else shape_dtype(self)[0]
        return of_ints(Size, shape) if dim is None else at_axis(shape, dim)

    def dim(self):
        """The number of axes."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.dim, (self,), {})
        value = self.value
        return value.ndim if type(value) is ndarray else len(shape_dtype(self)[0])

    ndimension = dim

    def numel(self):
        """The number of elements."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.numel, (self,), {})
        value = self.value
        return value.size if type(value) is ndarray else math.prod(shape_dtype(self)[0])

    nelement = numel

    def element_size(self):
        """The size of an element in bytes."""
        return self.dtype.itemsize

    itemsize = property(element_size)

    def stride(self, dim=None):
        """The stride of every axis, or of one, in elements."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.stride, (self,) if dim is None else (self, dim), {})
        hidden, array = memory_of(self)
        steps = steps_of(array)[hidden:]
        return steps if dim is None else at_axis(steps, dim)

    def storage_offset(self):
        """The offset of the first element in its memory, in elements."""
        array = memory_of(self)[1]
        return (address(array) - address(versions.root_of(array))) // array.itemsize

    def data_ptr(self):
        """The address of the first element; 0 without elements."""
        return 0 if type(self.value) is not ndarray and is_meta(self) else address_of(self)

    def is_floating_point(self):
        """Tell whether the elements are floating-point numbers."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.is_floating_point, (self,), {})
        value = self.value
        return (value.dtype if type(value) is ndarray else shape_dtype(self)[1]).kind in "fV"

    def is_complex(self):
        """Tell whether the elements are complex."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.is_complex, (self,), {})
        value = self.value
        return (value.dtype if type(value) is ndarray else shape_dtype(self)[1]).kind == "c"

    def is_signed(self):
        """Tell whether the elements can be negative."""
        return self.dtype.is_signed

    def is_contiguous(self, memory_format=None):
        """Tell whether the elements are contiguous in memory, in the order of the axes or of a memory format."""
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.is_contiguous, (self,), given(memory_format=memory_format))
        array = example_of(self)
        return array.flags.c_contiguous if memory_format is None else lies_in(array, memory_format)

    def __len__(self):
        if (m := MODES.get()) is not None and m.functions:
            return by_mode(Tensor.__len__, (self,), {})
        shape = self.value.shape if type(self.value) is ndarray else shape_dtype(self)[0]
        if not shape:
            raise TypeError("len() of a 0-d tensor")
        return shape[0]


# Checks of values assigned to `.grad` and `.grad_dtype`, and the warning on reading a gradient where none is kept.


def check_new_grad(t, value):
    """torch's checks of an assigned gradient."""
    if not isinstance(value, TensorBase):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    expected = expected_dtype(t)
    if expected is not None and value.dtype is not expected:
        raise RuntimeError(f"attempting to assign a gradient with dtype '{c_name(value.dtype)}' to "
                           f"a tensor with grad_dtype '{type_word(expected.numpy)}'. The gradient must match the "
                           "tensor's grad_dtype (defaults to the "
                           "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or "
                           "None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
                           "its gradient may break downstream systems that assume they match.")
    if type(value.value) is not type(t.value) and value.device != t.device:
        raise RuntimeError(f"attempting to assign a gradient with device type '{value.device.type}' to a tensor with "
                           f"device type '{t.device.type}'. Please ensure that the gradient and the tensor are on the "
                           "same device")
    if value.shape != t.shape:
        raise RuntimeError(f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                           f"'{list(t.shape)}'. Please ensure that the gradient and the tensor are the same size")


C_NAMES = {"float64": "double", "float32": "float", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
           "complex64": "c10::complex<float>", "complex128": "c10::complex<double>", "int64": "long int",
           "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char"}


def c_name(of):
    """The word of C++ for a dtype, as PyTorch's messages have it."""
    return C_NAMES.get(of.name, of.name)


def expected_dtype(t):
    """The dtype of the gradients of a tensor; None for any."""
    found = None if t.autograd_meta is None else t.autograd_meta.grad_dtype
    return t.dtype if found is None else None if found is Ellipsis else found


def grad_dtype(t):
    """The dtype of a leaf's gradient; None for any."""
    if t.node is not None:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return expected_dtype(t)


def set_grad_dtype(t, value):
    """Choose the dtype of a leaf's gradients, None for that which arrives."""
    if value is not None and not isinstance(value, dtype):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
    if t.node is not None:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    meta = more(t)
    if value is not None and meta.grad is not None and meta.grad.dtype is not value:
        raise RuntimeError(f"Cannot set grad_dtype to '{type_word(value.numpy)}' because there is already a gradient "
                           f"with dtype '{c_name(meta.grad.dtype)}'. Please clear the gradient (.grad = None) before "
                           "changing grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype.")
    meta.grad_dtype = Ellipsis if value is None else value


def warn_non_leaf():
    """torch's warning on reading `.grad` of a tensor that does not keep one."""
    warnings.warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
        "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
        "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
        "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
        UserWarning, stacklevel=3)


# The visible history of a tensor at the level it is looked at from.


def edge_or_none(t):
    """The node of a non-leaf tensor, brought up to date."""
    meta = t.autograd_meta
    if meta is not None and meta.base is not None:
        node = edge(t)
        return None if isinstance(node, AccumulateGrad) else node
    return t.node


def visible_level(t):
    """Tell whether the history of a tensor is that of the running level: under vmap a tensor has none."""
    return not isinstance(t.level_trace, BatchTrace)


def in_transform(t):
    """The kind of the running transform that a tensor is a value of, or None."""
    trace = t.level_trace
    return None if trace is None or trace is FOREIGN or trace.done else type(trace)


def inference_mode():
    """Tell whether inference mode is on."""
    m = MODES.get()
    return m is not None and m.inference
