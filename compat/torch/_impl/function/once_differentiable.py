"""once_differentiable: a backward whose gradients cannot be differentiated again."""

import functools

from ..... import _engine
from ..graph.node import WithoutRule
from ..modes.modes import MODES, modes, restore, set_modes
from ..state.edges import accumulator, edge
from ..types.tensor_type import TensorBase, needs_grad


def once_differentiable(fn):
    """Mark a backward that cannot be differentiated again: a second derivative raises a RuntimeError.

    >>> import covector.compat.torch as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @torch.autograd.function.once_differentiable
    ...     def backward(ctx, grad):
    ...         return 2.0 * ctx.saved_tensors[0] * grad
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(Square.apply(x), x)
    (tensor(6.),)
    """

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        before = MODES.get()
        try:
            set_modes(grad=False)
            outputs = fn(ctx, *args)
        finally:
            restore(before)
        if not modes().grad or not any(isinstance(a, TensorBase) and needs_grad(a) for a in args):
            return outputs
        single = not isinstance(outputs, tuple)
        outputs = (outputs,) if single else outputs
        marked = _refusing(outputs)
        return marked[0] if single else marked

    wrapper.once = True
    return wrapper


class Error(WithoutRule):
    """The node of what must not be differentiated; `saved` is what it says."""

    __slots__ = ()

    def name(self):
        """torch's name of the node that refuses."""
        return "torch::autograd::Error"

    def apply(self, ct, drive):
        """Refuse."""
        raise RuntimeError(self.saved)


class UndefinedGradBackward(WithoutRule):
    """The node of the identity whose gradient is undefined, whatever arrives."""

    __slots__ = ()

    def name(self):
        """torch's name of the node."""
        return "torch::autograd::UndefinedGradBackward"

    def apply(self, ct, drive):
        """An undefined gradient."""
        return self.undefined()


class DelayedError:
    """The identity of some tensors, whose derivative raises an error with a message."""

    def __init__(self, message, count):
        self.message = message.decode() if isinstance(message, bytes) else message
        self.count = count

    def __call__(self, *tensors):
        found = tuple([behind(Error, t, [edge(u) for u in tensors if needs_grad(u)], self.message) for t in tensors])
        return found[0] if self.count == 1 else found


class UndefinedGrad:
    """The identity of some tensors, whose derivative is undefined."""

    def __call__(self, *tensors):
        found = tuple([behind(UndefinedGradBackward, t, [edge(t)]) if needs_grad(t) else t.detach() for t in tensors])
        return found[0] if len(found) == 1 else found


def behind(kind, t, parents, saved=None):
    """The values of a tensor, made by a node of a kind."""
    out = t.detach()
    if parents:
        out.node = node = kind()
        node.rule = None
        node.parents = tuple(parents)
        node.saved = saved
        node.seq = _engine.next_seq()
        node.extra = None
    return out


def _refusing(outputs):
    """Gradients that refuse to be differentiated again; the edges of their node lead to leaves of their own."""
    leaves = [o.detach().requires_grad_() if isinstance(o, TensorBase) else None for o in outputs]
    edges = [None if leaf is None else accumulator(leaf) for leaf in leaves]
    found = []
    for o, leaf in zip(outputs, leaves):
        if leaf is not None:
            o = behind(Error, leaf, [e for e in edges if e is not None],
                       "trying to differentiate twice a function that was marked with @once_differentiable")
            o.node.more().edges = edges
        found.append(o)
    return tuple(found)
