"""`backward` and `grad`: from tensors to roots of the backward pass, and from its cotangents to gradients."""

import numpy as np

from ..... import _interpreters
from ....._interpreters import Ambient
from ..graph.node_data import HOOKED, picks
from ..graph.node_errors import UNDEFINED
from ..modes.modes import IN_NO_GRAD, MODES, leave_level, set_modes
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.edges import accumulator, edge
from ..state.levels import AMBIENT
from ..state.meta import library, on_device
from ..state.plain import OPEN
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import GENERAL, Tensor, TensorBase, needs_grad, shape_dtype
from ..values.core_values import lower
from . import callbacks, recorded_rules
from .callbacks import nested
from .gradient_edge import GradientEdge, node_of
from .graph_task import HOOKED_LEAVES, RUNNING, Sweep, level_of
from .root_gradients import check_implicit, collect, like, ones, plain, seed

ndarray = np.ndarray


def run(*args):
    """`swept`, counting how deep sweeps are nested."""
    return swept(*args) if RUNNING.get() is None else nested(swept, *args)


def swept(outputs, grads, retain, create_graph, inputs, accumulate, allow_unused):
    """Sweep from `outputs`; returns the captured gradients of `inputs` when not accumulating."""
    level, roots = AMBIENT, []
    for t, g in zip(outputs, grads):
        found = plain_root(t, g)
        # One is not plain: all go the general way, so that errors come in the order of the outputs.
        if found is None:
            for t in outputs:
                if not isinstance(t, (TensorBase, GradientEdge)):
                    raise TypeError(f"expected Tensors to differentiate, but got {type(t).__name__}")
            cts = [seed(i, t, g) for i, (t, g) in enumerate(zip(outputs, grads))]
            level = level_of(outputs)
            roots = [root(i, t, g, level, create_graph) for i, (t, g) in enumerate(zip(outputs, cts))]
            break
        roots.append(found)
    sweep = Sweep(level, retain, create_graph)
    if inputs:
        nodes = prepare(sweep, roots, inputs, accumulate)
    sweep_from(roots, sweep)
    if not inputs or accumulate:
        return None
    return collect(sweep, nodes, inputs, allow_unused)


def sweep_from(roots, sweep):
    """Run a sweep from `[(node, ct), …]`, which it empties: nobody else may keep the graph alive."""
    before, state, outer = MODES.get(), error_state(), RUNNING.get()
    waiting = callbacks.begin() if callbacks.PENDING else ()
    try:
        if not sweep.create_graph:
            MODES.set(IN_NO_GRAD if before is None else before.ungrading())
        else:
            if before is not None and not before.grad:
                set_modes(grad=True)
            if OPEN[0] and sweep.trace is AMBIENT and bare(MODES.get()):
                sweep.again = recorded_rules.programs
        suppress_fp_warnings()
        if HOOKED or HOOKED_LEAVES:
            sweep.remember(roots)
        RUNNING.set(sweep)
        _interpreters.sweep(roots, 0, masked=True, drive=sweep)
        if callbacks.PENDING:
            callbacks.run()
    finally:
        # One within the other: an interrupt in one restoration does not keep the others from being done.
        try:
            RUNNING.set(outer)
        finally:
            try:
                restore_fp_warnings(state)
            finally:
                MODES.set(before)
                if waiting or callbacks.PENDING:
                    callbacks.end(waiting)


def bare(m):
    """Tell whether nothing but grad mode decides how operations are recorded."""
    return m is None or not (m.hooks or m.maps) and m.level is m.selector is m.answers is m.anomaly is m.nans is (
        m.recorder) is None


def plain_backward(t, g, retain):
    """`t.backward(g)` of an ambient tensor of floats outside of all modes and sweeps, the commonest case; False
    for others."""
    if MODES.get() is not None or RUNNING.get() is not None:
        return False
    found = plain_root(t, g)
    if found is None:
        return False
    sweep_from([found], Sweep(AMBIENT, retain, False))
    return True


def plain_root(t, g):
    """`root` of an ambient tensor of floats whose cotangent is one too, or is left out; None for others."""
    if type(t) not in PLAIN_KINDS or t.node is None or t.dispatch_key == GENERAL:
        return None
    value = t.value
    if g is None:
        if value.size != 1:
            return None
        ct = ones(value.shape, value.dtype)
    else:
        if type(g) not in PLAIN_KINDS or g.dispatch_key or g.node is not None or g.wants_grad:
            return None
        ct = g.value
        if ct.shape != value.shape or ct.dtype is not value.dtype:
            return None
    # The node of a view may be stale after a write to the memory.
    node = edge(t) if t.dispatch_key else t.node
    return None if node is None or node.lost else (node, ct)


def root(i, t, g, level, create_graph):
    """The root of a backward pass for one output: its node, and the cotangent as the rules take it."""
    node = edge(t) if isinstance(t, TensorBase) else node_of(t, ())
    if node is None or node.lost:
        raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    ct = lower(g)
    # Unless the sweep is recorded, the rules of this level take the values below it.
    if not create_graph and type(ct) is Ambient and ct.owner is level and ct.tangent is None:
        ct = ct.value
    dtype = like(t, g)[1]
    return node, ct if ct.dtype is dtype or ct.dtype == dtype else ct.astype(dtype)


def sweep_level(trace, outputs, grads, inputs):
    """The gradients of `inputs` at a level, one level down, None where nothing arrives.

    Without `grads`: a function of the cotangents, which may be called after the level is done and as often as wanted.
    """
    nodes = [accumulator(t) for t in inputs]
    heads = [(edge(t) if t.level_trace is trace else None, *shape_dtype(t)) for t in outputs]

    def run_once(cts, retain=True):
        sweep = Sweep(trace, retain, False)
        sweep.backward = False
        roots = []
        for t, (node, shape, dtype), g in zip(outputs, heads, cts):
            if node is None:
                continue
            if g is None:
                check_implicit(shape, dtype)
                roots.append((node, ones(shape, dtype) if not on_device(t) else library(t).ones(shape, dtype)))
                continue
            ct = lower(seed(len(roots), t, g))
            if type(ct) is Ambient and ct.owner is trace:
                ct = ct.value
            roots.append((node, ct if ct.dtype == dtype else ct.astype(dtype)))
        if not roots:
            return [None] * len(nodes)
        sweep.capture = {n.seq for n in nodes}  # the leaves of a level are these alone: no node leads nowhere wanted
        before, state, outer = MODES.get(), error_state(), RUNNING.get()
        try:
            leave_level(trace)
            suppress_fp_warnings()
            if HOOKED or HOOKED_LEAVES:
                RUNNING.set(sweep.remember(roots))
            _interpreters.sweep(roots, 0, masked=True, drive=sweep)
        finally:
            try:
                RUNNING.set(outer)
            finally:
                try:
                    restore_fp_warnings(state)
                finally:
                    MODES.set(before)
        found = [sweep.captured.get(n.seq) for n in nodes]
        return [None if c is None or c is UNDEFINED else sweep.tensor(plain(c)) for c in found]

    return run_once if grads is None else run_once(grads, False)


def prepare(sweep, roots, inputs, accumulate):
    """Find the nodes of the inputs and what has to run to reach them."""
    nodes = []
    for t in inputs:
        if type(t) in PLAIN_KINDS and t.wants_grad and t.node is None and not t.dispatch_key:
            nodes.append(accumulator(t))
            continue
        if isinstance(t, GradientEdge):
            nodes.append(node_of(t, [n for n, _ in roots]))
            continue
        if not isinstance(t, TensorBase):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(t).__name__}")
        if accumulate and t.node is None and not needs_grad(t):
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if not needs_grad(t):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        # An input that is no leaf gets a `.grad` as if it had retained it.
        if accumulate and t.node is not None:
            Tensor.retain_grad(t)
        nodes.append(accumulator(t) if t.wants_grad and t.node is None else edge(t))
        if nodes[-1] is None or nodes[-1].lost:
            nodes[-1] = UNDEFINED
    runs = wanted(sweep, roots, nodes)
    if accumulate:
        sweep.capture = sweep.outputs = None
        if runs is not None:
            sweep.runs = runs | {n.seq for n in nodes if n is not UNDEFINED}
    elif runs is not None and any(n is not UNDEFINED and not n.of_leaf for n in nodes):
        sweep.plain = False  # what is captured on the way is looked for at each node
    return nodes


def wanted(sweep, roots, nodes):
    """Let a sweep reach `nodes` and no others, and capture what arrives there; returns the nodes that run, None for all
    but the leaves among them."""
    sweep.chosen = True
    targets = {n.seq for n in nodes if n is not UNDEFINED}
    outputs = {}  # number of a node with several outputs -> those that are wanted: they are captured when it runs
    every = True  # whether all leaves that are reached are wanted, and nothing else is
    for n in nodes:
        if n is UNDEFINED:
            every = False
        elif not n.of_leaf:
            every = False
            if picks(n):
                outputs.setdefault(n.parents.seq, []).append((n.rule.active[0], n.seq))
    sweep.capture = targets - {seq for found in outputs.values() for _, seq in found} if outputs else targets
    sweep.outputs = outputs or None
    needed, runs = set(), set()
    if walk([n for n, _ in roots], targets, outputs, needed, runs, every):
        return None
    sweep.needed = needed
    sweep.runs = runs
    roots[:] = [(n, c) for n, c in roots if n.seq in needed]
    return runs


def walk(stack, targets, outputs, needed, runs, every):
    """Add the numbers of what leads to targets to `needed`, targets among them, and of what has such parents to `runs`.

    Where `every` says that all targets are leaves, and no other leaf is reached, nothing is added: the output is True.
    """
    seen = set(stack)
    order = []
    # By a stack of its own: graphs are deeper than Python may recurse.
    while stack:
        node = stack.pop()
        order.append(node)
        parents = node.parents
        if type(parents) is tuple:
            if not parents and every and node.seq not in targets:
                every = False
            for parent in parents:
                if parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
        elif parents not in seen:
            seen.add(parents)
            stack.append(parents)
    if every:
        return True
    order.sort(key=_age)  # parents are older than what they lead to
    for node in order:
        seq, parents = node.seq, node.parents
        if any_in(parents if type(parents) is tuple else (parents,), needed):
            runs.add(seq)
            needed.add(seq)
        elif seq in targets or seq in outputs:
            needed.add(seq)
    return False


def any_in(parents, needed):
    """Tell whether some nodes are among those that are told by their numbers."""
    for parent in parents:
        if parent.seq in needed:
            return True
    return False


def _age(node):
    return -node.seq
