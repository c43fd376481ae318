"""Outputs that PyTorch has no derivative for: a node that raises when the backward pass reaches it."""

from ..... import _engine
from ..graph.node import GradNode
from ..state.edges import edge
from ..state.levels import AMBIENT, BatchTrace
from ..types.tensor_type import FOREIGN, at_level, needs_grad
from ..values.tangents import tangent_of


class Refusing(GradNode):
    """The node of an operation without a derivative."""

    __slots__ = ()

    def run_in_sweep(self, ct, drive):
        """Refuse."""
        raise NotImplementedError(f"the derivative for '{self.saved}' is not implemented.")


_KINDS = {}  # PyTorch's name of a node -> its class


def refusing(out, source, name, title):
    """`out`, computed from the values of `source`, with a node which refuses a gradient.

    Args:
        out: a tensor without history.
        name: the operation, for messages.
        title: PyTorch's name of the node.
    Raises:
        NotImplementedError: `source` has a tangent, or is a value of a transform of covector's own.
    """
    trace = source.level_trace
    if trace is FOREIGN or isinstance(trace, BatchTrace):
        return out
    if tangent_of(source) is not None:
        raise NotImplementedError(f"Trying to use forward AD with {name} that does not support it because it has not "
                                  "been implemented yet; detach() its operand")
    level = trace or AMBIENT
    if not needs_grad(source) or not level.recording:
        return out
    if trace is not None:
        out = at_level(trace, out)
    node = _KINDS.setdefault(title, type(title, (Refusing,), {"__slots__": (), "__module__": "torch.autograd"}))()
    node.rule = None
    node.parents = (edge(source),)
    node.saved = name
    node.seq = _engine.next_seq()
    node.extra = None
    node.more().name = title
    out.node = node
    return out
