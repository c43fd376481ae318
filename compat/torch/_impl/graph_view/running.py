"""What user code may ask about the backward pass that calls it, and versions that it may set."""

import contextlib

from ..engine.graph_task import RUNNING, task
from ..graph import versions
from ..types.tensor_type import TensorBase
from ..types.tensor_value import bottom
from .shown_node import dress


def current_autograd_node():
    """The node that runs now; None outside of a backward pass."""
    node = getattr(RUNNING.get(), "node", None)
    return None if node is None else dress(node)


def current_graph_task_id():
    """A number of the backward pass that runs now; -1 outside of one."""
    number = task()
    return -1 if number is None else number


def keeps_graph():
    """Whether the backward pass that runs now keeps what nodes saved; True outside of one."""
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
