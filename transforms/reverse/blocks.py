"""Blocked backward sweep over elementwise operations on large arrays, for cache locality.

One operation after the other reads and writes whole arrays in main memory, in fresh pages; a block of all of them stays
in the cache, and only what leaves the region is an array.
"""

from heapq import heappop, heappush
from types import SimpleNamespace

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.primitive.primitive import RAW, REGISTRY, NotLowered
from ...core.slots import Node
from ...core.tape.scatter import Scatter, accumulate
from ...core.tape.strong_zeros import holds_nan
from ...core.trace.tracer import Staged
from ..compile.lower.lowering import Lowering
from ..compile.render.functions import made_of
from ..compile.render.numpy.block_fusion import PULLBACK, Group
from ..compile.render.numpy.numpy_source import Source
from ..compile.rules.algebra import ALGEBRA
from ..compile.rules.rewrite import rewrite, rules
from ..graph.equations import Draft, Equation, Literal, Var

ndarray = np.ndarray
BLOCK = 1 << 16  # bytes of one cotangent in a block: some eight of them fit the second cache


def sweep_region(root, ct, pending, heap, masked):
    """Sweep from `root` through elementwise nodes alone, up to those that others wait for.

    Args:
        root: the newest node of the sweep, its rule pointwise; `ct` is its whole cotangent.
        pending, heap: those of the sweep, where the cotangents of the nodes at which the region ends are filed.
        masked: whether rules use strong zeros.
    Returns:
        whether it was done; not where fewer than two nodes are there to be joined.
    """
    steps, exits = _plan(root, ct, heap[0] if heap else None)
    if len(steps) < 2:
        return False
    for strong in (False, True) if masked else (False,):  # with strong zeros only where a NaN came out
        region = Region(ct, steps, exits, pending, strong)
        program = region.program()
        if program is None:
            return False
        try:
            answers = program(*region.arrays)
        except Unfit:
            return False
        if not any(map(holds_nan, answers)):
            break
    for node, answer in zip(exits, answers):
        answer = answer.reshape(ct.shape)
        seq = node.seq
        entry = pending.get(seq)
        if entry is None:
            pending[seq] = [node, answer, True, True]
            if node.rule is not None or type(node) is not Node:
                heappush(heap, seq)
        elif seq in region.earlier:
            entry[1], entry[2] = answer, True
        else:
            entry[1], entry[2] = accumulate(entry[1], answer), False
    return True


class Region:
    """The key of a sweep through elementwise nodes, by places: two regions of one key run the same source.

    `arrays` are its operands, flat; a reference is the place of an array, or a number.
    """

    def __init__(self, ct, steps, exits, pending, masked):
        self.dtype, self.shape = ct.dtype, ct.shape
        self.arrays = []
        self.known = {}  # where the elements of an array lie -> its place
        self.masked = masked
        self.earlier = {}  # the number of a node at an end -> the reference to what is there, which is first in a sum
        places = {node.seq: k for k, (node, _) in enumerate(steps)}
        for k, node in enumerate(exits):
            places[node.seq] = -1 - k
            entry = pending.get(node.seq)
            known = None if entry is None else entry[1].dense() if type(entry[1]) is Scatter else entry[1]
            if type(known) is ndarray and known.dtype is ct.dtype and known.shape == ct.shape:
                self.earlier[node.seq] = self.reference(known)
        self.first = self.reference(ct)
        self.exits = [self.earlier.get(node.seq) for node in exits]
        self.steps = []
        for node, saved in steps:
            parents = node.parents if type(node.parents) is tuple else (node.parents,)
            refs = tuple([self.place(v) if type(v) is ndarray and v.ndim else Number(v) for v in saved])
            self.steps.append((node.rule, tuple([places[p.seq] for p in parents]), refs))

    def reference(self, ct):
        """The reference to a cotangent: a number where all of its elements are one."""
        if not any(ct.strides):
            return Number(ct[(0,) * ct.ndim])
        flat = _flat(ct)
        return self.place(np.ascontiguousarray(ct).reshape(-1) if flat is None else flat)

    def place(self, flat):
        """The place of a flat array among the operands."""
        key = flat.__array_interface__["data"][0], flat.strides, flat.dtype
        place = self.known.get(key)
        if place is None:
            place = self.known[key] = len(self.arrays)
            self.arrays.append(flat)
        return place

    def program(self):
        """The function of the arrays that returns the cotangents at the ends, fresh; None if there is none."""
        key = (self.shape, self.dtype, self.masked, self.first, tuple(self.exits), tuple(self.steps),
               tuple([a.dtype for a in self.arrays]))
        found = _PROGRAMS.get(key, _PROGRAMS)
        if found is _PROGRAMS:
            if len(_PROGRAMS) >= _KEPT:
                _PROGRAMS.clear()
            found = _PROGRAMS[key] = self.compiled()
        return found

    def compiled(self):
        """The source of the region: its rules written down, folded, and run a block at a time."""
        aval = make_aval((int(np.prod(self.shape)),), self.dtype)
        inputs = [Var(make_aval(aval.shape, a.dtype)) for a in self.arrays]
        out = Pullbacks(aval, self.masked)
        cts = {0: self.value(self.first, inputs)}
        for k, ref in enumerate(self.exits):
            if ref is not None:
                cts[-1 - k] = self.value(ref, inputs)
        for k, (rule, parents, refs) in enumerate(self.steps):
            found = out.pulled(rule, cts.pop(k), [self.value(r, inputs) for r in refs], len(parents))
            if len(parents) == 2 and parents[0] == parents[1]:  # the order of sums is that of the sweep
                parents, found = parents[:1], [out.sum(*found)]
            for parent, c in zip(reversed(parents), reversed(found)):
                known = cts.get(parent)
                cts[parent] = c if known is None else out.sum(known, c)
        outputs = [cts[-1 - k] for k in range(len(self.exits))]
        return in_blocks(inputs, out.equations, outputs, aval, BLOCK)

    def value(self, ref, inputs):
        return inputs[ref] if type(ref) is int else Literal(ref.value)


class Number:
    """A number that a node saved; equal to one of the same type and the same bits."""

    __slots__ = ("value", "key")

    def __init__(self, value):
        self.value = value
        self.key = type(value), np.asarray(value).tobytes() if value is not None else None

    def __eq__(self, other):
        return type(other) is Number and self.key == other.key

    def __hash__(self):
        return hash(self.key)


_PROGRAMS = {}  # the key of a region -> its program, or None
_KEPT = 64


def _plan(root, ct, bound):
    """The steps `(node, what it saved)` of the region, newest first, and the nodes where it ends."""
    steps, exits = [], []
    shape = ct.shape
    if _flat(ct) is None and any(ct.strides):
        return steps, exits
    waiting = {root.seq: root}
    heap = [root.seq]
    while heap:
        seq = heappop(heap)
        node = waiting[seq]
        rule = node.rule
        if bound is not None and seq >= bound or rule is None or type(node) is not Node or not rule.pointwise:
            exits.append(node)
            if rule is not None and (bound is None or seq < bound):
                bound = seq
            continue
        saved = _sliceable(node.saved, shape)
        if saved is _NOT:
            exits.append(node)
            bound = seq
            continue
        for parent in node.parents if type(node.parents) is tuple else (node.parents,):
            if parent.seq not in waiting:
                waiting[parent.seq] = parent
                heappush(heap, parent.seq)
        steps.append((node, saved))
    return steps, exits


_NOT = object()


def _sliceable(saved, shape):
    """Values that a node saved, as a list, arrays flat; `_NOT` where blocks of the elements are not blocks of them."""
    if saved is None:
        return ()
    items = [_item(v, shape) for v in (saved if type(saved) is tuple else (saved,))]
    return _NOT if any(v is _NOT for v in items) else items


def _item(value, shape):
    if type(value) is ndarray and value.ndim:
        flat = _flat(value) if value.shape == shape else None
        return _NOT if flat is None else flat
    return value if value is None or type(value) in RAW else _NOT


def _flat(array):
    """A view of the elements in a row, or None."""
    if array.ndim == 1:
        return array if array.strides[0] else None
    return array.reshape(-1) if array.flags.c_contiguous else None


# Reverse rules of elementwise operations as equations, run block by block.
#
# A rule that is arithmetic and ufuncs alone is run once on variables, which write down what it computes. A rule with
# anything else in it is called as it is, on blocks.

_ALGEBRA = rules(*ALGEBRA)
_MOST_PROGRAMS = 64  # programs kept of one rule; of most there are at most four
# What of numbers is the same, bit for bit, whether it is computed of one or of many.
_EXACT = frozenset({np.add, np.subtract, np.multiply, np.divide, np.negative, np.square, np.reciprocal, np.sqrt})
_ROUNDED = frozenset({np.power, np.logaddexp})  # what the operations of these names compute differs in the last bits


class Unfit(Exception):
    """A region that cannot be run in blocks."""


def _ufuncs_of(dtype):
    """Tell of the equations of a rule which are ufuncs of one dtype; composite ones are lowered, others refused."""
    def stays(eq):
        out, known = eq.outputs[0].aval, eq.prim.ufunc
        if known is None and eq.prim.composite:
            return False
        if known is None or out.dtype is not dtype or known[0] in _ROUNDED or not out.shape and known[0] not in _EXACT:
            raise NotLowered
        return True

    return stays


class Pullbacks:
    """The equations of a region, one pullback after the other."""

    def __init__(self, aval, masked):
        self.aval = aval
        self.masked = masked
        self.equations = []

    def sum(self, x, y):
        """The sum of two cotangents."""
        if type(x) is Literal and type(y) is Literal:
            return Literal(np.add(x.value, y.value))
        out = Var(self.aval)
        self.equations.append(Equation(REGISTRY["add"], [x, y], (), [out]))
        return out

    def pulled(self, rule, ct, saved, count):
        """The cotangents of `count` parents, the rule written down or called as it is."""
        if not self.masked or rule.strong is rule.back:
            template = _template(rule, ct, saved, self.aval.dtype)
            if template is not None:
                return self.instantiated(template, [ct, *saved])
        outs = [Var(self.aval) for _ in range(count)]
        back = rule.strong if self.masked else rule.back
        self.equations.append(Equation(PULLBACK, [ct, *saved], (back,), outs))
        return outs

    def instantiated(self, template, given):
        """The equations of a template on other values."""
        inputs, equations, outputs = template
        known = dict(zip(inputs, given))
        for eq in equations:
            out = eq.outputs[0]
            known[out] = new = Var(self.aval if out.aval.shape else out.aval)
            self.equations.append(Equation(eq.prim, [known.get(v, v) for v in eq.inputs], (), [new]))
        return [known.get(v, v) for v in outputs]


def _template(rule, ct, saved, dtype):
    """`(inputs, equations, outputs)` of a rule; None for one that is called as it is."""
    key = (not ct.aval.shape, dtype, *[(v.aval.dtype, v.aval.ndim) if type(v) is Var else type(v.value) for v in saved])
    if rule.programs is None:
        rule.programs = {}
    found = rule.programs.get(key, key)
    if found is key:
        if len(rule.programs) >= _MOST_PROGRAMS:
            rule.programs.clear()
        found = rule.programs[key] = _written(rule, ct, saved, dtype)
    return found


def _written(rule, ct, saved, dtype):
    if any(type(v) is Literal and v.value is None for v in saved):
        return None
    trace = Lowering(SimpleNamespace(quiet=False, place=None), _ufuncs_of(dtype))
    inputs = [Var(v.aval) for v in (ct, *saved)]
    symbols = [trace.box(v) for v in inputs]
    try:
        found = rule.back(symbols[0], as_saved(symbols[1:]))
    except Exception:  # symbols do less than arrays; an error of the rule's own comes again when it is called
        return None
    finally:
        trace.done = True
    answers = found if type(found) is tuple else (found,)
    if any(type(v) is not Staged or v.owner is not trace for v in answers):
        return None
    return inputs, trace.equations, [v.node for v in answers]


def as_saved(items):
    """The argument of a rule for the list of values that its node saved."""
    return tuple(items) if len(items) > 1 else items[0] if items else None


def called(back, count, ct, *saved):
    """The cotangents that a rule gives for a block."""
    found = back(ct, as_saved(saved))
    found = found if type(found) is tuple else (found,)
    if len(found) != count or any(v is None for v in found):
        raise Unfit
    return found


def in_blocks(inputs, equations, outputs, aval, block):
    """The function of flat arrays that returns fresh ones, computed a block of so many bytes at a time."""
    draft = rewrite(Draft(inputs, equations, outputs), _ALGEBRA, compact=frozenset(inputs))
    made = {v for eq in draft.equations for v in eq.outputs}
    group = Group(draft.equations, aval.shape, False, block, called)
    group.outputs = list(dict.fromkeys(v for v in draft.outputs if v in made))
    draft.equations = [group] if group.equations else []
    source = Source(draft, frozenset(inputs))
    run = made_of(source, "region", warns=False)
    finish = [_finisher(v, v in draft.outputs[:k], v in made, aval) for k, v in enumerate(draft.outputs)]
    if not any(finish):
        return run
    return lambda *arrays: [f(x) if f else x for f, x in zip(finish, run(*arrays))]


def _finisher(v, again, own, aval):
    """The function that makes an array of the caller's own of an output, None where it is one."""
    if type(v) is Literal or not v.aval.shape:
        return lambda x: np.full(aval.shape, x, aval.dtype)
    return np.array if again or not own else None
