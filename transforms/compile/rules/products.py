"""Reduce before matrix products where the sum allows it, and multiply by one reciprocal for a shared divisor."""

from ....core.ops.arithmetic import divide, multiply, negative
from ...graph.equations import Literal, Var
from .rewrite import Op, rule

_SCALES = (multiply.prim, divide.prim, negative.prim)
_SMALL = 64  # elements of a divisor, up to which it need not be smaller than what it divides


def _reduced_before(m):
    """`sum(a @ b, 0)` as `sum(a, 0) @ b`: a sum over axes that one operand alone has is one of that operand.

    A negation, or a number that the product is multiplied with or divided by, stands behind the smaller product then.
    """
    found = _product_of(m)
    subscripts = found and as_einsum(found[0])
    if not subscripts:
        return None
    product, scales = found
    terms, out = subscripts.split("->")
    axes, keepdims = m.eq.params
    letters = {out[k] for k in axes}
    operands = terms.split(",")
    alone = [letters & (set(term) - set(other)) for term, other in zip(operands, operands[::-1])]
    rest = [c for c in out if c not in letters]
    if alone[0] | alone[1] != letters:
        return None
    for k, term in enumerate(operands):
        sizes = dict(zip(operands[1 - k], product.inputs[1 - k].aval.shape))
        if alone[k] and all(sizes[c] == 1 for c in set(operands[1 - k]) - set(term)):
            return None  # no less work
    given = []
    for v, term, mine in zip(product.inputs, operands, alone):
        places = tuple(k for k, c in enumerate(term) if c in mine)
        given.append(m.sum(v, places, False) if places else v)
    kept = ["".join([c for c in term if c not in mine]) for term, mine in zip(operands, alone)]
    value = m("einsum", *given, params=(f"{','.join(kept)}->{''.join(rest)}",))
    for scale in reversed(scales):
        value = m(scale.prim.name, *[value if w.aval == scale.outputs[0].aval else w if not w.aval.shape else
                                     m.shaped(w, ()) for w in scale.inputs])
    return m.shaped(value, m.out.shape) if keepdims else value


def _product_of(m):
    """The product that a sum is of, and what scales it in between, the last one first; nothing else reads them."""
    scales, v = [], m.x
    while m.at.readers[v] == 1 and v in m.at.makers:
        made = m.at.makers[v]
        if made.prim.product:
            return made, scales
        if made.prim not in _SCALES or made.outputs[0].aval != v.aval:
            return None
        large = [w for w in made.inputs if w.aval.shape == v.aval.shape and w.aval.dtype == v.aval.dtype]
        if len(large) != 1 or any(w.aval.size != 1 for w in made.inputs if w is not large[0]) or (
                made.prim is divide.prim and large[0] is not made.inputs[0]):
            return None
        scales.append(made)
        v = large[0]
    return None


def as_einsum(eq):
    """The subscripts of a product of matrices, or of stacks of as many; None of another product."""
    if eq.prim.product == "subscripts":
        return eq.params[0]
    (x, y), lead = [v.aval.shape for v in eq.inputs], "abcdefghijklmnopqrstuvw"
    if eq.prim.product != "matrices" or min(len(x), len(y)) < 2:
        return None
    if len(y) == 2:
        lead = lead[: len(x) - 2]
        return f"{lead}xy,yz->{lead}xz"
    lead = lead[: len(y) - 2]
    if len(x) == 2:
        return f"xy,{lead}yz->{lead}xz"
    return f"{lead}xy,{lead}yz->{lead}xz" if x[:-2] == y[:-2] else None


def _is_shared(m):
    """Tell whether sweeps divide so much by `y` that its reciprocal pays.

    A quotient takes as long as several products, and longer where a loop waits for it. The last bit of a derivative
    may differ by this; quotients that a function itself asks for stay.
    """
    if not _is_derived(m.eq) or not _is_large(m.eq) or (
            type(m.x) is Literal and not m.x.aval.shape and m.x.value == 1):  # a reciprocal
        return False
    quotients = [eq for eq in m.at.users(m.y) if eq.prim is divide.prim and eq.inputs[1] is m.y]
    return sum(eq.outputs[0].aval.size for eq in quotients if _is_derived(eq) and _is_large(eq)) >= 2 * m.y.aval.size


def _is_derived(eq):
    """Tell whether a sweep made a quotient of one floating dtype, whose divisor is not known."""
    (x, y), out = eq.inputs, eq.outputs[0].aval
    return eq.quiet is True and type(y) is Var and out.dtype.kind == "f" and y.aval.dtype == out.dtype and (
        not y.aval.weak) and (x.aval.dtype == out.dtype or type(x) is Literal)


def _is_large(eq):
    y, out = eq.inputs[1].aval, eq.outputs[0].aval
    return y.size <= _SMALL or out.size >= 2 * y.size


PRODUCTS = (
    rule(Op("reduce_sum")("x"), _reduced_before, when=lambda m: type(m.x) is Var),
    rule(Op("divide")("x", "y"), lambda m: m("multiply", m.x, m("divide", 1.0, m.y)), when=_is_shared),
)
