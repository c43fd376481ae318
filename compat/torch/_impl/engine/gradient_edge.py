"""Edges of the graph as users see them: a node, and the index of one of its outputs."""

from collections import namedtuple

from ..graph.node import AccumulateGrad
from ..graph.node_data import visible


class GradientEdge(namedtuple("GradientEdge", ("node", "output_nr", "ownership_token"), defaults=(None,))):
    """An edge of the graph: a node and the index of one of its outputs. `grad` and `backward` accept it like a tensor.

    >>> import covector.compat.torch as torch
    >>> y = torch.tensor(3.0, requires_grad=True).exp()
    >>> torch.autograd.graph.GradientEdge(y.grad_fn, 0).output_nr
    0
    """

    like = None  # shape and dtype of the output, where they are known


def tensor_or_edge(x):
    """The leaf that an edge to an accumulator stands for; anything else as it is."""
    return x.node.saved if isinstance(x, GradientEdge) and isinstance(x.node, AccumulateGrad) else x


def node_of(x, roots):
    """The node on the tape of an edge: for an operation with several outputs, the one that picks the output."""
    if x.ownership_token is not None:
        return x.ownership_token
    stack, seen = list(roots), set()
    found = None
    while stack:
        node = stack.pop()
        if node.seq in seen:
            continue
        seen.add(node.seq)
        base, nr = visible(node)
        if base is x.node and nr == x.output_nr:
            if base is not node:
                return node
            found = node
        stack.extend(node.parents if type(node.parents) is tuple else (node.parents,))
    return found or x.node
