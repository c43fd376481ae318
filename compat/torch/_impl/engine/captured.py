"""Captured cotangents as the gradients that `grad` returns, which the caller may write to."""

import numpy as np

from ..... import extend
from ....._engine import Ambient
from ..graph.undefined import UNDEFINED
from ..state.levels import AMBIENT
from ..types.arrays import ARRAYS
from ..types.other_layout import OtherLayout
from ..types.tensor_type import wrap
from ..views.overlap import overlapping

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
