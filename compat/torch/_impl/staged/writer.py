"""Graphs as Python source: one straight line of primitives, then the nodes that they record."""

import functools
import re
from math import isfinite

import numpy as np

from ..... import _engine, _interpreters, _primitives, extend
from ..graph.node import GradNode
from ..types.number_cache import FLOATS

ndarray = np.ndarray
aval_of = extend.aval_of
Literal = _interpreters.Literal
_ROOM = {"np": np, "GradNode": GradNode, "next_seq": _engine.next_seq, "ndarray": ndarray}
_LARGE = 1 << 12  # elements
_NUMERIC = (ndarray, np.float64, np.float32)
# Without the question whether arrays are of another library, a third of a call.
_JOIN = getattr(np.concatenate, "__wrapped__", np.concatenate)
_JOINS = frozenset(("concatenate", "stack"))
# Nothing that these may be given makes NumPy warn: they move or choose elements, or see to it themselves.
SILENT = _JOINS | {"absolute", "argmax", "argsort", "broadcast_to", "clamp", "duplicate", "flip", "getitem",
                   "hard_tanh", "maximum", "minimum", "negative", "relu", "reshape", "sigmoid_by_output", "take",
                   "transpose", "triangle", "where"}
_COUNTING = frozenset(("add", "insist", "multiply", "subtract"))
_NAMES = re.compile(r"\bv\d+(?:_\d+)?\b")
_PLAIN = frozenset({int, bool, str, type(None)})


@functools.lru_cache(256)
def compiled(source, file):
    """Programs for other shapes mostly have the same text."""
    return compile(source, file, "exec")


class Writer:
    """Writes the lines of a graph's equations and of their nodes.

    Args:
        recorder: what staged the graph.
        recorded: the places of the operands that have a node.
        room: names of the text beside those that all texts have.
        depth: the indentation of the equations.
    """

    def __init__(self, recorder, recorded, room, depth):
        self.depth = depth
        self.values = recorder.values
        self.inputs = recorder.inputs
        self.recorder = recorder
        self.active = [self.inputs[i] for i in recorded]
        self.nodes = {v: f"n{i}" for i, v in zip(recorded, self.active)}  # of the variables that have one
        self.names = {v: f"x{i}" for i, v in enumerate(self.inputs)}
        self.room = _ROOM | room
        if recorder.library is not None:
            self.room["np"] = recorder.library
        self.arrays = bool(recorded) and recorder.library is None  # numbers are arrays without axes, as on the tape
        self.lines = []
        self.ufuncs = set()  # names in the room that stand for ufuncs, and may stand for native forms of them

    def write(self, depth, line):
        """A line."""
        self.lines.append("    " * depth + line)

    def constant(self, value, hint):
        """The source text of a value: its literal, or a name."""
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
        """The source text of a variable or a literal."""
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
                isinstance(x, _NUMERIC) and x.dtype in FLOATS for x in given):
            call = f"{self.loop(loop)}({', '.join(operands)})"
        elif self.is_affine(prim, given):
            x, w, b = operands
            self.write(self.depth, f"v{k} = {x}.dot({w})")
            call = f"{self.loop(np.add)}(v{k}, {b}, v{k})"
        else:
            call = self.method(prim, operands, params, given)
        if call is None:
            given = [*params, listed(operands)] if prim.variadic else [*operands, *params]
            call = f"{self.constant(prim.impl, prim.name)}({', '.join(['np', *given])})"
        if not eq.outputs:
            self.write(self.depth, call)
            return
        self.write(self.depth, f"v{k} = {call}")
        if prim.outputs is None:
            self.names[eq.outputs[0]] = f"v{k}"
        else:
            self.names.update((v, f"v{k}_{i}") for i, v in enumerate(eq.outputs))
            self.write(self.depth, f"{listed([self.names[v] for v in eq.outputs])} = v{k}")
        for v in eq.outputs if self.arrays else ():
            if type(self.values[v]) is not ndarray:
                self.values[v] = np.asarray(self.values[v])
                self.write(self.depth, f"{self.names[v]} = np.asarray({self.names[v]})")

    def loop(self, ufunc):
        """The name of a ufunc."""
        name = self.constant(ufunc, "np_" + ufunc.__name__)
        self.ufuncs.add(name)
        return name

    def multiplies(self, x, y):
        """Tell whether NumPy's `dot` gives the product of two arrays, as in `products.product`."""
        return x.dtype in FLOATS and 0 < x.ndim < 3 and 0 < y.ndim < 3 and (
            x.size < _primitives.FILLED or x.shape[-1] == 1)

    def is_affine(self, prim, given):
        """Tell whether an equation is a product of matrices to which a row is added, all of one dtype."""
        if prim.name != "affine" or self.recorder.library is not None or any(type(x) is not ndarray for x in given):
            return False
        x, w, b = given
        shape = x.shape[0], w.shape[1]
        return self.multiplies(x, w) and x.dtype is w.dtype is b.dtype and b.shape == shape[2 - b.ndim :]

    def method(self, prim, operands, params, given):
        """The method of NumPy's arrays that an implementation comes down to; None where it is more."""
        if self.recorder.library is not None or any(type(x) is not ndarray for x in given):
            return None
        if prim.product == "matrices":
            return f"{operands[0]}.dot({operands[1]})" if self.multiplies(*given) else None
        if prim.name == "transpose" and params == ["(1, 0)"]:
            return f"{operands[0]}.T"
        if prim.name in _JOINS:
            stacked = prim.name == "stack"
            return self.joined(operands, *params, given[0].shape, stacked) if given[0].ndim else None
        return prim.written and prim.written.format(**dict(zip((*prim.operands, *prim.params), (*operands, *params))))

    def joined(self, parts, axis, shape, stacked):
        """The source text that joins arrays along an axis, or a new one: one copies them, as NumPy's `stack` does."""
        if stacked:
            shape = (*shape[: int(axis)], 1, *shape[int(axis) :])
            parts = [f"{part}.reshape({shape})" for part in parts]
        return f"{self.constant(_JOIN, 'join')}({listed(parts)}, {axis})"

    def silent(self, eq):
        """Tell whether nothing that an equation may be given makes NumPy warn."""
        if eq.prim.name in SILENT:
            return True
        given = [v.value if type(v) is Literal else self.values[v] for v in eq.inputs]
        return eq.prim.name in _COUNTING and all(
            type(x) is int or type(x) is ndarray and x.ndim and x.dtype.kind in "iu" for x in given)

    def rule_of(self, k, eq):
        """The rule of an equation, None if it is not recorded; its outputs that then have nodes are noted."""
        prim = eq.prim
        outs = [v for v in eq.outputs if aval_of(self.values[v]).dtype.kind in "fcV"]
        active = tuple([i for i, v in enumerate(eq.inputs) if v in self.nodes and i not in prim.nondiff])
        if prim.flat or not outs or not active:
            return None
        self.nodes.update((v, f"m{k}" if prim.outputs is None else f"m{k}_{eq.outputs.index(v)}") for v in outs)
        return _interpreters.rule_for(prim, active, self.avals_of(eq.inputs), self.avals_of(outs))

    def avals_of(self, variables):
        """Avals of variables and literals."""
        return tuple([aval_of(v.value if type(v) is Literal else self.values[v]) for v in variables])

    def saved(self, k, eq, rule):
        """The source text of the values that a rule saves."""
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

    def node(self, name, rule, parents, saved):
        """The lines that make a node."""
        self.make(name, "GradNode()", rule=self.constant(rule, "RULE"), parents=parents, saved=saved, seq="next_seq()",
                  extra="None")

    def make(self, name, new, **fields):
        """The lines that make an object of its fields."""
        self.write(1, f"{name} = {new}")
        for field, value in fields.items():
            self.write(1, f"{name}.{field} = {value}")

    def let_go(self, graph):
        """Drop large temporaries behind the last line that mentions them, if that is one of the equations'.

        So a run needs no more memory than the body, and what comes next finds memory that is in the cache.
        """
        large = {self.names[v] for eq in graph.equations for v in eq.outputs if np.size(self.values[v]) >= _LARGE}
        if not large:
            return
        large |= {name.partition("_")[0] for name in large}  # tuples of several outputs
        last = {}
        for at, line in enumerate(self.lines):
            last.update(dict.fromkeys(large.intersection(_NAMES.findall(line)), at))
        start = "    " * self.depth + "v"
        for name, at in sorted(last.items(), key=lambda item: -item[1]):
            if self.lines[at].startswith(start):
                self.lines.insert(at + 1, "    " * self.depth + f"del {name}")

    def record(self, k, eq, rule):
        """The lines that make the node of an equation, and those that pick outputs of it."""
        nodes = [self.nodes[eq.inputs[i]] for i in rule.active]
        nodes = nodes[0] if len(nodes) == 1 else f"({', '.join(nodes)})"
        self.node(f"m{k}", rule, nodes, self.saved(k, eq, rule))
        if eq.prim.outputs is not None:
            for i, v in enumerate(eq.outputs):
                if v in self.nodes:
                    self.node(self.nodes[v], _interpreters.pick_rule(len(eq.outputs), i), f"m{k}", "None")


def listed(parts):
    """A tuple of expressions, as one."""
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
