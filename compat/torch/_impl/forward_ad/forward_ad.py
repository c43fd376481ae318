"""Forward mode: tensors that carry a tangent while a level is open."""

from collections import namedtuple

import numpy as np

from ..modes.context import Context
from ..state.levels import DUAL, BatchTrace, Epoch
from ..types.tensor_type import GENERAL, TensorBase, at_level, more, shape_dtype
from ..values.tangents import DEAD, alike, tangent_of
from ..views.views import GETITEM, view

ndarray = np.ndarray
UnpackedDualTensor = namedtuple("UnpackedDualTensor", ("primal", "tangent"))
UnpackedDualTensor.__doc__ = "What `unpack_dual` gives: the primal, and the tangent or None."


def enter_dual_level():
    """Open a level; its number is 0, since levels cannot be nested."""
    if DUAL.get() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    try:
        DUAL.set(Epoch())
    except BaseException:  # a signal: who asked will not hear that it is open
        DUAL.set(None)
        raise
    return 0


def exit_dual_level(*, level=None):
    """Close the level, which drops its tangents."""
    epoch = DUAL.get()
    if epoch is None and level is None:
        raise RuntimeError("Dual level must be a positive number: no level is open, enter_dual_level() first")
    if epoch is None or level not in (None, 0):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not "
                           "supported.")
    epoch.done = True
    DUAL.set(None)


class dual_level(Context):  # noqa: N801 (torch's name)
    """A level of forward mode, as a context.

    >>> import covector.compat.torch as torch
    >>> import covector.compat.torch.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))
    ...     print(fwAD.unpack_dual(x ** 2).tangent)
    tensor(4.)
    """

    def begin(self):
        self.ending = False
        return enter_dual_level()

    def end(self):
        if DUAL.get() is not None or not self.ending:
            self.ending = True
            exit_dual_level()


def make_dual(tensor, tangent, *, level=None):
    """Return a view of `tensor` that carries `tangent`, which is copied only if its memory layout differs.

    Args:
        tensor: the primal, floating or complex.
        tangent: of the shape and dtype of `tensor`.
        level: that of `enter_dual_level`, by default the open one.
    Raises:
        RuntimeError: no level is open, or the tangent does not fit.
        TypeError: one of them is no tensor.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(torch.tensor(3.0), torch.tensor(1.0))
    ...     forward_ad.unpack_dual(x * x).tangent
    tensor(6.)
    """
    epoch = open_level(level, "_make_dual")
    if epoch is None:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to "
                           "enter_dual_level() "
                           "first.")
    for name, t in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(t, TensorBase):
            raise TypeError(f"_make_dual(): argument '{name}' must be Tensor, not {type(t).__name__}")
        if not (t.is_floating_point() or t.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {t.dtype}")
    return dual(epoch, tensor, checked_tangent(tensor, tangent))


def open_level(level, name):
    """The open level, None where there is none and none was named."""
    if level is not None and level < 0 or level is None and DUAL.get() is None:
        return None
    if level or DUAL.get() is None:
        raise RuntimeError(f"Invalid level given to {name}: {level}, of {int(DUAL.get() is not None)} open")
    return DUAL.get()


def dual(epoch, tensor, tangent):
    """`make_dual` of checked arguments; of a value that a vmap maps, at the level below."""
    trace, other = tensor.level_trace, tangent.level_trace
    if isinstance(other, BatchTrace) and isinstance(trace, BatchTrace) and other.level > trace.level:
        tensor, trace = at_level(other, tensor.expand(other.size, *tensor.shape).clone()), other  # one a tangent
    if isinstance(trace, BatchTrace) and not trace.done:
        if tangent.level_trace is trace:
            below = tangent.value
        else:
            below = tangent.expand(shape_dtype(tensor.value)[0])
        return at_level(trace, dual(epoch, tensor.value, below))
    if tangent_of(tensor) is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                           "level 0 is not supported.")
    if tensor.level_trace is None and tangent_of(tangent) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level0 is not "
                           "supported.")
    out = view(tensor, GETITEM, ((Ellipsis,),), "ViewBackward0")
    more(out).tangent = (epoch, alike(out, tangent), True)
    out.dispatch_key = GENERAL
    return out


def checked_tangent(tensor, tangent):
    """A tangent in the dtype of its tensor; torch's errors for one that does not fit."""
    if tensor.shape != tangent.shape:
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                           "Tensor, "
                           f"this is not supported. Tensor is of size {list(tensor.shape)} while the given forward "
                           "gradient "
                           f"is of size {list(tangent.shape)}.")
    if tensor.dtype is tangent.dtype:
        return tangent
    if tangent.is_complex() and not tensor.is_complex():
        raise RuntimeError("Expected the tangent of a real tensor to be real: trying to set a forward gradient of "
                           f"dtype {tangent.dtype} on a tensor of dtype {tensor.dtype}")
    return tangent.to(tensor.dtype)


def unpack_dual(tensor, *, level=None):
    """Return the primal and the tangent of a tensor; the tangent is None outside a level, or if there is none.

    Args:
        tensor: a tensor.
        level: that of `enter_dual_level`, by default the open one.
    Returns:
        `(primal, tangent)`, with these names; `make_dual` has an example.
    """
    if DUAL.get() is None and level is None:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    if level is not None and level < 0:
        return UnpackedDualTensor(tensor, None)
    open_level(level, "_unpack_dual")
    trace = tensor.level_trace
    if isinstance(trace, BatchTrace) and not trace.done:
        primal, tangent = unpack_dual(tensor.value)
        return UnpackedDualTensor(tensor, None) if tangent is None else UnpackedDualTensor(
            at_level(trace, primal), at_level(trace, tangent))
    tangent = tangent_of(tensor)
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    primal = view(tensor, GETITEM, ((Ellipsis,),), "ViewBackward0")
    more(primal).tangent = (DEAD, None, True)
    return UnpackedDualTensor(primal, tangent)


__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
           "unpack_dual"]
