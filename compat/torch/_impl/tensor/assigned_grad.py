"""Checks of values assigned to `.grad` and `.grad_dtype`, and the warning on reading a gradient where none is kept."""

import warnings

from ..types.dtypes import dtype, type_word
from ..types.tensor_type import TensorBase, more


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

