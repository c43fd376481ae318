"""Quotients of derivatives that share a divisor: products with its reciprocal, which waits for no cotangent.

A quotient takes as long as several products, and longer where a loop waits for it. The last bit of a derivative may
differ by this; quotients that a function itself asks for stay.
"""

from ...graph.equations import Literal, Var
from .steps import Steps
from .structure import is_native

_SMALL = 64  # elements of a divisor, up to which it need not be smaller than what it divides


def reciprocals(equations, known):
    """Equations, in which sweeps multiply by what several elements would be divided by."""
    shared: dict[Var, list] = {}
    for eq in equations:
        if eq.prim.name == "divide" and eq.quiet is True and _is_divided(eq):
            shared.setdefault(eq.inputs[1], []).append(eq)
    found = {}
    for y, quotients in shared.items():
        large = [eq for eq in quotients if y.aval.size <= _SMALL or eq.outputs[0].aval.size >= 2 * y.aval.size]
        if sum(eq.outputs[0].aval.size for eq in large) < 2 * y.aval.size:
            continue
        s = Steps(large[0])
        one = s("divide", 1.0, y)
        avals = [s("multiply", eq.inputs[0], one).aval for eq in large]
        first, *products = s.equations
        if avals != [eq.outputs[0].aval for eq in large]:
            continue
        for eq, product in zip(large, products):
            product.outputs = eq.outputs
        if all(is_native(step, known) for step in s.equations):
            found.update((id(eq), [product]) for eq, product in zip(large, products))
            found[id(large[0])].insert(0, first)
    return [step for eq in equations for step in found.get(id(eq), (eq,))] if found else equations


def _is_divided(eq):
    """Whether all of a quotient has one dtype, a floating one, and its divisor is not known."""
    (x, y), out = eq.inputs, eq.outputs[0]
    return type(y) is Var and out.aval.dtype.kind == "f" and y.aval.dtype == out.aval.dtype and not y.aval.weak and (
        x.aval.dtype == out.aval.dtype or type(x) is Literal)
