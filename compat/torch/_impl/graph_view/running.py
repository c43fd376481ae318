"""Introspection of the running backward pass by user code, and setters of version counters."""

import contextlib

from ..engine.graph_task import RUNNING, task
from ..graph import versions
from ..graph.node import GradNode
from ..graph.node_data import HOOKED, visible
from ..types.tensor_type import TensorBase, bottom
from .shown_node import dress


def current_autograd_node():
    """The node that runs now; None outside of a backward pass."""
    node = getattr(RUNNING.get(), "node", None)
    return None if node is None else dress(node)


def current_graph_task_id():
    """A number of the backward pass that runs now; -1 outside of one."""
    number = task()
    return -1 if number is None else number


def execution_order():
    """The nodes that the running backward pass runs, in their order."""
    return [dress(node) for node in _order("_current_graph_task_execution_order")]


def will_execute(node):
    """Tell whether the running backward pass runs a node; False for the one where it starts, as in PyTorch."""
    if not isinstance(node, GradNode):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    found = [visible(n)[0] for n in _order("_get_should_execute_nodes")]
    sweep = RUNNING.get()
    if node.of_leaf and sweep.capture is not None and node.seq in sweep.capture:
        raise RuntimeError("A leaf node was passed to _will_engine_execute_node but we are currently running "
                           "autograd.grad(). This is currently not supported.")
    starts = sweep.roots
    return any(n is node for n in found) and not (len(starts) == 1 and visible(starts[0])[0] is node)


def _order(name):
    """The nodes that the running sweep reaches, the youngest first."""
    sweep = RUNNING.get()
    if sweep is None or not sweep.backward:
        raise RuntimeError(f"{name} should only be called during the backward pass")
    roots = getattr(sweep, "roots", None)
    if roots is None:
        raise RuntimeError(f"{name} was first asked for inside of this backward pass, which has not kept where it "
                           "started; take the function from torch._C before the pass")
    needed, found = sweep.needed, {}
    stack = [n for n in roots if needed is None or n.seq in needed]
    while stack:
        node = stack.pop()
        if node.seq not in found:
            found[node.seq] = node
            parents = node.parents if type(node.parents) is tuple else (node.parents,)
            stack += [p for p in parents if p is not None and (needed is None or p.seq in needed)]
    return [found[seq] for seq in sorted(found)]


def watched(question):
    """A question about where a sweep leads; sweeps from now on remember where they start."""
    if not HOOKED:
        HOOKED.append(True)
    return question


def keeps_graph():
    """Tell whether the backward pass that runs now keeps what nodes saved; True outside of one."""
    sweep = RUNNING.get()
    return sweep is None or bool(sweep.retain)


def set_version_counters(tensors, counts):
    """Let the versions of tensors be these numbers."""
    for t, count in zip(tensors, counts, strict=True):
        versions.reset(bottom(t), count)


class unsafe_preserve_version_counter(contextlib.ContextDecorator):  # noqa: N801 (torch's name)
    """Writes to the tensors inside do not count: what was saved before is taken for unchanged, whether it is or not."""

    def __init__(self, tensors):
        self.tensors = (tensors,) if isinstance(tensors, TensorBase) else tuple(tensors)
        self.counts = tuple([t._version for t in self.tensors])

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        set_version_counters(self.tensors, self.counts)
