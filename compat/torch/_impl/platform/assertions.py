"""torch's assertions in programs that may be compiled, and classes of which only compilers and devices make objects."""

from ..dispatch.unbuilt_parts import unbuilt_class

SymBool, SymFloat, SymInt, Stream, Event = (
    unbuilt_class("", name) for name in ("SymBool", "SymFloat", "SymInt", "Stream", "Event"))


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
