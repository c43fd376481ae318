"""One run of the engine: what nodes ask for while the sweep runs them."""

import itertools
from contextvars import ContextVar
from weakref import ref

import numpy as np

from ..... import _engine, extend
from ....._interpreters import Ambient
from ..graph import versions
from ..graph.node import AccumulateGrad
from ..graph.node_data import visible
from ..modes.modes import modes
from ..state.edges import edge
from ..state.levels import AMBIENT, GradTrace
from ..types.arrays import ARRAYS
from ..types.tensor_type import TensorBase, wrap
from ..values.core_values import lift, lower
from .recorded_rules import is_piecewise, tied
from .root_gradients import own_memory

ndarray = np.ndarray


class Sweep:
    """One run of the engine: what nodes ask for while they run."""

    checked = versions.LAST
    __slots__ = ("again", "anomaly", "backward", "called", "capture", "captured", "chosen", "create_graph", "key",
                 "masked", "mine", "nans", "needed", "node", "outputs", "places", "plain", "recorder", "retain",
                 "roots", "ruled", "runs", "shown", "trace")

    def __init__(self, trace, retain, create_graph):
        self.trace = trace
        self.masked = False  # whether zeros are strong by now
        self.retain = retain
        self.create_graph = create_graph
        self.capture = self.needed = self.outputs = self.places = self.runs = None
        self.shown = None  # the cotangent that a hook saw last, and its tensor
        self.captured = {}
        self.called = None  # the hooks on the first of several gradients that were called
        self.again = None  # what makes `again` of a rule, in a sweep that is recorded, where nothing looks on
        self.backward = True  # whether this is a backward pass of users, with callbacks at its end
        self.mine = False  # whether nobody beside the sweep has the memory of the cotangent that a node is given
        self.ruled = False  # whether a node did nothing but run its rule
        self.chosen = False  # whether gradients of some tensors alone were asked for
        m = modes()
        self.anomaly = m.anomaly
        self.nans = m.nans
        self.recorder = m.recorder
        self.plain = not create_graph and m.anomaly is None and m.recorder is m.nans is None

    def remember(self, roots):
        """Note where the sweep starts, and a number of it, which hooks on several tensors ask for; and, for hooks of
        leaves, when these are complete."""
        self.roots = [n for n, _ in roots]
        self.key = next(KEYS)
        self.places = turns_of_leaves(self.roots, self.needed) if HOOKED_LEAVES else None
        return self

    def tie(self, out, node):
        """The output of a node's rule, tied to it where the backward pass is recorded."""
        return tied(out, node, self) if is_piecewise(node.rule) else out

    def take(self, seq, ct):
        """Keep the cotangent of a node that `grad` asked for, in memory of its own."""
        self.captured[seq] = own_memory(ct, self)
        self.mine = False

    def tensor(self, ct):
        """A cotangent as the tensor that hooks and `.grad` see."""
        if type(ct) is _engine.Scatter:
            ct = ct.dense()
        if type(ct) is ndarray or not isinstance(ct, extend.Tracer):
            return wrap(ct if type(ct) is not ndarray or ct.flags.writeable else ct.copy())
        if not self.create_graph and type(ct) is Ambient and ct.owner is self.trace and ct.tangent is None:
            ct = ct.value
        return lift(forwards(ct))

    def value(self, tensor):
        """The cotangent of a tensor that a hook returned."""
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"hook should return a Tensor or None, but got {type(tensor).__name__}")
        v = lower(tensor)
        if not self.create_graph and type(v) is Ambient and v.owner is self.trace and v.tangent is None:
            v = v.value
        return v

    def keep(self, tensor, ct):
        """Retain the gradient of a non-leaf tensor."""
        meta = tensor.autograd_meta
        if meta.grad is None or not self.create_graph:
            new = self.tensor(ct)
            if type(new.value) in ARRAYS and not self.create_graph:
                new = wrap(new.value.copy())
            if meta.grad is not None:
                new = self.tensor(lower(meta.grad) + lower(new))
            meta.grad = new
        else:
            meta.grad = self.tensor(lower(meta.grad) + ct)


def forwards(v):
    """A core value whose array runs forwards along all axes, copied if need be: torch has no negative strides."""
    holder, u = None, v
    while isinstance(u, extend.Tracer):
        holder, u = u, u.value
    if type(u) in ARRAYS and u.base is not None and any(s < 0 for s in u.strides):
        if holder is None:
            return u.copy()
        holder.value = u.copy()
    return v


def level_of(outputs):
    """The level whose tape is swept: the one of the outputs that has a history."""
    for t in outputs:  # an edge has no level
        trace = getattr(t, "level_trace", None)
        if isinstance(trace, GradTrace) and not trace.done:
            return trace
    return AMBIENT


def note_hooks(leaf):
    """Have backward passes call the hooks of a leaf as soon as its gradient is complete, while the leaf lives."""
    key = id(leaf)
    HOOKED_LEAVES[key] = ref(leaf, lambda _: HOOKED_LEAVES.pop(key, None))


def turns_of_leaves(roots, needed):
    """`{number: place}` of the leaves that a sweep reaches: right behind the oldest node that has one as a parent."""
    last, seen, stack = {}, set(roots), list(roots)
    while stack:
        node = stack.pop()
        parents = node.parents if type(node.parents) is tuple else (node.parents,)
        for k, parent in enumerate(parents):
            if needed is not None and parent.seq not in needed:
                continue
            if isinstance(parent, AccumulateGrad):
                last[parent.seq] = max(last.get(parent.seq, (node.seq, 0)), (node.seq, (k + 1) / (len(parents) + 1)))
            elif parent not in seen:
                seen.add(parent)
                stack.append(parent)
    for root in roots:
        last.pop(root.seq, None)
    return {number: seq + part for number, (seq, part) in last.items()}


KEYS = itertools.count()
HOOKED_LEAVES: dict[int, ref] = {}  # the leaves with hooks, while they live: sweeps then ask when leaves are complete
RUNNING: ContextVar[tuple] = ContextVar("covector_torch_sweep", default=None)


def running():
    """The number of the running sweep."""
    return RUNNING.get().key


def task():
    """A number of the running sweep, which is its own; None outside one."""
    sweep = RUNNING.get()
    if sweep is None:
        return None
    if not hasattr(sweep, "key"):
        sweep.key = next(KEYS)
    return sweep.key


def reached(tensors):
    """The number of the given tensors that the running backward pass reaches."""
    sweep = RUNNING.get()
    seen = set()
    stack = [n for n in sweep.roots if sweep.needed is None or n.seq in sweep.needed]
    while stack:
        node = stack.pop()
        if node.seq in seen:
            continue
        seen.add(node.seq)
        parents = node.parents if type(node.parents) is tuple else (node.parents,)
        stack.extend([p for p in parents if p.seq not in seen and (sweep.needed is None or p.seq in sweep.needed)])
    return sum(n is not None and visible(n)[0].seq in seen for n in map(edge, tensors))
