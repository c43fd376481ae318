"""Softmax from a logsumexp that is there: the exponentials that it adds up, over their sum, not computed again."""

import math

from ...graph.equations import Literal, Var
from .steps import Steps
from .structure import is_native

_CACHED = 1 << 25  # bytes of the exponentials, beyond which to store and load them takes longer
_FEW = 16  # terms of a sum, below which the sums take longer than the exponentials


def softmaxes(equations, known):
    """Equations with `exp(x - logsumexp(x))` as a quotient, as the derivative of logsumexp has it.

    What is subtracted may be 0 where it is -inf: then all exponentials are 0.
    """
    sums = {eq.outputs[0]: eq for eq in equations if eq.prim.name == "logsumexp" and _pays(eq)}
    if not sums:
        return equations
    makers = {v: eq for eq in equations for v in eq.outputs}
    found = {}
    for eq in equations:
        if eq.prim.name != "exp" or type(eq.inputs[0]) is not Var:
            continue
        gap = makers.get(eq.inputs[0])
        if gap is None or gap.prim.name != "subtract" or gap.inputs[0].aval != gap.outputs[0].aval:
            continue
        x, taken = gap.inputs
        guarded = _without_guard(taken, makers)
        total = sums.get(_source(guarded or taken, makers))
        if total is None or total.inputs[0] is not x or not _is_aligned(taken.aval.shape, total):
            continue
        parts = known[total].equations
        exps = next(part for part in parts if part.prim.name == "exp")
        added = next(part for part in parts if part.prim.name == "reduce_sum").outputs[0]
        s = Steps(eq)
        if guarded is not None:
            added = s("where", s("equal", added, 0.0), 1.0, added)
        s("multiply", exps.outputs[0], s("divide", 1.0, added))
        if s.equations[-1].outputs[0].aval != eq.outputs[0].aval:
            continue
        s.equations[-1].outputs = eq.outputs
        if all(is_native(e, known) for e in s.equations):
            found[id(eq)] = s.equations
            found[id(total)] = parts
    return [step for eq in equations for step in found.get(id(eq), (eq,))] if found else equations


def _pays(eq):
    aval, out = eq.inputs[0].aval, eq.outputs[0].aval
    return aval.ndim > 0 and aval.size >= _FEW * out.size and aval.size * aval.dtype.itemsize <= _CACHED


def _without_guard(v, makers):
    """`y` of a `where(y == -inf, 0, y)`; None of anything else."""
    made = makers.get(v)
    if made is None or made.prim.name != "where":
        return None
    test, zero, y = made.inputs
    test = makers.get(test)
    if not _is_number(zero, 0.0) or test is None or test.prim.name != "equal" or not (
            test.inputs[0] is y and _is_number(test.inputs[1], -math.inf)):
        return None
    return y


def _source(v, makers):
    """The variable that another one has the elements of, in the same order."""
    while v in makers and makers[v].prim.name == "reshape":
        v = makers[v].inputs[0]
    return v


def _is_aligned(shape, total):
    """Whether a sum of this shape lies along the axes of what it is a sum of."""
    x, (axes, _) = total.inputs[0].aval, total.params
    kept = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
    return (1,) * (x.ndim - len(shape)) + tuple(shape) == kept


def _is_number(v, value):
    return type(v) is Literal and v.aval.size == 1 and float(v.value) == value
