"""Alias and layout analysis: which values lie compactly in memory, and which may share memory with which."""

import numpy as np

from .equations import Literal, Var

ndarray = np.ndarray
VIEWS = {  # what a view primitive does to an array
    "getitem": lambda x, index: x[index],
    "reshape": lambda x, shape: x.reshape(shape),
    "transpose": lambda x, axes: x.transpose(axes),
    "broadcast_to": lambda x, shape: np.broadcast_to(x, shape),
    "flip": lambda x, axes: np.flip(x, axes) if axes else x,
}


def is_uniform(v):
    """Tell whether a value is a constant that holds one element for all, a copy of which lies in order."""
    return type(v) is Literal and type(v.value) is ndarray and not any(v.value.strides)


class Layouts:
    """Facts about memory, noted equation by equation.

    A compact value is a C-contiguous array, or one of fewer than two axes that was made afresh. The result of an
    operation on values of unknown layout is unknown: its axes may lie in memory in any order, which the last bits of a
    sum or a product depend on.
    """

    def __init__(self, compact=()):
        self.compact = set(compact)
        self.turned = set()  # compact but for the order of their axes
        self.ordered = set()  # compact but for gaps
        self.matrices = set()  # compact but for the order of the last two axes
        self.shared = {}  # a variable -> the variables whose memory it may show

    def is_compact(self, v):
        """Tell whether the elements lie in order, without gaps."""
        if type(v) is Literal:
            value = v.value
            return type(value) is not ndarray or value.flags.c_contiguous
        return not v.aval.shape or v in self.compact

    def is_dense(self, v):
        """Tell whether the elements lie without gaps, the axes in any order: a copy then lies as the value itself
        does."""
        return self.is_compact(v) or v in self.turned

    def bases(self, v):
        """The variables whose memory a variable may show, itself included."""
        return {v, *self.shared.get(v, ())}

    def note(self, eq):
        """Take notice of an equation."""
        prim = eq.prim
        if prim.name == "group":
            for inner in eq.equations:
                self.note(inner)
            return
        if prim.name == "native":
            self.compact.update(eq.outputs)
            return
        if prim.view or eq.bodies() or prim.effects or prim.shares:
            shown = [set().union(*[self.bases(v) for v in eq.inputs if type(v) is Var])] * len(eq.outputs)
            for v, bases in zip(eq.outputs, self.handed_on(eq) if prim.name == "cond" and all(
                    body.graph is not None for body in eq.bodies()) else shown):
                self.shared[v] = bases
        if eq.bodies() and all(body.graph is not None for body in eq.bodies()):
            self.compact.update(v for v, known in zip(eq.outputs, self.through(eq)) if known)
            return
        if prim.name in VIEWS:
            x = eq.inputs[0]
            if prim.name == "transpose" and self.is_dense(x):
                self.turned.add(eq.outputs[0])
                if self.is_compact(x) and tuple(eq.params[0][:-2]) == tuple(range(x.aval.ndim - 2)):
                    self.matrices.add(eq.outputs[0])
            if x.aval.shape and (self.is_compact(x) or x in self.ordered and prim.name == "getitem"):
                view = self.viewed(eq)
                if view.flags.c_contiguous and self.is_compact(x):
                    self.compact.add(eq.outputs[0])
                elif all(a >= b > 0 for a, b in zip(view.strides, (*view.strides[1:], 1))) and prim.name == "getitem":
                    self.ordered.add(eq.outputs[0])
            return
        if prim.name == "index_update":
            if self.is_compact(eq.inputs[0]) or is_uniform(eq.inputs[0]):
                self.compact.add(eq.outputs[0])
            return
        if prim.lies == "fresh" or prim.name == "matmul" and all(
                v.aval.ndim < 3 or self.is_compact(v) or v in self.matrices for v in eq.inputs):
            self.compact.update(eq.outputs)
            return
        for v in eq.outputs:
            if v.aval.ndim < 2 and not prim.view and not eq.bodies() and prim.ufunc is not None or self._in_order(eq):
                self.compact.add(v)

    def _in_order(self, eq):
        lies = "operands" if eq.prim.ufunc is not None else eq.prim.lies
        if lies == "operands":
            return all(self.is_compact(v) or v in self.ordered for v in eq.inputs)
        return lies == "order" and all(map(self.is_compact, eq.inputs))

    def viewed(self, eq):
        """The view of an array that lies in order, of the shape that the operand has."""
        aval = eq.inputs[0].aval
        return np.asarray(VIEWS[eq.prim.name](np.empty(aval.shape, aval.dtype), *eq.params))

    def inside(self, graph, known):
        """The facts about a body whose inputs are compact as `known` says."""
        inner = Layouts(v for v, flag in zip(graph.inputs, known) if flag)
        for eq in graph.equations:
            inner.note(eq)
        return inner

    def through(self, eq):
        """Which outputs of a loop or a branch are compact."""
        flags = list(map(self.is_compact, eq.inputs))
        if eq.prim.name == "scan":
            inner = self.inside(eq.bodies()[0].graph, self.in_loop(eq))
            return [inner.is_compact(v) for v in eq.bodies()[0].graph.outputs]
        if eq.prim.name == "cond":
            found = []
            for body in eq.bodies():
                inner = self.inside(body.graph, flags[1:])
                found.append([inner.is_compact(v) for v in body.graph.outputs])
            return [all(pair) for pair in zip(*found)]
        return [False] * len(eq.outputs)

    def handed_on(self, eq):
        """The variables whose memory each output of a branch may show: of operands that a body gives, or views of."""
        found = [set() for _ in eq.outputs]
        for body in eq.bodies():
            inner = self.inside(body.graph, [False] * len(body.graph.inputs))
            for bases, v in zip(found, body.graph.outputs):
                shown = inner.bases(v) if type(v) is Var else ()
                for given, x in zip(eq.inputs[1:], body.graph.inputs):
                    if x in shown and type(given) is Var:
                        bases |= self.bases(given)
        return found

    def in_loop(self, eq):
        """Which inputs of the body of a scan are compact in every step."""
        body, consts, n, *_ = eq.params
        known = list(map(self.is_compact, eq.inputs))
        while True:
            inner = self.inside(body.graph, known)
            spoiled = [k for k in range(n) if known[consts + k] and not inner.is_compact(body.graph.outputs[k])]
            if not spoiled:
                return known
            for k in spoiled:
                known[consts + k] = False
