"""Calling a node by hand where the operation that it stands for is composed of several here: a sweep through all."""

from ..graph.node import JointNode
from ..graph.node_data import led_to, visible
from ..modes.modes import modes
from .captured import collect
from .engine import prepare, root, sweep_from
from .gradient_edge import GradientEdge
from .graph_task import Sweep, level_of


def composed(node):
    """Tell whether the operands that a node shows are not those of its rule."""
    edges = node.edges()
    if edges is None:
        return False
    parents = node.parents if type(node.parents) is tuple else (node.parents,)
    return tuple([e for e in edges if e is not None]) != tuple(parents)


def pulled(node, grads):
    """The gradients of the operands of a node, from its outputs to the nodes of the operands and no further."""
    behind = {led_to(e): e for e in node.edges() if e is not None}
    shown = node.operands()
    edges = [edge for edge in shown if edge[0] is not None]
    if len(set(edges)) < len(edges):
        raise NotImplementedError(f"calling {node.name()} of an operation with one operand twice is not supported: it "
                                  "is composed of several here; use torch.autograd.grad")
    create_graph = modes().grad
    heads = node.parents if isinstance(node, JointNode) else (node,)
    level = level_of(grads)
    roots = [root(i, GradientEdge(*visible(head), head), g, level, create_graph)
             for i, (head, g) in enumerate(zip(heads, grads)) if g is not None]
    sweep = Sweep(level, True, create_graph)
    sweep.backward = False
    inputs = [GradientEdge(*edge, behind[edge]) for edge in edges]
    nodes = prepare(sweep, roots, inputs, False)
    if sweep.runs is not None:
        sweep.runs -= {n.seq for n in nodes}
    sweep_from(roots, sweep)
    found = iter(collect(sweep, nodes, inputs, True))
    out = tuple([None if n is None else next(found) for n, _ in shown])
    return out[0] if len(out) == 1 else out
