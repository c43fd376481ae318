"""Types of tensors by the names they had before dtypes: `torch.DoubleTensor`, `"torch.cuda.FloatTensor"`."""

import warnings

from ..modes.modes import set_modes
from ..types import dtypes
from ..types.devices import checked
from ..types.tensor_type import Tensor

WORDS = {"Float": dtypes.float32, "Double": dtypes.float64, "Half": dtypes.float16, "BFloat16": dtypes.bfloat16,
         "Long": dtypes.int64, "Int": dtypes.int32, "Short": dtypes.int16, "Char": dtypes.int8, "Byte": dtypes.uint8,
         "Bool": dtypes.bool_, "ComplexFloat": dtypes.complex64, "ComplexDouble": dtypes.complex128}
NAMES = {dtype: word for word, dtype in WORDS.items()}
ROOT = __name__.partition("._impl")[0]


def name_of(t):
    """The type of a tensor: `torch.FloatTensor`."""
    return f"torch.{'cuda.' * t.is_cuda}{NAMES[t.dtype]}Tensor"


def meant(given):
    """`(dtype, device)` that a type, its name or a dtype means; the device of a dtype is None.

    Raises:
        ValueError: it names no type of tensors; TypeError: it is no name.
    """
    if isinstance(given, dtypes.dtype):
        return given, None
    if given is Tensor:
        given = "torch.Tensor"
    elif isinstance(given, type):
        module = given.__module__
        module = "torch" + module.removeprefix(ROOT) if module.startswith(ROOT) else module  # else as `install` has it
        given = f"{module}.{given.__name__}" if module.partition(".")[0] == "torch" else given.__name__
    if not isinstance(given, str):
        raise TypeError("dtype must be a type, str, or dtype object")
    module, _, name = given.rpartition(".")
    word = name.removesuffix("Tensor")
    if module not in ("torch", "torch.cuda") or word == name or word and word not in WORDS:
        raise ValueError(f"invalid type: '{given}'")
    return WORDS.get(word, dtypes.get_default_dtype()), checked(module.removeprefix("torch.").replace("torch", "cpu"))


def set_default_tensor_type(t):
    """Set the default dtype and, for types of `torch.cuda`, the default device: deprecated, as in PyTorch.

    Args:
        t: a floating-point type of tensors, or its name.

    >>> import warnings
    >>> import covector.compat.torch as torch
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.set_default_tensor_type(torch.DoubleTensor)
    >>> torch.ones(1).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    dtype, device = (None, None) if isinstance(t, dtypes.dtype) else meant(t)
    if device is None:
        raise TypeError("invalid type object: only floating-point types are supported as the default type; for a dtype "
                        "there is set_default_dtype")
    warnings.warn("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype"
                  "() and torch.set_default_device() as alternatives.", UserWarning, stacklevel=2)
    dtypes.set_default_dtype(dtype)
    set_modes(device=None if device.type == "cpu" else device)
