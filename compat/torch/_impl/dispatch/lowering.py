"""The arguments of an operation as core values, and its outputs as tensors whose nodes have torch's names."""

import functools

import numpy as np

from ..... import _interpreters
from ....._engine import library_of
from ..graph.node_names import NamedRule
from ..modes.modes import MODES
from ..staged.recorder import Recorder, Unfit, traced
from ..state.edges import accumulator, edge
from ..state.levels import AMBIENT
from ..state.meta import on_device
from ..types import dtypes
from ..types.tensor_type import FAST, TensorBase, needs_grad
from ..values.core_values import lift, lower, transfer
from .call_source import DECLINED, Program, unshared
from .signatures import title
from .staged_calls import LARGE, alike, staged, tensors_of


def lowered(x):
    """An argument as core values: tensors, and lists or tuples of them."""
    if isinstance(x, TensorBase):
        if x.dispatch_key != FAST:
            return lower(x)
        node = x.node
        if node is None and x.wants_grad:
            node = accumulator(x)
        return x.value if node is None or not AMBIENT.recording else AMBIENT.box(x.value, node=node)
    if type(x) in _PLAIN:
        return x
    if type(x) in (list, tuple) and any(isinstance(v, TensorBase) for v in x):
        return type(x)([lowered(v) for v in x])
    if isinstance(x, dtypes.dtype):
        return x.numpy
    return x


def lowered_there(x):
    """`lowered`, on the GPU, where numbers on the CPU meet tensors on one."""
    if isinstance(x, TensorBase) and not on_device(x):
        return transfer(lowered(x), "cpu", "cuda")
    if type(x) in (list, tuple) and any(isinstance(v, TensorBase) for v in x):
        return type(x)([lowered_there(v) for v in x])
    return lowered(x)


def tensors_in(args, kwargs):
    """The tensors among arguments, in order."""
    found = []
    for x in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(x, TensorBase):
            found.append(x)
        elif type(x) in (list, tuple):
            found += [v for v in x if isinstance(v, TensorBase)]
    return found


def lifted(v, node_name, tensors, call=None):
    """The tensor(s) of an output; the node gets torch's name, the operands' edges and the other arguments."""
    if isinstance(v, tuple):
        out = [lifted(x, node_name, tensors, call) for x in v]
        return type(v)(*out) if hasattr(v, "_fields") else tuple(out)
    if v is None:
        return None
    t = u = lift(unshared(v, tensors))
    while node_name is not None:  # name the node at every level
        node = u.node
        if node is not None:
            dress_node(node, node_name, tensors, call)
        u = u.value
        if not isinstance(u, TensorBase):
            break
    return t


def dress_node(node, name, tensors, call=None):
    """Name a node as torch does, and show the operands of the whole operation as its edges."""
    for t in tensors:
        if node is t.node:
            return  # the answer is an operand itself
    rule = node.rule
    if rule is not None and rule.prim is None and isinstance(node.parents, _interpreters.AmbientNode):
        node = node.parents  # a picked output: its node is the one that users see
        rule = node.rule
    if rule is None:
        return  # the answer is an operand itself
    alone = rule.prim is not None and rule.prim.elementwise and node.name() == name
    if call is not None and call[0].ties and rule.prim is not None:
        node.rule = tying(rule, name)
    if alone:
        # its operands are those of the operation
        if call is not None and (node.extra is not None or len(call[1]) + len(call[2]) > len(tensors)):
            node.more().call = noted(*call)
        return
    extra = node.more()
    extra.name = name
    if call is not None:
        extra.call = noted(*call)
    if extra.edges is None:
        extra.edges = tuple([edge(t) if needs_grad(t) else None for t in tensors])


@functools.lru_cache(256)
def tying(rule, name):
    """The rule of the node of a piecewise linear operation."""
    return NamedRule(rule, name, ties=True)


_PLAIN = frozenset({bool, int, float, str, type(None)})


def noted(row, args, kwargs):
    """A call as a node keeps it: without tensors."""
    return (row, tuple([x if type(x) in _PLAIN else without_tensors(x) for x in args]),
            {k: without_tensors(x) for k, x in kwargs.items()} if kwargs else {})


def without_tensors(x):
    """An argument, an Ellipsis for tensors, which a node must not keep."""
    return ... if isinstance(x, TensorBase) or type(x) in (list, tuple) and tensors_in(x, None) else x


# Programs: what the body of an operation comes to for operands of some shapes, run again without the body.
#
# Which signature fits, which axes are meant, which primitives run and which rule each of them takes: for plain tensors
# of floats all that follows from shapes, dtypes and the other arguments of a call. The body of a call that is seen
# again is
# staged to a graph, and from then on the source that `call_source.py` writes of it is run, nodes and all. It computes
# by the same functions in the same order: when it is made changes no bit of a result. A body that looks at elements of
# a
# tensor, or does anything else that its operands' shapes do not decide, has no program, and goes the general path.

ndarray = np.ndarray


def made(row, args, kwargs, tensors, m, answer):
    """The program of a call, whose output by the general road this is; None where it gives another one."""
    program = build_program(row, args, kwargs, tensors, m, tensors_of(answer))
    return program if fits(answer, trial(program, tensors, m)) else None


def trial(program, tensors, m):
    """Run a program without calling the user's hooks."""
    if m is None or m.packing is None:
        return program.run(*tensors)
    try:
        MODES.set(m.but(hooks=(type(m.packing)(_same, _same),)))
        return program.run(*tensors)
    finally:
        MODES.set(m)


def _same(t):
    return t


def build_program(row, args, kwargs, tensors, m, like):
    """The program of a call whose output lies in memory as tensors do."""
    size, (kind, *others) = max([t.value.size for t in tensors]), {type(t.value) for t in tensors}
    if others or kind is ndarray and size > LARGE:
        raise Unfit
    records = m is None or m.packing is not None
    recorded = [i for i, t in enumerate(tensors) if records and (t.node is not None or t.wants_grad)]
    recorder = Recorder(library_of(tensors[0].value), not recorded)
    answer, given, named, way = staged(recorder, row, args, kwargs, tensors)
    name = title(row, way, given, named)
    call = row, tuple(unboxed(given)), dict(zip(named, unboxed(named.values())))
    return Program(recorder, answer, [t.value for t in like], recorded, name, call, m)


def unboxed(args):
    """Arguments as a node keeps them: an Ellipsis for what has tensors."""
    return [... if traced(a) else a for a in args]


def fits(theirs, mine):
    """Tell whether the output of the general path is that of the program."""
    theirs, mine = tensors_of(theirs), [] if mine is DECLINED else tensors_of(mine)
    return len(theirs) == len(mine) and all(map(alike, theirs, mine))
