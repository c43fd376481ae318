"""Reuse the exponentials of a logsumexp for the softmax of the same operand."""

import math

from ....core.ops.reductions import logsumexp
from ....core.ops.shaping import reshape
from .rewrite import Number, Op, rule

_CACHED = 1 << 25  # bytes of the exponentials, beyond which to store and load them takes longer
_FEW = 16  # terms of a sum, below which the sums take longer than the exponentials

where, equal, exp, subtract = Op("where"), Op("equal"), Op("exp"), Op("subtract")


def _axes(m):
    """The axes over which `t` is the logsumexp of `x`, put beside it; None of anything else."""
    makers = m.at.makers
    made = makers.get(m.t)
    while made is not None and made.prim is reshape.prim:
        made = makers.get(made.inputs[0])
    if made is None or made.prim is not logsumexp.prim or made.inputs[0] is not m.x:
        return None
    x, axes = m.x.aval, made.params[0]
    kept = tuple([1 if k in axes else n for k, n in enumerate(x.shape)])
    size = made.outputs[0].aval.size
    pays = x.ndim > 0 and x.size >= _FEW * size and x.size * x.dtype.itemsize <= _CACHED
    return axes if pays and (1,) * (x.ndim - m.t.aval.ndim) + m.t.aval.shape == kept else None


def _quotient(m, guarded=False):
    axes = _axes(m)
    if axes is None or m.x.aval != m.out:
        return None
    top = m("reduce_max", m.x, params=(axes, True))
    parts = m("exp", m("subtract", m.x, m("where", m("isfinite", top), top, 0.0)))
    total = m.sum(parts, axes)
    if guarded:  # 0 was subtracted where the logsumexp is -inf: then all exponentials are 0
        total = m("where", m("equal", total, 0.0), 1.0, total)
    return m("multiply", parts, m("divide", 1.0, total))


SOFTMAX = (  # exp(x - logsumexp(x)), as the derivative of logsumexp has it; its exponentials are merged with these
    rule(exp(subtract("x", "t")), _quotient),
    rule(exp(subtract("x", where(equal("t", Number("low", -math.inf)), Number("zero", 0), "t"))),
         lambda m: _quotient(m, guarded=True)),
)
