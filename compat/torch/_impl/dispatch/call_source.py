"""Programs as Python source: one straight line of primitives, then the nodes and tensors that they give."""

import functools
from math import isfinite

import numpy as np

from ..... import _engine, extend
from ..graph.node import GradNode
from ..graph.node_names import NamedRule, name_of
from ..graph.versions import root_of
from ..modes.errstate import QUIET, enter_error_state, restore_fp_warnings
from ..state.edges import accumulator
from ..types.number_cache import FLOATS
from ..types.tensor_type import FAST, GENERAL, INFERENCE, INFERRED, Tensor, new
from .call_recorder import Box, Unfit
from .output_aliasing import DUPLICATE

ndarray = np.ndarray
aval_of = extend.aval_of
Literal = _engine.Literal
DECLINED = object()  # the output of a program where the general path is to be taken
REFUSED = (ValueError, TypeError, ArithmeticError)  # the general path says what is wrong
_ROOM = {
    "np": np, "new": new, "Tensor": Tensor, "GradNode": GradNode, "next_seq": _engine.next_seq, "ndarray": ndarray,
    "accumulator": accumulator, "enter": enter_error_state, "leave": restore_fp_warnings, "QUIET": QUIET,
    "REFUSED": REFUSED, "DECLINED": DECLINED, "INFERRED": INFERRED}
_PLAIN = frozenset({int, bool, str, type(None)})


class Program:
    """What a call comes to: `run(*tensors)` gives the output, or DECLINED; `source` is its text, which `print` shows.

    Args:
        recorder: what staged the body; `answer` is what that gave.
        like: the arrays of the general path's output, whose places in memory those of the program have.
        recorded: the places of the tensors that have a history, or start one.
        title: torch's name of the nodes of the output; `call` is that of an `Extra`.
        inferred: whether the tensors are made in inference mode.
    """

    __slots__ = ("room", "run", "source")

    def __init__(self, recorder, answer, like, recorded, title, call, inferred=False):
        name = "program_of_" + call[0].name.replace(".", "_")
        writer = Writer(recorder, recorded, inferred)
        self.source = writer.text(name, answer, like, title, call)
        file = f"{__file__} {name}"
        self.room = writer.room | {"__name__": file, "__loader__": self}
        exec(compiled(self.source, file), self.room)
        self.run = self.room[name]

    def __repr__(self):
        return self.source

    def get_source(self, name):
        """The text, for tracebacks and debuggers."""
        return self.source


@functools.lru_cache(256)
def compiled(source, file):
    """Programs for other shapes mostly have the same text."""
    return compile(source, file, "exec")


class Writer:
    """Writes the source of a graph whose outputs and nodes are a tensor's."""

    def __init__(self, recorder, recorded, inferred):
        self.inferred = inferred
        self.values = recorder.values
        self.inputs = recorder.inputs
        self.recorder = recorder
        self.active = [self.inputs[i] for i in recorded]
        self.nodes = {v: f"n{i}" for i, v in zip(recorded, self.active)}  # of the variables that have one
        self.names = {v: f"x{i}" for i, v in enumerate(self.inputs)}
        self.room = dict(_ROOM)
        self.lines = []

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
        self.write(1, "token = enter(QUIET)")
        self.write(1, "try:")
        rules = [self.rule_of(k, eq) for k, eq in enumerate(graph.equations)]
        for k, eq in enumerate(graph.equations):
            self.compute(k, eq)
        self.write(1, "except REFUSED:")
        self.write(2, "return DECLINED")
        self.write(1, "finally:")
        self.write(2, "leave(token)")
        for k, (eq, rule) in enumerate(zip(graph.equations, rules)):
            if rule is not None:
                self.record(k, eq, rule, title if not set(eq.outputs).isdisjoint(graph.outputs) else None, call)
        shared = [self.values[v] for v in self.inputs]
        for eq in graph.equations:
            shared += [v.value for v in eq.inputs if type(v) is Literal] + list(eq.params)
        roots = {id(root_of(x)) for x in shared if type(x) is ndarray}
        for k, (v, array) in enumerate(zip(graph.outputs, like, strict=True)):
            self.tensor(k, v, array, roots)
        self.write(1, f"return {shown}")
        return "\n".join(self.lines) + "\n"

    def write(self, depth, line):
        """A line."""
        self.lines.append("    " * depth + line)

    def constant(self, value, hint):
        """What stands for a value: itself, or a name."""
        kind = type(value)
        if kind in _PLAIN or kind is float and isfinite(value):
            return repr(value)
        if kind is tuple and all(type(v) in _PLAIN for v in value):
            return repr(value)
        if kind is ndarray:  # no write through what a node shows as saved can change it for later calls
            value = np.array(value)
            value.flags.writeable = False
        name, count = hint, 0
        while self.room.get(name, value) is not value:
            count += 1
            name = f"{hint}_{count}"
        self.room[name] = value
        return name

    def operand(self, v):
        """What stands for a variable or a literal."""
        name = self.names.get(v)
        if name is None:
            name = self.names[v] = self.constant(v.value, "C")
        return name

    def compute(self, k, eq):
        """The line of an equation."""
        prim, operands = eq.prim, [self.operand(v) for v in eq.inputs]
        params = [self.constant(p, name.upper()) for name, p in zip(prim.params, eq.params)]
        loop = prim.lower if prim.elementwise else None
        given = [v.value if type(v) is Literal else self.values[v] for v in eq.inputs]
        if type(loop) is np.ufunc and loop is not np.power and all(  # `**` has ways of its own for some numbers
                type(x) is ndarray and x.dtype in FLOATS for x in given):
            call = f"{self.constant(loop, 'np_' + loop.__name__)}({', '.join(operands)})"
        elif prim.variadic:
            call = f"{self.constant(prim.impl, prim.name)}({', '.join(['np', *params, listed(operands)])})"
        else:
            call = f"{self.constant(prim.impl, prim.name)}({', '.join(['np', *operands, *params])})"
        if not eq.outputs:
            self.write(2, call)
            return
        self.write(2, f"v{k} = {call}")
        if prim.outputs is None:
            self.names[eq.outputs[0]] = f"v{k}"
            return
        self.names.update((v, f"v{k}_{i}") for i, v in enumerate(eq.outputs))
        self.write(2, f"{listed([self.names[v] for v in eq.outputs])} = v{k}")

    def rule_of(self, k, eq):
        """The rule of an equation, None if it is not recorded; its outputs that then have nodes are noted."""
        prim = eq.prim
        outs = [v for v in eq.outputs if aval_of(self.values[v]).dtype.kind in "fcV"]
        active = tuple([i for i, v in enumerate(eq.inputs) if v in self.nodes and i not in prim.nondiff])
        if prim.flat or not outs or not active:
            return None
        self.nodes.update((v, f"m{k}" if prim.outputs is None else f"m{k}_{eq.outputs.index(v)}") for v in outs)
        avals = self.avals_of(eq.inputs)
        shape, dtype = aval_of(self.values[outs[0]]).shape, avals[active[0]].dtype
        ours = [a for i, a in enumerate(avals) if i not in prim.nondiff and not a.weak]
        one = dtype in FLOATS and all(a.dtype is dtype for a in (*ours, *self.avals_of(outs)))
        if one and prim.elementwise:
            return prim.rule(active, True, tuple([i for i in active if avals[i].shape != shape]))
        return prim.rule(active, True) if one and prim.exact else prim.rule(active)

    def avals_of(self, variables):
        """What variables and literals are."""
        return tuple([aval_of(v.value if type(v) is Literal else self.values[v]) for v in variables])

    def saved(self, k, eq, rule):
        """What stands for what a rule saves."""
        if rule.collect is None:
            return "None"
        prim = eq.prim
        avals = self.avals_of(eq.inputs)
        operands = [self.operand(v) for v in eq.inputs]
        found = {name: self.constant(p, name.upper()) for name, p in zip(prim.params, eq.params)}
        if prim.variadic:
            found[prim.operands[0]] = listed(operands)
            found[prim.operands[0] + "_aval"] = self.constant(avals, "AVALS")
        else:
            found |= zip(prim.operands, operands)
            found |= {f"{name}_aval": self.constant(a, "AVAL") for name, a in zip(prim.operands, avals)}
        found["ans"] = f"v{k}"
        found["ans_aval"] = self.constant(None if prim.outputs is None else self.avals_of(eq.outputs), "AVALS")
        found = [found[name] for name in rule.names]
        return found[0] if len(found) == 1 else f"({', '.join(found)})"

    def record(self, k, eq, rule, title, call):
        """The lines that make the node of an equation, and those that pick outputs of it."""
        parents = [eq.inputs[i] for i in rule.active]
        apart = False
        if title:
            rule, apart = self.named(rule, title, parents, call)
        nodes = [self.nodes[v] for v in parents]
        nodes = nodes[0] if len(nodes) == 1 else f"({', '.join(nodes)})"
        self.node(f"m{k}", rule, nodes, self.saved(k, eq, rule))
        if apart:
            self.write(1, f"m{k}.more().edges = {listed([str(self.nodes.get(v)) for v in self.inputs])}")
        if eq.prim.outputs is not None:
            for i, v in enumerate(eq.outputs):
                if v in self.nodes:
                    self.node(self.nodes[v], _engine.pick_rule(len(eq.outputs), i), f"m{k}", "None")

    def node(self, name, rule, parents, saved):
        """The lines that make a node."""
        self.make(name, "GradNode()", rule=self.constant(rule, "RULE"), parents=parents, saved=saved, seq="next_seq()",
                  extra="None")

    def make(self, name, new, **fields):
        """The lines that make an object of its fields."""
        self.write(1, f"{name} = {new}")
        for field, value in fields.items():
            self.write(1, f"{name}.{field} = {value}")

    def named(self, rule, title, parents, call):
        """The rule of an output's node under torch's name, which shows the operands of the operation.

        Beside it whether those are noted at the node itself.
        """
        if rule.prim.elementwise and name_of(rule) == title:
            return NamedRule(rule, title, call=call) if len(call[1]) + len(call[2]) > len(self.inputs) else rule, False
        if not set(self.active) <= set(parents) <= set(self.inputs):
            return NamedRule(rule, title, call=call), True
        spots = [parents.index(v) if v in parents else None for v in self.inputs]

        def shows(node):
            found = node.parents if type(node.parents) is tuple else (node.parents,)
            return [None if k is None else found[k] for k in spots]

        return NamedRule(rule, title, shows, call), False

    def tensor(self, k, v, like, roots):
        """The lines that make a tensor of an output, which lies in memory as an array does."""
        name, own = self.names[v], self.values[v]
        if type(own) is not ndarray:
            own, name = np.asarray(own), f"np.asarray({name})"
        elif id(root_of(own)) in roots:
            own, name = DUPLICATE.impl(np, own), f"{self.constant(DUPLICATE.impl, 'duplicate')}(np, {name})"
        if own.strides != like.strides:
            order = sorted(range(like.ndim), key=lambda axis: -like.strides[axis])
            back = np.argsort(order).tolist()
            own = np.ascontiguousarray(own.transpose(order)).transpose(back)
            name = f"np.ascontiguousarray({name}.transpose({order})).transpose({back})"
        if own.strides != like.strides:
            raise Unfit
        key = GENERAL if own.dtype not in FLOATS else INFERENCE if self.inferred else FAST
        self.make(f"out{k}", "new(Tensor)", value=name, node=self.nodes.get(v),
                  autograd_meta="INFERRED" if self.inferred else "None", level_trace="None", wants_grad="False",
                  dispatch_key=key)

    def expression(self, answer, results):
        """What gives the output of its tensors; appends what those are of to a list."""
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


def listed(parts):
    """A tuple of expressions, as one."""
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
