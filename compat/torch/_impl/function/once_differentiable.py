"""once_differentiable: a backward whose gradients cannot be differentiated again."""

import functools

from ..... import _engine
from ..graph.node import GradNode
from ..modes.modes import modes, restore, set_modes
from ..types.tensor_type import TensorBase, needs_grad


def once_differentiable(fn):
    """Mark a backward that cannot be differentiated again."""

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        before = set_modes(grad=False)
        try:
            outputs = fn(ctx, *args)
        finally:
            restore(before)
        if not modes().grad or not any(isinstance(a, TensorBase) and needs_grad(a) for a in args):
            return outputs
        single = not isinstance(outputs, tuple)
        outputs = (outputs,) if single else outputs
        marked = tuple([_refusing(o) if isinstance(o, TensorBase) else o for o in outputs])
        return marked[0] if single else marked

    return wrapper


class Error(GradNode):
    """The node of a gradient that must not be differentiated again."""

    __slots__ = ()

    def name(self):
        """torch's name of the node that refuses."""
        return "torch::autograd::Error"

    def run_in_sweep(self, ct, drive):
        """Refuse."""
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def _refusing(t):
    out = t.detach()
    node = Error()
    node.rule = None
    node.parents = ()
    node.saved = None
    node.seq = _engine.next_seq()
    node.extra = None
    out.node = node
    return out
