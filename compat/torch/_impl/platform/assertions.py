"""torch's assertions in programs that may be compiled, and classes that have no objects here, or are never raised."""

import warnings

from ..dispatch.unbuilt import unbuilt_class
from ..types.dtypes import bool_
from ..types.tensor_type import TensorBase

SymBool, SymFloat, SymInt, Stream, Event, PyTorchFileReader, PyTorchFileWriter = (
    unbuilt_class("", name)
    for name in ("SymBool", "SymFloat", "SymInt", "Stream", "Event", "PyTorchFileReader", "PyTorchFileWriter"))


class OutOfMemoryError(RuntimeError):
    """The memory of a device is exhausted."""


class AcceleratorError(RuntimeError):
    """A device failed."""


def _assert(condition, message):
    """Python's assert, as a call.

    Raises:
        AssertionError: the condition does not hold.
    """
    if not condition:
        raise AssertionError(message)


def _assert_async(input, assert_msg=None):
    """Raise unless the only element of a tensor is nonzero.

    Raises:
        RuntimeError: it is zero, or the tensor has another number of elements.
    """
    if input.numel() != 1:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous" if input.numel() == 0 else
                           "Boolean value of Tensor with more than one value is ambiguous")
    if not input.item():
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _check_with(error_type, cond, message=None):
    """Raise an error unless a condition holds; `message` is a function that gives its text."""
    if not isinstance(cond, bool):
        if isinstance(cond, TensorBase):
            raise TypeError("cond must be a bool, but got a Tensor. For tensor conditions, use "
                            "torch._check_tensor_all() to assert that all elements are true.")
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type("Expected cond to be True, but got False. (Could this error message be improved? If so, "
                         "please report an enhancement request to PyTorch.)")
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _checking(name, error_type):
    def check(cond, message=None):
        _check_with(error_type, cond, message)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raise {error_type.__name__} unless a condition holds; `message` gives its text."
    return check


_check = _checking("_check", RuntimeError)
_check_index = _checking("_check_index", IndexError)
_check_value = _checking("_check_value", ValueError)
_check_type = _checking("_check_type", TypeError)
_check_not_implemented = _checking("_check_not_implemented", NotImplementedError)


def _check_is_size(i, message=None, *, max=None):  # noqa: A002 (torch's name)
    """`_check(i >= 0)`, and `_check(i <= max)`."""
    warnings.warn("_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious. "
                  "    Use _check(i >= 0) instead.", FutureWarning, stacklevel=2)
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(error_type, cond, message=None):
    """Raise an error unless all elements of a tensor of booleans are true."""
    if not isinstance(cond, TensorBase):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not bool_:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, cond.all().item(), message)


def _check_tensor_all(cond, message=None):
    """Raise RuntimeError unless all elements of a tensor of booleans are true."""
    _check_tensor_all_with(RuntimeError, cond, message)
