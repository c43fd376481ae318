"""Attributes of tensors: shape, dtype, device, and the layout in memory."""

import math

import numpy as np

from ..dispatch.telling import by_mode, given
from ..graph import versions
from ..modes.modes import MODES
from ..state.meta import META, is_meta, on_device
from ..types import dtypes
from ..types.arrays import address
from ..types.devices import CUDA
from ..types.memory_formats import lies_in
from ..types.size import CPU, Size, of_ints, strided
from ..types.tensor_type import Tensor, completes
from ..types.tensor_value import shape_dtype
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
