"""One node for the outputs of an operation that has one in PyTorch, and is composed of several here."""

import functools

from ..... import _engine
from ..graph.anomaly import stamp
from ..graph.node import JointNode
from ..graph.node_data import picks
from ..modes.modes import MODES
from ..state.levels import AMBIENT
from ..types.tensor_type import Tensor
from .call import attach


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
        t.node = AMBIENT.node(_engine.pick_rule(len(outputs), k), joint, None)
    return outputs
