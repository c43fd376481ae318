"""Sums of products taken before the products: `sum(a @ b, 0)` is `sum(a, 0) @ b`, without the product of matrices."""

from collections import Counter

from ...graph.equations import Var
from .products import as_einsum
from .steps import Steps
from .structure import is_native

_SCALES = frozenset({"multiply", "divide", "negative"})


def sums_first(equations, outputs, known):
    """Equations, in which a sum over what one operand of a product alone has is one of that operand.

    A negation, or a number that the product is multiplied with or divided by, stands behind the smaller product then.
    """
    names = {eq.prim.name for eq in equations}
    if "reduce_sum" not in names or names.isdisjoint(("einsum", "matmul", "negative")):
        return equations
    makers = {v: eq for eq in equations for v in eq.outputs}
    readers = Counter(v for eq in equations for v in eq.inputs if type(v) is Var)
    readers.update(v for v in outputs if type(v) is Var)
    found, gone, early = {}, set(), {}
    for eq in equations:
        if eq.prim.name == "reduce_sum":
            parts = _product_of(eq, makers, readers)
            steps = parts and _summed_first(eq, *parts)
            if steps and all(is_native(step, known) for step in steps):
                sums = [step for step in steps if step.prim.name == "reduce_sum" and step.inputs[0] in makers]
                found[id(eq)] = [step for step in steps if step not in sums]
                for step in sums:  # next to what makes its operand it may be written with that
                    early.setdefault(id(makers[step.inputs[0]]), []).append(step)
                gone.update(map(id, (parts[0], *parts[1])))
    return [step for eq in equations if id(eq) not in gone
            for step in (*found.get(id(eq), (eq,)), *early.get(id(eq), ()))] if found else equations


def _product_of(eq, makers, readers):
    """The product that a sum is of, and what scales it in between, the last one first; nothing else reads them."""
    scales = []
    v = eq.inputs[0]
    while type(v) is Var and readers[v] == 1 and v in makers:
        made = makers[v]
        if made.prim.name in ("einsum", "matmul"):
            return made, scales
        if made.prim.name not in _SCALES or made.outputs[0].aval != v.aval:
            return None
        large = [w for w in made.inputs if w.aval.shape == v.aval.shape and w.aval.dtype == v.aval.dtype]
        if len(large) != 1 or any(w.aval.size != 1 for w in made.inputs if w is not large[0]) or (
                made.prim.name == "divide" and large[0] is not made.inputs[0]):
            return None
        scales.append(made)
        v = large[0]
    return None


def _summed_first(eq, product, scales):
    """The equations that sum an operand, multiply, and scale; None where this is no less work."""
    subscripts = as_einsum(product)
    if subscripts is None:
        return None
    terms, out = subscripts.split("->")
    axes, keepdims = eq.params
    letters = {out[k] for k in axes}
    operands = terms.split(",")
    alone = [letters & (set(term) - set(other)) for term, other in zip(operands, operands[::-1])]
    rest = [c for c in out if c not in letters]
    if alone[0] | alone[1] != letters:
        return None
    for k, term in enumerate(operands):
        other = operands[1 - k]
        sizes = dict(zip(other, product.inputs[1 - k].aval.shape))
        if alone[k] and all(sizes[c] == 1 for c in set(other) - set(term)):
            return None
    s = Steps(eq)
    given = []
    for v, term, mine in zip(product.inputs, operands, alone):
        places = tuple(k for k, c in enumerate(term) if c in mine)
        given.append(s.sum(v, places, False) if places else v)
    kept = [[c for c in term if c not in mine] for term, mine in zip(operands, alone)]
    found = s("einsum", *given, params=(f"{''.join(kept[0])},{''.join(kept[1])}->{''.join(rest)}",))
    for scale in reversed(scales):
        inputs = [found if w.aval == scale.outputs[0].aval else _number(s, w) for w in scale.inputs]
        found = s(scale.prim.name, *inputs)
    if keepdims:
        found = s.shaped(found, eq.outputs[0].aval.shape)
    if found.aval != eq.outputs[0].aval:
        return None
    s.equations[-1].outputs = list(eq.outputs)
    return s.equations


def _number(s, v):
    """A scale without axes."""
    return v if not v.aval.shape else s.shaped(v, ())
