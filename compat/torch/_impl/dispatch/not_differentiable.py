"""Nodes of outputs: one for several, and one that raises where PyTorch has no derivative."""

import functools

from ..... import _engine, _interpreters
from ..graph.anomaly import stamp
from ..graph.node import GradNode, JointNode
from ..graph.node_data import picks
from ..modes.modes import MODES
from ..state.edges import edge
from ..state.levels import AMBIENT, BatchTrace
from ..types.tensor_type import FOREIGN, Tensor, at_level, needs_grad
from ..values.tangents import tangent_of
from .call import attach


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


# One node for the outputs of an operation that has one in PyTorch, and is composed of several here.


def jointly(fun):
    """A public operation whose outputs have one node."""

    @functools.wraps(fun)
    def called(*args, **named):
        return joined(fun(*args, **named))

    called.row.fun = called
    if Tensor.__dict__.get(fun.row.name) is fun:
        attach(fun.row.name, called)
    return called


def joined(outputs):
    """Outputs with a node of their own each, as outputs of one; at levels of `func` as they are."""
    if not isinstance(outputs, tuple):
        return outputs
    nodes = [t.node for t in outputs]
    if any(t.level_trace is not None or n is None or picks(n) for t, n in zip(outputs, nodes)) or not AMBIENT.recording:
        return outputs
    joint = JointNode()
    joint.rule = joint.saved = joint.extra = None
    joint.parents = tuple(nodes)
    joint.seq = _engine.next_seq()
    extra = joint.more()
    extra.name, extra.edges = nodes[0].name(), nodes[0].edges()
    m = MODES.get()
    if m is not None and (m.anomaly is not None or m.nans is not None):
        stamp(joint)
    for k, t in enumerate(outputs):
        t.node = AMBIENT.node(_interpreters.pick_rule(len(outputs), k), joint, None)
    return outputs
