"""Programs: what the body of an operation comes to for operands of some shapes, run again without the body.

Which signature fits, which axes are meant, which primitives run and which rule each of them takes: for plain tensors of
floats all that follows from shapes, dtypes and the other arguments of a call. A call that is seen again is recorded as
its primitives, and from then on these alone are run, each with its node. A body that looks at the elements of a tensor,
or does anything else that its operands' shapes do not decide, has no program, and goes the general path.
"""

from operator import itemgetter

import numpy as np

from ..... import _engine
from ..graph.node import GradNode
from ..graph.node_data import visible
from ..graph.node_names import NamedRule, name_of
from ..graph.versions import root_of
from ..modes.errstate import restore_fp_warnings, suppress_fp_warnings
from ..modes.warnings import INSTEAD
from ..state.edges import accumulator, fresh, untangled
from ..types.dtypes import Default, dtype as Dtype
from ..types.number_cache import FLOATS
from ..types.size import Size, memory_format
from ..types.tensor_type import FAST, GENERAL, Tensor, TensorBase, new
from .call_recorder import (
    LARGE,
    LARGE_STEPS,
    Recorder,
    Several,
    Unfit,
    flattened,
    needed,
    rule_of,
    saving,
    sources_of,
    taking,
    traced,
)
from .output_aliasing import DUPLICATE
from .signatures import check, synonyms, title

ndarray = np.ndarray
next_seq = _engine.next_seq
DECLINED = object()  # the output of a program where the general path is to be taken
_STATIC = frozenset({bool, int, str, type(None), Dtype, memory_format})
_NESTS = frozenset({tuple, list, Size})
_KEPT = 64  # programs of an operation
PATIENCE = [1]  # how often a call is seen before its program is made


def lookup(row, args, kwargs, recording):
    """`(program, tensors, values)` of a call: its tensors in order, and what a program starts from.

    In place of the program there is a key where `compile_call` is to make it, and None where there is none.

    Args:
        row: the operation.
        recording: whether operands that ask for gradients are recorded.
    """
    key, tensors, values = [Default.float], [], [np]
    if not described(args, key, tensors, values, recording, row.blind) or kwargs and not described_by_name(
            kwargs, key, tensors, values, recording, row.blind) or not tensors:
        return None, None, None
    key = tuple(key)
    programs = row.programs
    seen = programs.get(key, 0)
    if type(seen) is not int:
        return seen, tensors, values
    if len(programs) >= _KEPT:
        programs.clear()
    if seen >= PATIENCE[0]:
        return key, tensors, values
    programs[key] = seen + 1
    return None, None, None


def described(args, key, tensors, values, recording, blind):
    """Add what a program depends on to a key, and the tensors and their arrays to lists; False where there can be no
    program."""
    for a in args:
        kind = type(a)
        if kind is Tensor:
            x = a.value
            dtype = x.itemsize  # which tells floats apart, and hashes in 10 ns where a dtype takes 50
            if a.dispatch_key:
                if a.dispatch_key == GENERAL:
                    if not blind or not whole(a):
                        return False
                    dtype = x.dtype
                elif not (fresh(a) if recording else untangled(a)):
                    return False
            tensors.append(a)
            values.append(x)
            key += (x.shape, x.strides, dtype, recording and (a.node is not None or a.wants_grad))
        elif kind in _STATIC:
            key += (kind, a)
        elif kind is float:
            key += (kind, a if a and a == a else str(a))  # -0.0 equals 0.0, and NaN no other one
        elif kind in _NESTS:
            key += (kind, len(a))
            if not described(a, key, tensors, values, recording, blind):
                return False
        else:
            return False
    return True


def described_by_name(kwargs, key, tensors, values, recording, blind):
    """`described` of the arguments that are given by name."""
    key += kwargs
    return "out" not in kwargs and described(kwargs.values(), key, tensors, values, recording, blind)


def whole(t):
    """Whether a tensor is an ambient one of integers or booleans."""
    meta = t.autograd_meta
    return t.level_trace is None and t.value.dtype.kind in "biu" and (meta is None or not meta.inference)


def compile_call(row, key, args, kwargs, tensors, values, recording, answer):
    """Make the program of a call, None where there is none, and return the output of the general road."""
    program = None
    token, before = suppress_fp_warnings(), INSTEAD.get()
    INSTEAD.set(Unfit)
    try:
        program = made(row, args, kwargs, tensors, recording)
        if not program.fits(answer, program.run(tensors, list(values))):
            program = None
    except Exception:  # whatever a body does not do on boxes, it does on the general path
        program = None
    finally:
        INSTEAD.set(before)
        restore_fp_warnings(token)
    row.programs[key] = program
    return answer if PATIENCE[0] or program is None else program.run(tensors, values)


def made(row, args, kwargs, tensors, recording):
    """The program of a call."""
    size = max([t.value.size for t in tensors])
    if size > LARGE:
        raise Unfit
    recorder = Recorder([np])
    boxes = iter([recorder.box(t.value) for t in tensors])
    given = boxed(args, boxes)
    named = synonyms(row.name, dict(zip(kwargs, boxed(kwargs.values(), boxes))))
    answer = row.body(*given, **named)
    if size > LARGE_STEPS and len(recorder.steps) > 1:
        raise Unfit
    name = title(row, check(row, args, kwargs)[2], given, named)
    active = [i + 1 for i, t in enumerate(tensors) if recording and (t.node is not None or t.wants_grad)]
    call = row, tuple(unboxed(given)), dict(zip(named, unboxed(named.values())))
    return Program(recorder, answer, len(tensors), active, name, call)


def boxed(args, boxes):
    """Arguments as a body takes them, with the next boxes in place of tensors."""
    return [next(boxes) if isinstance(a, TensorBase) else a.numpy if type(a) is Dtype else
            type(a)(boxed(a, boxes)) if type(a) in _NESTS else a for a in args]


def unboxed(args):
    """Arguments as a node keeps them: an Ellipsis for what has tensors."""
    return [... if traced(a) else a for a in args]


class Program:
    """The steps of a call: what they compute, the rules of those that are recorded, and where the outputs are."""

    __slots__ = ("active", "constants", "count", "edges", "nest", "only", "outs", "steps")

    def __init__(self, recorder, answer, count, active, title, call):
        results = []
        self.nest = flattened(answer, results)
        self.count = count
        self.active = active[::-1]  # the last leaf first: they are then reached in order
        self.edges = []
        arrays = recorder.arrays
        steps, live = needed(recorder.steps, results)
        if any(p <= count for p in results):
            raise Unfit  # an operand itself
        recorded = set(active)
        rules = [rule_of(step, arrays, recorded) for step in steps]
        sources = [sources_of(step, rule, arrays) for step, rule in zip(steps, rules)]
        constants = [p for p in sorted(recorder.constants) if p in live]
        self.constants = [frozen(arrays[p]) for p in constants]
        where = {p: i for i, p in enumerate((*range(count + 1), *constants))}
        for found in sources:
            for k, source in enumerate(found):
                if type(source) is not int and type(source) is not Several:
                    found[k] = -1 - len(self.constants)  # a constant of the rule, not of the body
                    self.constants.append(source)
        first = count + 1  # of the constants
        for step in steps:
            for p in step.made():
                where[p] = first + len(self.constants) + len(where) - count - 1 - len(constants)
        titled = {step.place for step in steps if not set(step.made()).isdisjoint(results)} if title else ()
        self.steps = []
        for step, rule, found in zip(steps, rules, sources):
            parents = [where[step.operands[i]] for i in rule.active] if rule is not None else None
            if rule is not None and step.place in titled:
                rule = self.named(rule, title, call, parents, where[step.place])
            places = [first - 1 - s if type(s) is int and s < 0 else [where[p] for p in s] if type(s) is Several else
                      where[s] for s in found]
            picks = [_engine.pick_rule(len(step.parts), k) if p in recorded else None
                     for k, p in enumerate(step.parts)]
            self.steps.append((step.prim.impl, taking(step, where), rule, parents and itemgetter(*parents),
                               saving(places), picks))
        shared = *arrays[1 : count + 1], *[arrays[p] for p in constants]
        roots = [id(root_of(x)) for x in shared if type(x) is ndarray]
        self.outs = [Out(where[p], arrays[p], roots) for p in results]
        self.only = self.outs[0] if self.nest == 0 else None

    def named(self, rule, title, call, parents, place):
        """The rule of an output's node under torch's name, which shows the operands of the operation."""
        if rule.prim.elementwise and name_of(rule) == title:
            return NamedRule(rule, title, call=call) if len(call[1]) + len(call[2]) > self.count else rule
        if any(p > self.count for p in parents) or not set(self.active) <= set(parents):
            self.edges.append(place)
            return NamedRule(rule, title, call=call)
        spots = [parents.index(i) if i in parents else None for i in range(1, self.count + 1)]

        def shows(node):
            found = node.parents if type(node.parents) is tuple else (node.parents,)
            return [None if k is None else found[k] for k in spots]

        return NamedRule(rule, title, shows, call)

    def run(self, tensors, values):
        """The output for tensors of the program's kind; DECLINED where an operation refuses them.

        `values` is NumPy and the tensors' arrays, a list that the run takes over.
        """
        values += self.constants
        nodes = [None] * len(values)
        for i in self.active:
            t = tensors[i - 1]
            node = t.node
            nodes[i] = accumulator(t) if node is None else node
        token = suppress_fp_warnings()
        try:
            for impl, take, rule, parents, save, picks in self.steps:
                v = impl(*take(values))
                values.append(v)
                if rule is None:
                    node = None
                else:
                    node = GradNode()
                    node.rule = rule
                    node.parents = parents(nodes)
                    node.saved = None if save is None else save(values)
                    node.seq = next_seq()
                    node.extra = None
                nodes.append(node)
                if picks:
                    values += v
                    nodes += [None if pick is None else picked(pick, node) for pick in picks]
        except (ValueError, TypeError, ArithmeticError):
            return DECLINED  # it says what is wrong
        finally:
            restore_fp_warnings(token)
        if self.edges:
            shown = tuple(nodes[1 : self.count + 1])
            for i in self.edges:
                nodes[i].more().edges = shown
        if self.only is not None:
            return self.only.tensor(values, nodes)
        return nested(self.nest, [out.tensor(values, nodes) for out in self.outs])

    def fits(self, theirs, mine):
        """Whether the output of the general path is that of the program, which takes over its layout."""
        theirs, mine = tensors_of(theirs), tensors_of(mine)
        return len(theirs) == len(mine) and all(map(alike, theirs, mine)) and all(
            out.lies(b.value, a.value) for out, a, b in zip(self.outs, theirs, mine))


def frozen(x):
    """A constant that no write through what a node shows as saved can change for later calls."""
    if type(x) is ndarray:
        x = np.array(x)
        x.flags.writeable = False
    return x


def picked(rule, node):
    """The node of one of several outputs."""
    pick = GradNode()
    pick.rule = rule
    pick.parents = node
    pick.saved = None
    pick.seq = next_seq()
    pick.extra = None
    return pick


class Out:
    """An output: its place, whether it is to be copied, the order of its axes in memory if not its own."""

    __slots__ = ("copied", "order", "place", "dispatch_key")

    def __init__(self, place, array, roots):
        self.place = place
        self.copied = type(array) is ndarray and id(root_of(array)) in roots
        self.order = None
        self.dispatch_key = FAST if array.dtype in FLOATS else GENERAL

    def tensor(self, values, nodes):
        """The tensor of a run."""
        v = values[self.place]
        if type(v) is not ndarray:
            v = np.asarray(v)
        elif self.copied:
            v = DUPLICATE.impl(np, v)
        if self.order is not None:
            v = np.ascontiguousarray(v.transpose(self.order)).transpose(np.argsort(self.order))
        t = new(Tensor)
        t.value = v
        t.node = nodes[self.place]
        t.autograd_meta = t.level_trace = None
        t.wants_grad = False
        t.dispatch_key = self.dispatch_key
        return t

    def lies(self, own, like):
        """Make the outputs lie in memory as an array does, where they do not by themselves; False if they cannot."""
        if own.strides != like.strides:
            self.order = sorted(range(like.ndim), key=lambda axis: -like.strides[axis])
            own = np.empty([like.shape[a] for a in self.order]).transpose(np.argsort(self.order))
        return own.strides == tuple([s // like.itemsize * own.itemsize for s in like.strides])


def alike(a, b):
    """Whether two tensors have the same elements, and histories of the same name."""
    x, y = a.value, b.value
    return (x.dtype is y.dtype and x.shape == y.shape and close(x, y)
            and (a.node is None) is (b.node is None) and (a.node is None or shown(a) == shown(b)))


def close(x, y):
    """Whether two arrays are the same but for the last bits, which depend on where matrices lie in memory."""
    if x.dtype.kind in "biu":
        return bool((x == y).all())
    scale = 64 * np.finfo(x.dtype).eps
    top = np.max(np.abs(x), initial=0.0, where=np.isfinite(x))
    return np.allclose(x, y, scale, scale * top, equal_nan=True)


def shown(t):
    """torch's name of the node of a tensor."""
    return visible(t.node)[0].name()


def nested(nest, tensors):
    """An output from its nest."""
    if nest is None or type(nest) is int:
        return None if nest is None else tensors[nest]
    kind, nests = nest
    found = [nested(n, tensors) for n in nests]
    return kind(*found) if hasattr(kind, "_fields") else kind(found)


def tensors_of(answer):
    """The tensors of an output, in order."""
    if not isinstance(answer, tuple):
        return [] if answer is None else [answer]
    return [t for v in answer for t in tensors_of(v)]
