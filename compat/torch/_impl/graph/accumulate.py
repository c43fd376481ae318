"""Adding a gradient into `.grad`: when memory is taken over, written in place, or replaced."""

from threading import Lock

import numpy as np

from ..... import _engine, extend
from ....._interpreters import Ambient
from ..types.arrays import ARRAYS, namespace, writeable
from ..types.size import OtherLayout
from ..types.tensor_type import TensorBase, more, wrap
from . import versions
from .node_errors import UNDEFINED
from .node_names import NamedRule

ndarray = np.ndarray
_LOCKS = [Lock() for _ in range(64)]


def accumulate(leaf, ct, drive):
    """Add a cotangent to `leaf.grad`, in place unless the gradient is itself recorded."""
    if not leaf.wants_grad and leaf.level_trace is None:
        return  # requires_grad_(False) or detach_() since the graph was recorded
    # Sweeps of several threads may reach one leaf. The low bits of addresses are alike, so the lock goes by others.
    with _LOCKS[id(leaf) >> 4 & 63]:
        meta = more(leaf)
        before = meta.grad
        if meta.grad_dtype not in (None, Ellipsis) and ct is not UNDEFINED and ct.dtype != meta.grad_dtype.numpy:
            ct = ct.astype(meta.grad_dtype.numpy)
        if ct is UNDEFINED:
            pass
        elif before is None:
            meta.grad = first(leaf, ct, drive)
        elif drive.create_graph or isinstance(ct, extend.Tracer) or before.level_trace is not None:
            # Not in place: what was added into memory would have no history.
            meta.grad = laid_out(drive.tensor(drive.value(before) + ct), before)
        elif type(ct) not in ARRAYS or type(before.value) not in ARRAYS:
            meta.grad = add_sparse(before, ct, drive)
        else:
            add_into(before, ct)
    if meta.post:
        for fn in list(meta.post.values()):
            found = fn(leaf)
            if found is not None and not isinstance(found, TensorBase):
                raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
            if found is not None:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def take_first(leaf, ct):
    """Make a cotangent that is the sweep's alone the first gradient of a leaf, the commonest case; False for others."""
    # The strides count, since PyTorch gives a gradient the layout of its leaf.
    meta = leaf.autograd_meta
    if (meta.grad is not None or not leaf.wants_grad or meta.grad_dtype is not None or meta.hooks is not None
            or meta.post is not None or leaf.level_trace is not None
            or ct.strides != leaf.value.strides or not ct.flags.writeable):
        return False
    if ct.base is not None:
        ct = whole(ct, ct.base)
        if ct is None:
            return False
    with _LOCKS[id(leaf) >> 4 & 63]:
        # Another thread may have put one there meanwhile.
        if meta.grad is not None:
            return False
        meta.grad = wrap(ct)
    return True


def whole(ct, base):
    """A cotangent that is all of an array in another shape, or that array if it was transposed twice; None for others.
    """
    if type(base) is not ndarray or base.base is not None or base.nbytes != ct.nbytes or not ct.flags.forc:
        return None
    return base if base.strides == ct.strides and base.shape == ct.shape and base.dtype is ct.dtype else ct


def laid_out(tensor, like):
    """A new tensor with the strides of another one where that is dense."""
    array, own = tensor.value, like.value
    if type(array) in ARRAYS and type(own) in ARRAYS and array.strides != own.strides and dense(own):
        tensor.value = restrided(own, array.dtype)
        tensor.value[...] = array
    return tensor


def recorded_copy(leaf, ct, drive):
    """The first gradient where gradients are recorded: a copy in the leaf's layout, whose node leads to the gradient's.
    """
    if type(ct) is Ambient and ct.owner is drive.trace and ct.tangent is None and drive.again is not None and (
            type(ct.value) is ndarray):
        out = wrap(COPIED.prim.impl(np, ct.value))
        out.node = None if ct.node is None else drive.trace.node(COPIED, ct.node, None)
        return laid_out(out, leaf)
    out = laid_out(drive.tensor(extend.REGISTRY["duplicate"].fun(ct)), leaf)
    if out.node is not None and out.node.rule is not None:
        extra = out.node.more()
        extra.name, extra.edges = "torch::autograd::CopyBackwards", (None, out.node.parents)
    return out


COPIED = NamedRule(extend.REGISTRY["duplicate"].rule((0,), True), "torch::autograd::CopyBackwards",
                   lambda node: (None, node.parents))


def add_sparse(grad, ct, drive):
    """The sum with a cotangent where one of the two is sparse: as PyTorch has it, in place but for sparse + dense."""
    value = grad.value
    if type(value) in ARRAYS:
        if not isinstance(ct, OtherLayout):
            add_into(grad, ct)
            return grad
        if not writeable(value):
            return drive.tensor(value + ct)
        ct.added_to(value)
        versions.bump(value)
        return grad
    if not isinstance(ct, OtherLayout):
        return drive.tensor(value + ct)
    grad.value = value + ct
    return grad


def add_into(grad, ct):
    """Add in place: every name of the gradient sees it."""
    array = grad.value
    if not writeable(array):
        grad.value = array + ct
        return
    try:
        np.add(array, ct, out=array, casting="same_kind")
    except ValueError:
        raise other_shape(ct, array, "gradient", "set its .grad to None first") from None
    versions.bump(array)


def other_shape(ct, array, what, remedy):
    """The error for a leaf that was given data of another shape."""
    return RuntimeError(f"backward has a gradient of shape {list(ct.shape)} for a tensor whose {what} is of shape "
                        f"{list(array.shape)}: it was given data of another shape since; {remedy}")


def first(leaf, ct, drive):
    """The first gradient: taken over if it is the sweep's alone and its layout fits, else copied into the leaf's."""
    if drive.create_graph and isinstance(ct, extend.Tracer) and leaf.level_trace is None:
        return drive.tensor(ct) if isinstance(ct.value, OtherLayout) else recorded_copy(leaf, ct, drive)
    if isinstance(ct, OtherLayout):
        return drive.tensor(ct.copy())
    if type(ct) not in ARRAYS:
        return drive.tensor(ct)
    if drive.create_graph or leaf.level_trace is not None:
        return drive.tensor(ct.copy())
    own = leaf.value
    if drive.mine and ct.base is None and writeable(ct) and ct.strides == own.strides:
        return drive.tensor(ct)
    if ct.shape != own.shape:
        raise other_shape(ct, own, "data", "compute the output anew")
    if dense(own):
        copy = namespace(own).empty_like(own, dtype=ct.dtype)
        if copy.strides != own.strides:
            copy = restrided(own, ct.dtype)
    else:
        copy = namespace(ct).empty(ct.shape, ct.dtype)
    copy[...] = ct
    return drive.tensor(copy)


def dense(array):
    """Tell whether an array is non-overlapping and dense, so that its gradient takes its strides."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    expected = array.itemsize
    # An axis of one element may have any stride.
    for stride, n in sorted((s, n) for s, n in zip(array.strides, array.shape) if n != 1):
        if stride != expected:
            return False
        expected *= n
    return True


def restrided(array, dtype):
    """An empty array with the axes in the memory order of `array`."""
    order = sorted(range(array.ndim), key=lambda i: (-array.strides[i], i))
    out = namespace(array).empty([array.shape[i] for i in order], dtype)
    return out.transpose(np.argsort(order).tolist())


# Cotangents of a recorded sweep that have no history of their own.

Scatter = _engine.Scatter
_ARRAYS = frozenset({np.ndarray, np.float64, np.float32})


def untraced(ct):
    """Tell whether a cotangent is an array, or a lazy one of arrays alone."""
    if type(ct) is Scatter:
        return (ct.buffer is None or type(ct.buffer) in _ARRAYS) and (ct.piece is None or type(ct.piece[1]) in _ARRAYS)
    return type(ct) in _ARRAYS
