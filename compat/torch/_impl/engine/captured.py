"""Captured cotangents as the gradients that `grad` returns, which the caller may write to."""

import functools

import numpy as np

from ..... import _engine, extend
from ....._engine import Ambient
from ..graph.undefined import UNDEFINED
from ..native import functions as native
from ..state.levels import AMBIENT
from ..types.arrays import ARRAYS
from ..types.number_cache import FLOATS
from ..types.other_layout import OtherLayout
from ..types.tensor_type import FAST, GENERAL, Tensor, new, wrap
from ..views.overlap import overlapping

ndarray = np.ndarray


gradients = None  # that of native/sweeps.py, where there is native code
_engine.small_item(globals(), "gradients", functools.partial(native.function, symbol="gradients"))


def collect(sweep, nodes, inputs, allow_unused):
    """The captured gradients as tensors, None where nothing arrived."""
    if gradients is not None:
        found = gradients(sweep.captured, nodes, AMBIENT if sweep.create_graph else None)
        if found is not None:
            return found
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
                value = ct.value
                t = new(Tensor)  # `wrap`, of an array that is known
                t.value = value
                t.node = ct.node
                t.autograd_meta = t.level_trace = None
                t.wants_grad = False
                t.dispatch_key = FAST if value.dtype in FLOATS else GENERAL
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
