"""Signs moved out of the way: a product of a negative is the negative of a product, a sum with one a difference.

All of it is exact in floating point, zeros and infinities included: rounding is symmetric. `-a - b` stays, since it is
not `-(a + b)` where both vanish.
"""

import numpy as np

from ...core.primitive.primitive import REGISTRY
from ..graph.equations import Equation, Literal, Var

_AWARE = frozenset({"negative", "add", "subtract", "multiply", "divide"})


class Signs:
    """Which variables are known to be the negative of another one."""

    __slots__ = ("base",)

    def __init__(self):
        self.base = {}

    def moved(self, eq):
        """The equations in place of one: the same, or others that end with its output."""
        name = eq.prim.name
        if name not in _AWARE:
            return [eq]
        out = eq.outputs[0]
        if not out.aval.shape or out.aval.dtype.kind != "f" or any(
                v.aval.dtype != out.aval.dtype and not v.aval.weak for v in eq.inputs):
            return [eq]
        if name == "negative":
            if type(eq.inputs[0]) is Var:
                self.base[out] = eq.inputs[0]
            return [eq]
        x, y = eq.inputs
        if name == "add":
            if y in self.base:
                return [_like(eq, "subtract", [x, self.base[y]], out)]
            return [_like(eq, "subtract", [y, self.base[x]], out)] if x in self.base else [eq]
        if name == "subtract":
            return [_like(eq, "add", [x, self.base[y]], out)] if y in self.base else [eq]
        return self.product(eq, x, y, out)

    def product(self, eq, x, y, out):
        """A product or a quotient without the signs of its operands."""
        odd = False
        if x in self.base:
            x, odd = self.base[x], not odd
        if y in self.base:
            y, odd = self.base[y], not odd
        for v, other in ((x, y), (y, x)):
            if type(v) is Literal and not v.aval.shape and v.aval.dtype.kind == "f" and (
                    v is y or eq.prim.name == "multiply"):
                if v.value == -1 and other.aval.shape == out.aval.shape:
                    return self.signed(eq, [_like(eq, "multiply", [Literal(np.ones((), out.aval.dtype)), other], None)],
                                       not odd, out)
                if odd:  # the constant takes the sign
                    changed = Literal(-v.value)
                    return [_like(eq, eq.prim.name, [x if v is y else changed, changed if v is y else y], out)]
        if not odd and (x, y) == tuple(eq.inputs):
            return [eq]
        return self.signed(eq, [_like(eq, eq.prim.name, [x, y], None)], odd, out)

    def signed(self, eq, steps, odd, out):
        """Steps that end in a value, and its negative if there is an odd number of signs."""
        if not odd:
            steps[-1].outputs = [out]
            return steps
        value = steps[-1].outputs[0]
        self.base[out] = value
        return [*steps, _like(eq, "negative", [value], out)]


def _like(eq, name, inputs, out):
    """An equation made in place of another."""
    return Equation(REGISTRY[name], inputs, (), [Var(eq.outputs[0].aval) if out is None else out], eq.quiet, eq.place)
