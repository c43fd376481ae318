"""Programs as Python source: one straight line of primitives, then the nodes and tensors that they give."""

import numpy
import numpy as np

from ..... import _engine, _interpreters
from ....._interpreters import Ambient
from .....extend import REGISTRY, Tracer
from ..graph import versions
from ..graph.node_names import NamedRule, name_of
from ..graph.recording import noted
from ..graph.versions import root_of
from ..modes.modes import MODES
from ..modes.warnings import QUIET, enter_error_state, error_state, restore_fp_warnings
from ..staged.recorder import Box, Unfit
from ..staged.writer import Writer, compiled, listed
from ..state.edges import accumulator
from ..state.makers import tensor_of
from ..types.arrays import ARRAYS
from ..types.number_cache import FLOATS
from ..types.tensor_type import FAST, GENERAL, INFERENCE, INFERRED, TensorBase, bottom
from ..values.tangents import tangent_of

Literal = _interpreters.Literal
DECLINED = object()  # the output of a program where the general path is to be taken
REFUSED = (ValueError, TypeError, ArithmeticError)  # the general path says what is wrong
_ROOM = {
    "MODES": MODES, "accumulator": accumulator, "enter": enter_error_state,
    "state": error_state, "leave": restore_fp_warnings, "QUIET": QUIET, "REFUSED": REFUSED, "DECLINED": DECLINED,
    "INFERRED": INFERRED, "noted": noted, "tensor_of": tensor_of}


def pack(node, packing, numbers):
    """Pack what a new node saved, but for operands that are numbers."""
    if not node.rule.keeps:
        return
    extra = node.more()
    extra.packing = packing
    extra.quiet = False
    extra.packed = True
    node.saved = packing.pack(node, node.saved, numbers)


_ROOM["pack"] = pack


def kept(rule):
    """The origins of the values that a rule saves."""
    return [origin for origin in rule.origins if origin is not None]


class Program:
    """The program of a call: `run(*tensors)` gives the output, or DECLINED; `source` is its text, as `print` shows.

    Args:
        recorder: what staged the body; `answer` is what that gave.
        like: the arrays of the general path's output, whose places in memory those of the program have.
        recorded: the places of the tensors that have a history, or start one.
        title: torch's name of the nodes of the output; `call` is that of an `Extra`.
        m: the modes it is made for: None, or those of `lookup`.
    """

    __slots__ = ("room", "run", "source")

    def __init__(self, recorder, answer, like, recorded, title, call, m=None):
        name = "program_of_" + call[0].name.replace(".", "_")
        writer = CallWriter(recorder, recorded, m)
        self.finish(name, writer, writer.text(name, answer, like, title, call))

    def finish(self, name, writer, source):
        """Make the function of its text."""
        self.source = source
        file = f"{__file__} {name}"
        self.room = writer.room | {"__name__": file, "__loader__": self}
        exec(compiled(self.source, file), self.room)
        self.room |= {name: _engine.small(self.room[name], quiet=True) for name in writer.ufuncs}
        self.run = self.room[name]

    def __repr__(self):
        return self.source

    def get_source(self, name):
        """The text, for tracebacks and debuggers."""
        return self.source


class CallWriter(Writer):
    """Writes the source of a graph whose outputs and nodes are a tensor's."""

    def __init__(self, recorder, recorded, m):
        super().__init__(recorder, recorded, _ROOM, 2)
        self.inferred = m is not None and m.inference
        self.packs = m is not None and m.packing is not None

    def text(self, name, answer, like, title, call):
        """The function's text."""
        results = []
        shown = self.expression(answer, results)
        graph = self.recorder.finish(results)
        if not set(graph.outputs).isdisjoint(self.inputs):
            raise Unfit  # an operand itself
        tensors = [f"t{i}" for i in range(len(self.inputs))]
        self.write(0, f"def {name}({', '.join(tensors)}):")
        self.write(1, f"{', '.join(self.names.values())} = {', '.join(t + '.value' for t in tensors)}")
        for v in reversed(self.active):  # the last leaf first: they are then reached in order
            n = self.nodes[v]
            self.write(1, f"{n} = t{n[1:]}.node or accumulator(t{n[1:]})")
        if self.packs:
            self.write(1, "packing = MODES.get().packing")
        silent = all(map(self.silent, graph.equations))
        if not silent:
            self.write(1, "token = state()")
        self.write(1, "try:")
        if not silent:
            self.write(2, "enter(QUIET)")
        rules = [self.rule_of(k, eq) for k, eq in enumerate(graph.equations)]
        for k, eq in enumerate(graph.equations):
            self.compute(k, eq)
        self.write(1, "except REFUSED:")
        self.write(2, "return DECLINED")
        if not silent:
            self.write(1, "finally:")
            self.write(2, "leave(token)")
        for k, (eq, rule) in enumerate(zip(graph.equations, rules)):
            if rule is not None:
                if title is None or set(eq.outputs).isdisjoint(graph.outputs):  # None: nodes go by their own names
                    self.record(k, eq, rule)
                else:
                    self.record_as(k, eq, rule, title, call)
        roots = self.shared_roots(graph)
        for k, (v, array) in enumerate(zip(graph.outputs, like, strict=True)):
            self.tensor(k, v, array, roots)
        self.write(1, f"return {shown}")
        self.let_go(graph)
        return "\n".join(self.lines) + "\n"

    def shared_roots(self, graph):
        """The memory of operands and constants, which no output may lie in."""
        shared = [self.values[v] for v in self.inputs]
        for eq in graph.equations:
            shared += [v.value for v in eq.inputs if type(v) is Literal] + list(eq.params)
        return {id(root_of(x)) for x in shared if type(x) in ARRAYS}

    def record_as(self, k, eq, rule, title, call):
        """`record` under the title of the operation."""
        rule, apart = self.named(rule, title, [eq.inputs[i] for i in rule.active], call)
        self.record(k, eq, rule)
        if apart:
            self.write(1, f"m{k}.more().edges = {listed([str(self.nodes.get(v)) for v in self.inputs])}")

    def rule_of(self, k, eq):
        """The rule of an equation; under saved-tensor hooks that of the general road, which says what they see."""
        rule = super().rule_of(k, eq)
        if not self.packs or rule is None:
            return rule
        general = rule.prim.rule(rule.active)
        return rule if set(kept(rule)) == set(kept(general)) else general

    def record(self, k, eq, rule):
        """The lines that make the node of an equation; hooks do not see the numbers among its operands."""
        self.numbers = tuple([i for i, v in enumerate(eq.inputs) if type(v) is Literal and not numpy.ndim(v.value)])
        super().record(k, eq, rule)

    def node(self, name, rule, parents, saved):
        """The lines that make a node; what it saved is packed where there are hooks."""
        self.write(1, f"{name} = noted({self.constant(rule, 'RULE')}, {parents}, {saved})")
        if self.packs and rule.keeps:
            self.write(1, f"pack({name}, packing, {self.numbers})")

    def named(self, rule, title, parents, call):
        """The rule of an output's node under torch's name, which shows the operands of the operation.

        Beside it whether those are noted at the node itself.
        """
        ties = call[0].ties
        if rule.prim.elementwise and name_of(rule) == title:
            plain = len(call[1]) + len(call[2]) <= len(self.inputs) and not ties
            return rule if plain else NamedRule(rule, title, None, call, ties), False
        if not set(self.active) <= set(parents) <= set(self.inputs):
            return NamedRule(rule, title, None, call, ties), True
        spots = [parents.index(v) if v in parents else None for v in self.inputs]

        def shows(node):
            found = node.parents if type(node.parents) is tuple else (node.parents,)
            return [None if k is None else found[k] for k in spots]

        return NamedRule(rule, title, shows, call, ties), False

    def tensor(self, k, v, like, roots):
        """The lines that make a tensor of an output, which lies in memory as an array does."""
        name, own, np = self.names[v], self.values[v], self.room["np"]
        if type(own) is not np.ndarray:
            own, name = np.asarray(own), f"np.asarray({name})"
        elif id(root_of(own)) in roots:
            own, name = DUPLICATE.impl(np, own), f"{self.constant(DUPLICATE.impl, 'duplicate')}(np, {name})"
        if own.strides != like.strides:
            order = sorted(range(like.ndim), key=lambda axis: -like.strides[axis])
            back = sorted(range(own.ndim), key=order.__getitem__)
            own = np.ascontiguousarray(own.transpose(order)).transpose(back)
            name = f"np.ascontiguousarray({name})" if order == back == list(range(like.ndim)) else (
                f"np.ascontiguousarray({name}.transpose({order})).transpose({back})")
        if own.strides != like.strides:
            raise Unfit
        key = GENERAL if own.dtype not in FLOATS or np is not numpy else INFERENCE if self.inferred else FAST
        self.write(1, f"out{k} = tensor_of({name}, {self.nodes.get(v)}, {'INFERRED' if self.inferred else None}, None, "
                      f"{key})")

    def expression(self, answer, results):
        """The source expression of the output of its tensors; appends their boxes to `results`."""
        if answer is None:
            return "None"
        if type(answer) is Box:
            results.append(answer)
            return f"out{len(results) - 1}"
        if not isinstance(answer, tuple):
            raise Unfit
        parts = listed([self.expression(v, results) for v in answer])
        kind = type(answer)
        if kind is tuple:
            return parts
        return f"{self.constant(kind, kind.__name__)}({'*' * hasattr(kind, '_fields')}{parts})"


# Answers in memory of their own: NumPy gives views where torch's operations copy.

ndarray = np.ndarray
DUPLICATE = REGISTRY["duplicate"]


def unshared(v, tensors):
    """A core value whose memory is none of the operands', nor its tangents' that of theirs: as it is, or copied."""
    u = v
    if type(u) is Ambient and u.tangent is None:  # by far the commonest: an array of its own
        u = u.value
    if type(u) is ndarray and u.base is None:
        for t in tensors:
            if t.value is u:
                break
        else:
            if all(type(t.value) is ndarray for t in tensors):
                return v
    u = v
    while isinstance(u, Tracer):
        if type(u) is Ambient and u.tangent is not None:
            separate(u, tensors)
        u = u.value
    return own(v, tensors)


def separate(u, tensors):
    """Copy the tangent of a value where it lies in the memory of an operand's, which may be written to."""
    b = u.tangent
    while isinstance(b, Tracer):
        b = b.value
    if type(b) in ARRAYS:
        root = versions.root_of(b)
        if any(versions.root_of(a) is root for t in tensors for a in arrays_of(t)):
            u.tangent = DUPLICATE.fun(u.tangent)


def arrays_of(t):
    """The arrays of the tangents of a tensor, at all levels."""
    while isinstance(t, TensorBase):
        tangent = tangent_of(t)
        if tangent is not None:
            b = bottom(tangent)
            if type(b) in ARRAYS:
                yield b
            yield from arrays_of(tangent)
        t = t.value


def own(v, tensors):
    """A core value whose memory is none of the operands': as it is, or with its array copied."""
    holder, u = None, v
    while isinstance(u, Tracer):
        holder, u = u, u.value
    if type(u) not in ARRAYS:
        return v
    arrays = [b for b in map(bottom, tensors) if type(b) in ARRAYS]
    if u.base is None:
        shared = any(u is b for b in arrays)
    else:
        root = versions.root_of(u)
        shared = any(versions.root_of(b) is root for b in arrays)
    if not shared:
        return v
    copy = DUPLICATE.impl(np, u)
    if holder is None:
        return copy
    holder.value = copy
    return v


def renewed(v, given):
    """An output, or each of several; one that is an operand itself becomes a copy with a node of its own."""
    if isinstance(v, tuple):
        parts = [renewed(x, given) for x in v]
        return type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
    if isinstance(v, Tracer):
        node = v.node if type(v) is Ambient else None
        for x in given:
            for y in x if type(x) in (list, tuple) else (x,):
                if v is y or node is not None and type(y) is Ambient and y.node is node:  # one history
                    return DUPLICATE.fun(v)
    return v
