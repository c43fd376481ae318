"""What may be assigned to `.grad`, and the warning on reading it where none is kept."""

import warnings

from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase


def check_new_grad(t, value):
    """torch's checks of an assigned gradient."""
    if not isinstance(value, TensorBase):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    if value.dtype is not t.dtype and t.grad_dtype is not None and value.dtype is not t.grad_dtype:
        raise RuntimeError("attempting to assign a gradient with dtype "
                           f"'{C_NAMES.get(value.dtype.name, value.dtype.name)}' to "
                           f"a tensor with grad_dtype '{type_word(t.grad_dtype.numpy)}'. The gradient must match the "
                           "tensor's grad_dtype (defaults to the "
                           "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or "
                           "None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
                           "its gradient may break downstream systems that assume they match.")
    if value.shape != t.shape:
        raise RuntimeError(f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                           f"'{list(t.shape)}'. Please ensure that the gradient and the tensor are the same size")


C_NAMES = {"float64": "double", "float32": "float", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
           "complex64": "c10::complex<float>", "complex128": "c10::complex<double>", "int64": "long", "int32": "int"}


def warn_non_leaf():
    """torch's warning on reading `.grad` of a tensor that does not keep one."""
    warnings.warn("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                  "won't "
                  "be populated during autograd.backward(). If you indeed want the .grad field to be populated for a "
                  "non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by "
                  "mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 "
                  "for "
                  "more informations.", UserWarning, stacklevel=3)

