"""Forward mode: tensors that carry a tangent while a level is open."""

import contextlib
from collections import namedtuple

import numpy as np

from .....extend import Ambient
from ..function.function_tangents import PAUSED
from ..graph import versions
from ..inplace.inplace import WRITE_TANGENT, put_value, write
from ..state.levels import DUAL, BatchTrace, Epoch, GradTrace
from ..state.state import (
    SET_TANGENT,
    TANGENT_OF,
    at_level,
    bottom,
    lift,
    lower,
    more,
    wrap,
)
from ..tensor.printing import TANGENT
from ..types.tensor_type import GENERAL, TensorBase
from ..views.views import EXPAND, GETITEM, shape_dtype, view

ndarray = np.ndarray
UnpackedDualTensor = namedtuple("UnpackedDualTensor", ("primal", "tangent"))
UnpackedDualTensor.__doc__ = "What `unpack_dual` gives: the primal, and the tangent or None."


def enter_dual_level():
    """Open a level; its number is 0, since levels cannot be nested."""
    if DUAL.get() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    DUAL.set(Epoch())
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


class dual_level:  # noqa: N801 (torch's name)
    """A level of forward mode, as a context.

    >>> import covector.compat.torch as torch
    >>> import covector.compat.torch.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))
    ...     print(fwAD.unpack_dual(x ** 2).tangent)
    tensor(4.)
    """

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exc):
        exit_dual_level()


def make_dual(tensor, tangent, *, level=None):
    """Return a view of `tensor` that carries `tangent`, which is copied only if its memory layout differs."""
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
    return dual(epoch, tensor, fitting(tensor, tangent))


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


def fitting(tensor, tangent):
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


def alike(t, tangent):
    """A tangent whose memory lies as that of its tensor, so that views and writes reach the same elements of both."""
    mine, other = t.value, tangent.value
    if type(mine) is not ndarray or type(other) is not ndarray or not mine.size:
        return tangent
    if mine.strides == other.strides or all(n == 1 or a == b for n, a, b in zip(
            mine.shape, mine.strides, other.strides)):
        if mine.base is None and other.base is None:
            return tangent
        a, b = versions.root_of(mine), versions.root_of(other)
        if a.nbytes == b.nbytes and mine.ctypes.data - a.ctypes.data == other.ctypes.data - b.ctypes.data:
            return tangent
    root = versions.root_of(mine)
    scale = other.itemsize // mine.itemsize or 1
    room = np.zeros(root.nbytes * scale // other.itemsize, other.dtype)
    out = wrap(np.ndarray(mine.shape, other.dtype, room, (mine.ctypes.data - root.ctypes.data) * scale,
                          tuple([s * scale for s in mine.strides])))
    return out.copy_(tangent)


def unpack_dual(tensor, *, level=None):
    """Return the primal and the tangent of a tensor; the tangent is None outside a level, or if there is none."""
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


DEAD = Epoch()
DEAD.done = True


def epoch_of(t):
    """What the tangents of a tensor's level live as long as."""
    return t.level_trace if isinstance(t.level_trace, GradTrace) else DUAL.get()


def tangent_of(t):
    """The tangent of a tensor: its own, or the part of its base's that it is a view of."""
    meta = t.autograd_meta
    if meta is None:
        return None
    found = meta.tangent
    if found is not None:
        if found[0] is DEAD:
            return None
        if not found[0].done:
            return None if type(found[0]) is Epoch and found[0].paused else found[1]
        meta.tangent = None
    base, steps = (meta.base, meta.steps) if meta.forward_base is None else (meta.forward_base, meta.forward_steps)
    if base is None or base.autograd_meta is None or base.autograd_meta.tangent is None:
        return None
    whole = tangent_of(base)
    if whole is None:
        return None
    for prim, params in steps:
        whole = view(whole, prim, params)
    return whole


TANGENT_OF.append(tangent_of)
TANGENT[0] = tangent_of


def set_tangent(t, tangent):
    """Let a new tensor carry a tangent."""
    epoch = epoch_of(t)
    if epoch is None or type(epoch) is Epoch and epoch.paused:
        return
    shape, dtype = shape_dtype(t)
    got, kind = shape_dtype(tangent)
    if got != shape or kind != dtype:
        tangent = tangent.expand(shape).to(wrap(np.zeros((), dtype)).dtype)
    more(t).tangent = (epoch, alike(t, tangent), False)
    t.dispatch_key = GENERAL


@contextlib.contextmanager
def paused():
    """Without the tangents of the open level: a Function's forward runs on primals alone."""
    epoch = DUAL.get()
    if epoch is None or epoch.paused:
        yield
        return
    epoch.paused = True
    try:
        yield
    finally:
        epoch.paused = False


SET_TANGENT.append(set_tangent)
PAUSED[0] = paused


def write_tangent(t, value):
    """After an in-place write: the tangent is written in place too, or set; that of a view in its base's."""
    while isinstance(value, Ambient) and value.owner is t.level_trace:
        value = value.value  # of a level's own kind, and constant there
    old = tangent_of(t)
    if old is None:
        base = None if t.autograd_meta is None else viewed(t.autograd_meta)
        if base is None:
            set_tangent(t, lift(value))
            return
        shape, dtype = shape_dtype(base)
        more(base).tangent = (epoch_of(base), wrap(np.zeros(shape, dtype)), False)
        base.dispatch_key = GENERAL
        if t.autograd_meta.forward_base is None:
            t.autograd_meta.forward_base, t.autograd_meta.forward_steps = base, t.autograd_meta.steps
        old = tangent_of(t)
    shape, dtype = shape_dtype(old)
    if value.dtype != dtype:
        value = value.astype(dtype)
    if tuple(value.shape) != shape:
        value = EXPAND.fun(value, shape)
    source, steps = t, ()
    if t.autograd_meta.tangent is None:
        source = viewed(t.autograd_meta)
        steps = t.autograd_meta.forward_steps if t.autograd_meta.forward_base is not None else t.autograd_meta.steps
    if holds(old, value) and (not steps or versions.root_of(bottom(old)) is versions.root_of(
            bottom(tangent_of(source)))):  # a part of the tangent may be a copy where that of the value is a view
        write(old, value)
        return
    whole = [lower(tangent_of(source))]
    for prim, params in steps:
        whole.append(prim.fun(whole[-1], *params))
    for (prim, params), x in zip(reversed(steps), reversed(whole[:-1])):
        value = put_value(prim, params, x, value)
    more(source).tangent = (epoch_of(source), lift(value), False)


def viewed(meta):
    """The tensor that a view was taken of: the dual one, else its base."""
    return meta.base if meta.forward_base is None else meta.forward_base


def holds(t, value):
    """Whether a tangent's memory can take a value: both of the ambient level, or of the same levels."""
    u = lift(value)
    while isinstance(t.value, TensorBase) and isinstance(u.value, TensorBase):
        if t.level_trace is not u.level_trace:
            return False
        t, u = t.value, u.value
    return t.level_trace is u.level_trace is None and t.value.flags.writeable


WRITE_TANGENT.append(write_tangent)
__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
           "unpack_dual"]
