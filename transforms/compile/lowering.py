"""Composite operations as those they come down to: ufuncs, which take buffers and merge with equal ones.

An elementwise primitive is lowered by running its implementation on variables, so that the same loops run in the same
order: what is computed stays the same, bit for bit.
"""

import math
from functools import partial

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.primitive.primitive import REGISTRY, Loop
from ...core.trace.tracer import Staged, Trace, Tracer
from ..graph.equations import Equation, Literal, Var
from .groups import LARGE

_AS_RUN = frozenset({"integer_power", "strong_zero"})  # their lowerings give what they run on arrays of floats


class Unwritten(Exception):  # noqa: N818 (no error: the equation stays as it is)
    """An implementation that does what equations do not say."""


class Lowering(Trace):
    """Writes down the ufuncs that an implementation runs."""

    __slots__ = ("like", "equations")
    kind = "lowering"

    def __init__(self, like):
        Trace.__init__(self)
        self.like = like
        self.equations = []

    def box(self, v):
        if type(v) is Literal:
            return v.value
        out = Staged()
        out.owner = self
        out.value = None
        out.aval = v.aval
        out.node = v
        return out

    def process(self, prim, args):
        operands, params = prim.split(args)
        if prim.ufunc is not None or prim.name == "where":
            var = Var(prim.shape([aval_of(a) for a in operands], params))
            inputs = [a.node if isinstance(a, Tracer) else Literal(a) for a in operands]
            self.equations.append(Equation(prim, inputs, params, [var], self.like.quiet, self.like.place))
            return self.box(var)
        if not _is_lowered(prim):
            raise Unwritten
        return prim.lower(*args)

    def loop(self, loop, *args):
        raise Unwritten


def _is_lowered(prim):
    """Whether the lowering of a primitive is what it runs on arrays."""
    run = prim.lower
    return prim.elementwise and (prim.name in _AS_RUN or type(run) is partial and run.func is prim.impl)


def steps_of(eq):
    """`(equations, result)` that an equation comes down to; None if it stays."""
    prim = eq.prim
    if prim.name == "stop_gradient":
        return [], eq.inputs[0]
    if prim.name == "reached":
        v, out = eq.inputs[1], eq.outputs[0]
        return ([], v) if v.aval.shape == out.aval.shape else (
            [Equation(REGISTRY["broadcast_to"], [v], (out.aval.shape,), [out], eq.quiet, eq.place)], out)
    if prim.name == "strong_times":
        return _strong_product(eq)
    if prim.name == "reduce_mean":
        return _mean(eq)
    if prim.ufunc is not None or not _is_lowered(prim) or type(prim.lower) in (np.ufunc, Loop):
        return None
    aval = eq.outputs[0].aval
    if prim.name == "strong_zero" and aval.size * aval.dtype.itemsize < LARGE:  # one look at all elements is faster
        return None
    if not aval.shape or aval.weak or any(v.aval.dtype.kind not in "fb" for v in eq.inputs):
        return None
    trace = Lowering(eq)
    try:
        found = prim.lower(*[trace.box(v) for v in eq.inputs], *eq.params)
    except (Unwritten, TypeError, ValueError, AttributeError, NotImplementedError):  # it asks for what only arrays have
        return None
    finally:
        trace.done = True
    if type(found) is not Staged or found.aval != aval:
        return None
    return trace.equations, found.node


def _strong_product(eq):
    """A product of elements, and its strong zeros."""
    out = eq.outputs[0]
    product = Var(out.aval)
    return [Equation(REGISTRY["multiply"], eq.inputs, (), [product], eq.quiet, eq.place),
            Equation(REGISTRY["strong_zero"], [eq.inputs[0], product], (), [out], eq.quiet, eq.place)], out


def _mean(eq):
    """A mean as a sum and a quotient."""
    (x,), (axes, keepdims) = eq.inputs, eq.params
    out = eq.outputs[0]
    n = math.prod([x.aval.shape[axis] for axis in axes])
    if not n or x.aval.dtype.itemsize < 4:
        return None
    total, mean = Var(out.aval), Var(out.aval)
    return [Equation(REGISTRY["reduce_sum"], [x], (axes, keepdims), [total], eq.quiet, eq.place),
            Equation(REGISTRY["divide"], [total, Literal(n)], (), [mean], eq.quiet, eq.place)], mean
