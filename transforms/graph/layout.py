"""Alias and layout analysis: contiguity of values, and which of them may share memory."""

from functools import reduce
from operator import and_, or_

import numpy as np

from .equations import Literal, Var, through_loop

ndarray = np.ndarray


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
        if prim.parts:
            for inner in eq.equations:
                self.note(inner)
            return
        whole = eq.bodies() and all(body.graph is not None for body in eq.bodies())
        if prim.view or eq.bodies() or prim.effects or prim.shares:
            given = [self.bases(v) if type(v) is Var else set() for v in eq.inputs]
            # A branch or a call gives operands that a body gives, or views of them; any other operation may any.
            shown = prim.flow(eq, [set(), *given[1:]], _shown, or_) if whole and prim.flow and not prim.turns else [
                set().union(*given)] * len(eq.outputs)
            self.shared.update(zip(eq.outputs, shown))
        if whole:
            if prim.flow is not None:
                known = prim.flow(eq, list(map(self.is_compact, eq.inputs)), _in_order, and_)
                self.compact.update(v for v, flag in zip(eq.outputs, known) if flag)
        elif prim.rearranges:
            self._viewed(eq)
        elif prim.updates:
            if self.is_compact(eq.inputs[0]) or is_uniform(eq.inputs[0]):
                self.compact.update(eq.outputs)
        elif prim.lies == "fresh" or prim.product == "matrices" and all(
                v.aval.ndim < 3 or self.is_compact(v) or v in self.matrices for v in eq.inputs):
            self.compact.update(eq.outputs)
        else:
            kept = self._is_kept(eq)
            self.compact.update(v for v in eq.outputs if kept or v.aval.ndim < 2 and prim.ufunc is not None)

    def _is_kept(self, eq):
        lies = "operands" if eq.prim.ufunc is not None else eq.prim.lies
        if lies == "operands":
            return all(self.is_compact(v) or v in self.ordered for v in eq.inputs)
        return lies == "order" and all(map(self.is_compact, eq.inputs))

    def _viewed(self, eq):
        """Take notice of a view: by the strides of that of an array that lies in order, of the shape of the operand."""
        x, out = eq.inputs[0], eq.outputs[0]
        compact, dense = self.is_compact(x), self.is_dense(x)
        if not (compact or dense or x in self.ordered):
            return
        given = np.empty(x.aval.shape, x.aval.dtype)
        view = np.asarray(eq.prim.impl(np, given, *eq.params))
        steps = view.strides
        if view.size == given.size and dense and min(steps, default=0) >= 0:
            self.turned.add(out)
            if compact and view.ndim > 1 and view.swapaxes(-1, -2).flags.c_contiguous:
                self.matrices.add(out)
        if x.aval.shape and (compact or x in self.ordered):
            if view.flags.c_contiguous and compact:
                self.compact.add(out)
            elif all(a >= b > 0 for a, b in zip(steps, (*steps[1:], 1))):
                self.ordered.add(out)

    def in_loop(self, eq):
        """Flags of the inputs of a row loop's body that are compact in every step."""
        body, consts, n, *_ = eq.params
        return through_loop(body.graph, map(self.is_compact, eq.inputs), consts, n, _in_order, and_)[0]


def _inside(graph, known):
    """The facts about a body whose inputs are compact as `known` says."""
    inner = Layouts(v for v, flag in zip(graph.inputs, known) if flag)
    for eq in graph.equations:
        inner.note(eq)
    return inner


def _in_order(graph, known):
    """Flags of the outputs of a body that are compact."""
    return list(map(_inside(graph, known).is_compact, graph.outputs))


def _shown(graph, given):
    """The variables outside whose memory each output of a body may show."""
    inner, bases = _inside(graph, [False] * len(graph.inputs)), dict(zip(graph.inputs, given))
    return [reduce(or_, [bases.get(x, set()) for x in inner.bases(v)], set()) if type(v) is Var else set()
            for v in graph.outputs]
