"""The nodes of the stateful tape as fast roads make them, and the values that carry them.

Compiled with recording.pxd beside it.
"""

from ..... import _engine
from ....._interpreters import Ambient
from ..types.blank import blank_node
from .node import GradNode

next_seq = _engine.next_seq


def noted(rule, parents, saved):
    """A node with the next number."""
    node = blank_node(GradNode)
    node.rule = rule
    node.parents = parents
    node.saved = saved
    node.seq = next_seq()
    node.extra = None
    return node


def boxed(owner, value, node, aval):
    """A value of a trace without a tangent."""
    kind: type = Ambient
    out = kind.__new__(kind)
    out.owner = owner
    out.value = value
    out.node = node
    out.aval = aval
    out.tangent = None
    return out
