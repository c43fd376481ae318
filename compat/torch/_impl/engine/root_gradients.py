"""The cotangents that a sweep starts with, with torch's checks, and those that it hands out as gradients."""

from math import prod

import numpy as np

from ..... import extend
from ....._interpreters import Ambient
from ..graph.node_errors import UNDEFINED
from ..state.levels import AMBIENT
from ..state.meta import fitting, library
from ..types.arrays import ARRAYS
from ..types.dtypes import of_numpy
from ..types.size import OtherLayout
from ..types.tensor_type import TensorBase, needs_grad, shape_dtype, wrap
from ..views.overlap import overlapping
from .gradient_edge import GradientEdge, tensor_or_edge


def make_grads(grads, count):
    """The cotangents: as given, or ones for tensors of one element."""
    if grads is None:
        grads = (None,) * count
    elif isinstance(grads, TensorBase):
        grads = (grads,)
    else:
        grads = tuple(grads)
    if len(grads) < count:
        raise RuntimeError(f"got {count} tensors and {len(grads)} gradients")
    return grads[:count]


def seed(i, out, g, batched=False):
    """The cotangent of one output as a tensor."""
    if g is None and isinstance(out, GradientEdge) and out.like is None:
        raise RuntimeError("a GradientEdge made by hand does not know the shape of its output: pass grad_outputs, or "
                           "take "
                           "the edge from get_gradient_edge")
    shape, dtype = like(out, g)
    if g is None:
        if isinstance(out, TensorBase) and not needs_grad(out):
            return None
        check_implicit(shape, dtype)
        return wrap((library(out) if isinstance(out, TensorBase) else np).ones(shape, dtype))
    if not isinstance(g, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if isinstance(out, TensorBase) and type(out.value) is not type(g.value):
        g = fitting(g, library(out), i)
    gshape, gdtype = shape_dtype(g)
    if batched:
        gshape = gshape[1:]
    if gshape != shape:
        if batched:
            raise RuntimeError(f"If `is_grads_batched=True`, we interpret the first dimension of each grad_output as "
                               f"the batch dimension. The sizes of the remaining dimensions are expected to match the "
                               f"shape of corresponding output, but a mismatch was detected: grad_output[{i}] has a "
                               f"shape of {size(gshape)} and output[{i}] has a shape of {size(shape)}. If you only "
                               "want "
                               "some tensors in `grad_output` to be considered batched, consider using vmap.")
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {size(gshape)} and output[{i}] has a "
                           f"shape of {size(shape)}.")
    if (dtype.kind == "c") != (gdtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{i}] has a dtype of {of_numpy(gdtype)} and output[{i}] has a dtype of {of_numpy(dtype)}.")
    return g


def check_implicit(shape, dtype):
    """torch's refusals to take ones for a cotangent that is left out."""
    if prod(shape) != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if dtype.kind not in "fV":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got torch.{dtype}")


def size(shape):
    """`torch.Size([2, 3])` for messages."""
    return f"torch.Size({list(shape)})"


def listed(tensors):
    """Tensors or edges as a tuple; an edge that leads to a leaf is the leaf."""
    if isinstance(tensors, TensorBase):
        return (tensors,)
    tensors = (tensors,) if isinstance(tensors, GradientEdge) else tuple(tensors)
    return tuple([tensor_or_edge(t) if isinstance(t, GradientEdge) else t for t in tensors])


def like(out, g):
    """Shape and dtype of an output: those of the gradient where an edge does not know them."""
    if isinstance(out, GradientEdge):
        return out.like or shape_dtype(g)
    return shape_dtype(out)


_ONES = {}  # (shape, dtype) -> the seed of a number; read-only, since every sweep starts with it


def ones(shape, dtype):
    """The seed of a number."""
    key = shape, dtype
    ct = _ONES.get(key)
    if ct is None:
        ct = np.ones(*key)
        ct.flags.writeable = False
        if len(_ONES) < 64:
            _ONES[key] = ct
    return ct


# Captured cotangents as the gradients that `grad` returns, which the caller may write to.

ndarray = np.ndarray


def collect(sweep, nodes, inputs, allow_unused):
    """The captured gradients as tensors, None where nothing arrived."""
    out = []
    for i, node in enumerate(nodes):
        ct = None if node is UNDEFINED else sweep.captured.get(node.seq)
        if ct is None or ct is UNDEFINED:
            if not allow_unused:
                raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the "
                                   "graph. Set "
                                   "allow_unused=True if this is the desired behavior.")
            out.append(None)
        else:
            if type(ct) is Ambient and sweep.create_graph and ct.owner is AMBIENT and ct.tangent is None and (
                    type(ct.value) is ndarray and ct.value.base is None):
                t = wrap(ct.value)
                t.node = ct.node
                out.append(t)
                continue
            out.append(wrap(ct) if type(ct) is ndarray else sweep.tensor(plain(ct)))
    return tuple(out)


def own_memory(ct, drive):
    """A cotangent as what the caller of `grad` may write to: itself if it is the sweep's alone, else a copy."""
    if type(ct) is ndarray:
        return ct if drive.mine and ct.flags.writeable and (ct.base is None or reshaped(ct)) else ct.copy()
    if type(ct) is Ambient and type(ct.value) in ARRAYS and (drive.create_graph or overlapping(ct.value)):
        return ct.owner.box(ct.value.copy(), ct.aval, ct.node, ct.tangent)
    return ct.copy() if type(ct) in ARRAYS or isinstance(ct, OtherLayout) else ct


def reshaped(ct):
    """Tell whether an array is all of the memory of another one in another shape."""
    whole = type(ct.base) is ndarray and ct.base.flags.owndata and ct.base.nbytes == ct.nbytes
    return whole and ct.flags.c_contiguous


def plain(ct):
    """A number as an array, anything else as it is."""
    return ct if isinstance(ct, extend.Tracer | OtherLayout) or type(ct) in ARRAYS else np.asarray(ct)
