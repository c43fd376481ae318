"""Accumulate after the loop: the per-step products of a summed carry become one product for all steps."""

from functools import partial

from ...core.ops.arithmetic import add
from ...core.ops.linalg.products import matmul, outer
from ...core.ops.reductions import reduce_sum, strong_product
from ...core.ops.shaping import reshape, transpose
from ..graph.equations import Equation, Var
from ..staging.graph import part_of
from ..staging.staging import stage
from .hoisting import FEW, work

_COLLECTED = 4  # numbers that a step may collect for each one that it then need not add


class Summed:
    """A body whose step gives terms, as one that adds them up, except for those that are added up after the loop.

    Args:
        graph: a body without captured values: constants, `n` carried ones, rows. Outputs: the carry, `count` terms,
            and what is collected.
        consts: how many constants.
    """

    __slots__ = ("graph", "n", "inputs", "added", "late", "places")

    def __init__(self, graph, consts, n, count):
        self.inputs = graph.inputs
        made = {v: eq for eq in graph.equations for v in eq.outputs}
        rows = set(graph.inputs[consts + n :])
        fixed = set(graph.inputs[:consts])
        for eq in graph.equations:
            if fixed.issuperset(v for v in eq.inputs if type(v) is Var):
                fixed.update(eq.outputs)
        terms = [_terms(v, made) for v in graph.outputs[n : n + count]]
        collected = {v: None for v in graph.outputs[n + count :] if type(v) is Var}
        self.late = [[] for _ in terms]  # [(what to do after the loop, variables), …] of each term
        plain = []
        for late, parts in zip(self.late, terms):
            rest = []
            for v in parts:
                found = _factors(v, made, fixed)
                # What the loop collects already, or reads as rows, costs nothing more to keep.
                new = [] if found is None else [w for w in found[1] if w not in rows and w not in collected]
                if found is not None and sum(w.aval.size for w in new) <= _COLLECTED * v.aval.size:
                    collected.update(dict.fromkeys(new))
                    late.append(found)
                else:
                    rest.append(v)
            plain.append(rest)
        equations = list(graph.equations)
        inputs, totals, self.added = [], [], []
        for k, (late, rest) in enumerate(zip(self.late, plain)):
            for v in list(rest):
                found = _reduced(v, made)
                if found[1][0] in collected or found[1][0] in rows:
                    late.append(found)
                    rest.remove(v)
            if rest:
                total = Var(rest[0].aval)
                inputs.append(total)
                self.added.append(k)
                for v in rest:
                    equations.append(Equation(add.prim, [total, v], (), [Var(total.aval)], True))
                    total = equations[-1].outputs[0]
                totals.append(total)
        outputs = list(graph.outputs[n + count :])
        self.n = n + len(inputs)
        self.places = {v: self.n + k for k, v in enumerate(outputs) if type(v) is Var}
        for v in collected:
            if v not in self.places:
                self.places[v] = self.n + len(outputs)
                outputs.append(v)
        start = graph.inputs[: consts + n], graph.inputs[consts + n :]
        self.graph = part_of(graph, [*start[0], *inputs, *start[1]], equations,
                             [*graph.outputs[:n], *totals, *outputs])

    def totals(self, values, outs, n):
        """The sums, from the operands of the loop over the old body and the outputs of that over the new one."""
        known = dict(zip(self.inputs, values))
        known.update((v, outs[k]) for v, k in self.places.items())
        added = dict(zip(self.added, outs[n : self.n]))
        found = []
        for k, late in enumerate(self.late):
            parts = [finish(*[known[v] for v in operands]) for finish, operands in late]
            if k in added:
                parts.append(added[k])
            total = parts[0]
            for part in parts[1:]:
                total = add(total, part)
            found.append(total)
        return found


def _terms(v, made):
    """The terms of a variable that is a sum."""
    eq = made.get(v)
    if eq is not None and eq.prim is add.prim and all(
            type(w) is Var and (w.aval.shape, w.aval.dtype) == (v.aval.shape, v.aval.dtype) for w in eq.inputs):
        return [part for w in eq.inputs for part in _terms(w, made)]
    return [v]


def _factors(v, made, fixed):
    """`(what to do after the loop, [x, y])` of a large product of two variables that differ from step to step."""
    eq = made.get(v)
    if eq is None or not all(type(w) is Var and w not in fixed for w in eq.inputs):
        return None
    if hasattr(getattr(eq.params and eq.params[-1], "inner", None), "times") and len(eq.inputs) == 2:
        return _strong_factors(eq)
    if eq.prim not in (matmul.prim, outer.prim):
        return None
    x, y = eq.inputs
    if eq.prim is outer.prim:
        return (_outer_products, [x, y]) if x.aval.ndim == y.aval.ndim == 1 and v.aval.size >= FEW else None
    if not x.aval.ndim == y.aval.ndim == 2 or work(eq) < FEW:
        return None
    turned = _turned(x, made)
    if turned is not None:
        return _products_turned, [turned, y]
    turned = _turned(y, made)
    return (_products, [x, y]) if turned is None else (_products_of_turned, [x, turned])


def _strong_factors(eq):
    """The same of a product with strong zeros: the terms that these leave out are those of each step."""
    graph, _ = stage(eq.params[-1].inner.times, [v.aval for v in eq.inputs], tuple, "scan", watch=False)
    found = _factors(graph.outputs[0], {v: eq for eq in graph.equations for v in eq.outputs}, ())
    if found is None or set(found[1]) != set(graph.inputs):
        return None
    finish, (x, _) = found
    if x is graph.inputs[0]:
        return lambda ct, w: strong_product(ct, w, finish), list(eq.inputs)
    return lambda ct, w: strong_product(ct, w, lambda ct, w: finish(w, ct)), list(eq.inputs)


def _turned(v, made):
    """The matrix that a variable is the transpose of."""
    eq = made.get(v)
    return eq.inputs[0] if eq is not None and eq.prim is transpose.prim and type(eq.inputs[0]) is Var else None


def _joined(x):
    """Rows of rows as rows."""
    return reshape(x, shape=(x.shape[0] * x.shape[1], *x.shape[2:]))


def _outer_products(x, y):
    return matmul(transpose(x, axes=(1, 0)), y)


def _products_turned(x, y):
    return matmul(transpose(_joined(x), axes=(1, 0)), _joined(y))


def _products_of_turned(x, y):
    x = transpose(x, axes=(1, 0, 2))
    return matmul(reshape(x, shape=(x.shape[0], x.shape[1] * x.shape[2])), _joined_transposed(y))


def _joined_transposed(y):
    """Transposes of matrices below each other."""
    return _joined(transpose(y, axes=(0, 2, 1)))


def _products(x, y):
    x = transpose(x, axes=(1, 0, 2))
    return matmul(reshape(x, shape=(x.shape[0], x.shape[1] * x.shape[2])), _joined(y))


def _reduced(v, made):
    """`(what to do after the loop, [x])` of a variable, or of one that is summed over axes."""
    eq = made.get(v)
    if eq is None or eq.prim is not reduce_sum.prim or eq.params[1] or type(eq.inputs[0]) is not Var:
        return partial(reduce_sum, axes=(0,), keepdims=False), [v]
    axes = (0, *[a + 1 for a in eq.params[0]])
    return partial(reduce_sum, axes=axes, keepdims=False), [eq.inputs[0]]
