"""Changes of shape in place: `t_`, `transpose_`, `squeeze_`, `unsqueeze_`, `as_strided_`.

The tensor becomes its own view: the array is replaced by that of the out-of-place operation, whose node becomes the
history. Views that were made of it before keep the steps that lead back to the old shape (`views.synced`).
"""

from math import prod

import numpy as np

from ....._primitives import Places
from ..dispatch.call import attach
from ..dispatch.signatures import takes
from ..graph.versions import bump
from ..inplace.inplace import check_inplace, check_levels
from ..modes.inference import check_write
from ..modes.modes import enter, leave
from ..state.edges import version_of
from ..state.levels import AMBIENT, BatchTrace
from ..tensor.storage import restride
from ..types.tensor_type import FOREIGN, GENERAL, Tensor, TensorBase, bottom, more, needs_grad, shape_dtype
from ..values.tangents import tangent_of
from ..views.views import PICK, RESHAPE, TRANSPOSE, move_history
from .axes import ndim_of

METHODS = {  # name -> the operation that makes the view, and the name of the node
    "t_": ("t", "TBackward1"), "transpose_": ("transpose", "TransposeBackward1"),
    "swapaxes_": ("transpose", "TransposeBackward1"), "swapdims_": ("transpose", "TransposeBackward1"),
    "unsqueeze_": ("unsqueeze", "UnsqueezeBackward1"), "squeeze_": ("squeeze", "SqueezeBackward3"),
    "as_strided_": ("as_strided", "AsStridedBackward1"),
}


def method(name):
    """`Tensor.t_` of `Tensor.t`."""
    source, node = METHODS[name]

    def relay(self, *args, **kwargs):
        aside = check(self, name)
        title = node
        if name == "squeeze_" and (args or kwargs):
            dim = args[0] if args else kwargs["dim"]
            title = "SqueezeBackward4" if isinstance(dim, int) else "SqueezeBackward5"
        if name == "t_" and ndim_of(self) > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {ndim_of(self)}D")
        entered = enter(grad=True, inference=False) if aside else None
        try:
            out = getattr(Tensor, source)(self, *args, **kwargs)
        finally:
            if aside:
                leave(entered)
        adopt(self, out, title)
        bump(bottom(self))
        current(self)
        return self

    relay.__name__ = relay.__qualname__ = name
    relay.__doc__ = f"Apply `{source}` in place."
    return relay


def check(t, name):
    """Refuse what PyTorch refuses, and values whose memory is not their own. Tell whether a tensor has a history that
    does not hear of the change, as in no_grad: gradients have to find the way back to its shape."""
    check_levels(t, (), name)
    check_write(t)
    u, aside = t, False
    while True:
        if u.level_trace is FOREIGN:
            raise NotImplementedError(f"Tensor.{name} inside covector's own transforms is not supported; use "
                                      f"{name[:-1]}()")
        if tangent_of(u) is not None:
            raise NotImplementedError(f"Tensor.{name} of a tensor with a tangent is not supported; use {name[:-1]}()")
        if type(u.level_trace) is not BatchTrace:
            if (u.level_trace or AMBIENT).recording:
                if needs_grad(u):
                    check_inplace(u)
            elif u.node is not None and more(u).base is None:
                aside = True
        if not isinstance(u.value, TensorBase):
            return aside
        u = u.value


def adopt(t, out, title):
    """Make a tensor its own view `out`, level by level."""
    shape, _ = shape_dtype(t)
    steps = None if out.autograd_meta is None else out.autograd_meta.steps
    back = way_back(steps[-1], shape) if steps and more(t).base is None else None
    if isinstance(t.value, TensorBase):
        adopt(t.value, out.value, title)
    else:
        t.value = out.value
    if type(t.level_trace) is BatchTrace:
        if t.autograd_meta is not None:
            t.autograd_meta.mapped = None  # its axes lie otherwise than when it came into the vmap
        return
    if not steps:  # an inference tensor has no views
        return
    meta = more(t)
    if meta.base is None:
        meta.relaid = (back, *meta.relaid)
        t.dispatch_key = GENERAL
    else:
        meta.steps, meta.put = steps, None
    node = out.node
    if node is not None and (t.level_trace or AMBIENT).recording:
        node.more().name = title
        move_history(t, node)
    elif t.node is not None and meta.base is None:
        if node is None:
            raise NotImplementedError(f"{title}: a change of shape in place under a no_grad around a transform, of a "
                                      "tensor with a history outside of it, is not supported; use detach()")
        extra = node.more()
        extra.name, extra.edges = t.node.name(), t.node.operand_nodes()
        move_history(t, node)


def way_back(step, shape):
    """The step that leads from the new shape of a tensor back to the old one; None where elements were left out."""
    prim, params = step
    if prim is TRANSPOSE:
        return TRANSPOSE, (tuple(np.argsort(params[0]).tolist()),)
    if prim is not PICK:
        return RESHAPE, (shape,)
    shown, back = np.unique(params[0].index, return_index=True)
    return (PICK, (Places(back.reshape(shape)),)) if shown.size == prod(shape) else None


def current(t):
    """The history of a view, at every level that records, is that of the memory's new version; at the others it is made
    again from that of the base when it is asked for."""
    while isinstance(t, TensorBase):
        meta = t.autograd_meta
        if meta is not None and meta.base is not None and (t.level_trace or AMBIENT).recording:
            meta.attr_version = version_of(t)
        t = t.value


@takes("ints size, ints stride, int? storage_offset=")
def as_strided_(self, size, stride, storage_offset=None):
    """Apply `as_strided` in place."""
    if needs_grad(self) or self.autograd_meta is not None and self.autograd_meta.base is not None:
        return _restrided(self, size, stride, storage_offset)
    return restride(self, size, stride, storage_offset)


for _name in METHODS:
    attach(_name, method(_name))
_restrided = Tensor.as_strided_
attach("as_strided_", as_strided_)
