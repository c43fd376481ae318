"""The visible history of a tensor at the level it is looked at from."""

from ..graph.node import AccumulateGrad
from ..modes.modes import MODES
from ..types.tensor_type import FOREIGN
from .edges import edge
from .levels import BatchTrace


def edge_or_none(t):
    """The node of a non-leaf tensor, brought up to date."""
    meta = t.autograd_meta
    if meta is not None and meta.base is not None:
        node = edge(t)
        return None if isinstance(node, AccumulateGrad) else node
    return t.node


def visible_level(t):
    """Tell whether the history of a tensor is that of the running level: under vmap a tensor has none."""
    return not isinstance(t.level_trace, BatchTrace)


def in_transform(t):
    """The kind of the running transform that a tensor is a value of, or None."""
    trace = t.level_trace
    return None if trace is None or trace is FOREIGN or trace.done else type(trace)


def inference_mode():
    """Tell whether inference mode is on."""
    m = MODES.get()
    return m is not None and m.inference
