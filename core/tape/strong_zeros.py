"""Strong zeros: where a zero cotangent or tangent meets an infinite or NaN factor, the product is 0.

Rules run as they are. Only where a NaN came out they run again, operand by operand, with what zeros contribute cut.
Written with operations only, so it works on arrays and on tracers of any level.
"""

from math import isnan

import numpy as np

from ..trace.tracer import Dual, Late, Tracer
from .unbroadcast import conj

ndarray = np.ndarray
_NUMBERS = frozenset({np.float64, np.float32, float})
CHOICES = {}  # `where` and what strong zeros are made of, filled by core/ops: rules need them before they are declared


def holds_nan(c):
    """Tell whether a NaN may be in a value, or in a tangent that it carries; True of what is not known yet."""
    kind = type(c)
    if kind is ndarray:
        if c.ndim and c.dtype.kind == "f":
            flat = c.ravel("K")
            return isnan(flat.dot(flat))  # one BLAS pass: squares add up to NaN only if one of them is
        return bool((c != c).any())
    if kind in _NUMBERS:
        return c != c
    if not isinstance(c, Tracer):
        if kind is tuple:
            return any(x is not None and holds_nan(x) for x in c)
        return hasattr(c, "__array_namespace__") and bool((c != c).any())
    if isinstance(c, Dual):
        return holds_nan(c.tangent) or not (kind is Late and c.node is not None) and holds_nan(c.value)
    return c.value is None or holds_nan(c.value)


def may_have_zeros(c):
    """Tell whether a cotangent or tangent has an element that is 0, as unit vectors do; True of what is not known
    yet."""
    # Lazy cotangents are zero outside of what they hold.
    if hasattr(type(c), "dense"):
        return True
    while isinstance(c, Tracer):
        c = c.value
    return c is None or not bool(c.all() if hasattr(c, "all") else c)


def strong_zero(ct, c):
    """`c` (the shape of `ct`), with 0 where it is NaN only because a zero `ct` met an infinite factor.

    The NaN is replaced after the fact, not the product: where `c` is finite the derivative with respect to `ct` stays.
    """
    return CHOICES["strong_zero"](ct, c) if holds_nan(c) else c


def strong_tangent(dx, part):
    """The same of a tangent `part` that was made of `dx`."""
    return CHOICES["strong_tangent"](dx, part) if holds_nan(part) else part


def guarded(back, again, constant=None):
    """The rule `back`, run by `again` where a NaN comes out of it, or out of its own derivative at what was saved;
    `constant(saved)` tells where none can."""
    def strong(ct, saved):
        found = back(ct, saved)
        if constant is not None and isinstance(found, Tracer) and constant(saved):
            return found
        traced = False
        for c in found if type(found) is tuple else (found,):
            if c is not None:
                if holds_nan(c):
                    return again(ct, saved)
                traced = traced or isinstance(c, Tracer)
        # The cotangent may be finite here and its own derivative not: a recorded sweep takes the strong rule
        # beforehand.
        return again(ct, saved) if traced and unbounded(saved) else found

    return strong


def unbounded(saved):
    """Tell whether something that was saved is infinite or NaN, or too large for its square: a slope of 0 there meets
    infinities in the next derivative."""
    for v in saved if type(saved) is tuple else (saved,):
        while isinstance(v, Tracer):
            v = v.value
        if type(v) is ndarray and v.dtype.kind == "f":
            flat = v.ravel("K")
            v = flat.dot(flat)
        if type(v) in _NUMBERS and v - v != 0:
            return True
    return False


def finite_factor(saved):
    """Tell whether a product was with a number or array without infinities and NaN, by which a zero stays one."""
    kind = type(saved)
    if kind is float or kind is int:
        return saved - saved == 0
    return kind in _NUMBERS and saved - saved == 0 or kind is ndarray and bool(np.isfinite(saved).all())


def gated(strong, reached, bare):
    """The rule of a slope that is a choice somewhere: `reached` where it may be differentiated in turn."""
    def back(ct, saved):
        if not any(isinstance(x, Tracer) for x in (ct, *((saved,) if bare else saved))):
            return strong(ct, saved)
        return reached(ct, saved)

    return back


def pulled_strongly(prim, names, pieces):
    """`again(ct, saved)`: the cotangents `{operand: c}` by rules with strong zeros.

    Args:
        names: of the saved values, in order.
        pieces: `(operands, formula, back)`: what each of the formulas is for, and the formula as `back(ct, saved)`.
    """
    slot = {name: k for k, name in enumerate(names)}
    bare = len(names) == 1
    mixing = prim.blocks
    axes = _axes(mixing)
    lines = axes in slot
    values = [k for k, name in enumerate(names) if name == "ans" or name in prim.operands] if lines else ()

    def again(ct, saved):
        found = {}
        if type(mixing) is dict:
            hit = _examples(ct, mixing["ans"])
            mine = [_of_examples(hit, mixing[n], v) if n in mixing else v
                    for n, v in zip(names, (saved,) if bare else saved)]
            for operands, _, back in pieces:  # nothing is left to cut: what is saved of the others is finite
                cts = back(ct, mine[0] if bare else tuple(mine))
                found.update(zip(operands, cts if len(operands) > 1 else (cts,)))
            return found
        if lines:
            hit = _along(ct, saved[slot[axes]], mixing, True)
            saved = tuple([CHOICES["where"](hit, v, 1.0) if k in values and v.shape == ct.shape else v
                           for k, v in enumerate(saved)])
        for operands, formula, back in pieces:
            i = operands[0]
            if prim.bilinear and i < 2 and prim.operands[1 - i] in formula.names:
                items = [saved if bare else saved[slot[name]] for name in formula.names]
                found[i] = _product(ct, items, formula.names.index(prim.operands[1 - i]), formula.fn)
                continue
            slopes = [_slope(prim, i, slot) for i in operands]
            if all(slopes):
                for i, (fn, asked) in zip(operands, slopes):
                    slope = fn(*[saved if bare else saved[slot[n]] for n in asked])
                    found[i] = CHOICES["strong_times"](ct, conj(slope))
                continue
            cts = back(ct, _reached_by(ct, saved, bare) if prim.elementwise else saved)
            for i, c in zip(operands, cts if len(operands) > 1 else (cts,)):
                if c is not None and (prim.elementwise or not lines or c.shape == ct.shape):
                    reach = ct if prim.elementwise else hit if lines else _reach(
                        prim, i, ct, c, saved if bare else {n: saved[k] for n, k in slot.items()})
                    c = strong_zero(reach, c)
                found[i] = c
        return found

    return again


def _reached_by(ct, saved, bare):
    """Saved factors of `ct`; a traced one moves nothing where that is 0, not even where the next cotangent is NaN."""
    factors = [CHOICES["reached"](ct, v) if isinstance(v, Tracer) and v.dtype == ct.dtype and (
        v.shape == ct.shape or _fits(v.shape, ct.shape)) else v for v in ((saved,) if bare else saved)]
    return factors[0] if bare else tuple(factors)


def _fits(shape, whole):
    """Tell whether an array of a shape is broadcast to one of another shape."""
    return len(shape) <= len(whole) and all(n in (1, m) for n, m in zip(shape[::-1], whole[::-1]))


def _slope(prim, i, slot):
    """`(function, names)` of what an elementwise rule multiplies the cotangent with; None where it does not say."""
    slope = prim.elementwise and prim.slopes.get(i)
    return slope if slope and all(name in slot for name in slope[1]) else None


def _product(ct, items, place, formula):
    head, w, tail = items[:place], items[place], items[place + 1 :]
    return CHOICES["strong_product"](ct, w, lambda ct, w: formula(ct, *head, w, *tail))


def _any(x, axes, keepdims=True):
    return CHOICES["reduce_any"](x != 0, axes, keepdims)


def _axes(mixing):
    """The parameter along which lines mix; None where something else does."""
    return "axis" if mixing == "running" else mixing if type(mixing) is str else None


def _along(ct, axes, mixing, back=False):
    """A mask of the lines along `axes` with a nonzero element; of running ones, up to there, or `back` from there."""
    if mixing == "running":
        return CHOICES["running_any"](ct != 0, axes, back)
    return _any(ct, (axes,) if type(axes) is int else axes)


def _each(values, axes):
    """One or several values, each with the axes of its examples; a list has those of each."""
    values = values if type(values) is tuple else (values,)
    return zip(values, axes if type(axes) is list else [axes] * len(values))


def _examples(parts, axes):
    """The examples at which one of several values is not zero, by all axes of examples; 1 along those it lacks."""
    total = None
    for part, at in _each(parts, axes):
        if part is not None:
            hit = _any(part, tuple([k for k in range(part.ndim) if k not in at]), False)
            sizes = iter(hit.shape)
            hit = hit.reshape(tuple([1 if k is None else next(sizes) for k in at]))
            total = hit if total is None else total | hit
    return total


def _laid(hit, axes, rank):
    """Examples along their axes of a value."""
    hit = _any(hit, tuple([k for k, at in enumerate(axes) if at is None]), False)
    sizes = iter(hit.shape)
    return hit.reshape(tuple([next(sizes) if k in axes else 1 for k in range(rank)]))


def _of_examples(hit, axes, x):
    """Values of the examples that were hit; 1 elsewhere."""
    if type(x) is tuple:
        return tuple([_of_examples(hit, at, v) for v, at in _each(x, axes)])
    return CHOICES["where"](_laid(hit, axes, x.ndim), x, 1.0)


def _reach(prim, i, ct, c, named):
    """A mask of the elements of operand i that reach an output element whose cotangent is not zero."""
    mixing = prim.blocks
    if mixing == "reduced":
        hit = ct != 0
        return hit if named["keepdims"] else hit.reshape(tuple(
            [1 if k in named["axes"] else n for k, n in enumerate(c.shape)]))
    lead = _leading(mixing, i, c)
    total = None
    for part in ct if type(ct) is tuple else (ct,):
        if part is None:
            continue
        rest = lead if part.shape[:lead] == c.shape[:lead] else 0
        hit = _any(part, tuple(range(rest, part.ndim)), False)
        hit = hit.reshape((*hit.shape, *(1,) * (c.ndim - rest)))
        total = hit if total is None else total | hit
    return total


def _leading(mixing, i, x):
    """The number of leading axes of operand i, of the shape of x, that index separate matrices or vectors."""
    own = mixing[i] if type(mixing) is tuple else mixing
    return max(x.ndim - own, 0) if own else 0


def pushed_strongly(prim, tangents, args, ans):
    """The tangent of `ans` from `{operand: tangent}` by rules with strong zeros, operand by operand."""
    total = None
    _, params = prim.split(args)
    named = dict(zip(prim.params, params))
    for i, dx in tangents.items():
        if prim.bilinear and i < 2:
            def times(dx, w, i=i, rest=args[2:]):
                return prim.tangent({i: dx}, (None, w, *rest) if i == 0 else (w, None, *rest), None)

            part = CHOICES["strong_product"](dx, args[1 - i], times)
        else:
            part = prim.tangent({i: dx}, args, ans)
            part = tuple([None if p is None else strong_tangent(_reached(prim, i, dx, p, named, k), p)
                          for k, p in enumerate(part)]) if type(part) is tuple else strong_tangent(
                              _reached(prim, i, dx, part, named), part)
        total = part if total is None else add_tangents(total, part)
    return total


def add_tangents(a, b):
    """The sum of two tangents, of several outputs one by one; None is zero."""
    if type(a) is tuple:
        return tuple(y if x is None else x if y is None else x + y for x, y in zip(a, b))
    return a + b


def _reached(prim, i, dx, part, named, k=0):
    """A mask of the output elements reached from an element of operand i whose tangent is not zero."""
    if prim.elementwise:
        return dx
    mixing = prim.blocks
    if type(mixing) is dict:
        axes = mixing["ans"]
        axes = axes[k] if type(axes) is list else axes
        return _laid(_examples(dx, mixing.get(prim.operands[i], (None,) * len(axes))), axes, part.ndim)
    if mixing == "reduced":
        return _any(dx, named["axes"], named["keepdims"])
    if type(mixing) is str:
        return _along(dx, named[_axes(mixing)], mixing) if dx.shape == part.shape else dx
    lead = _leading(mixing, i, dx)
    rest = lead if part.shape[:lead] == dx.shape[:lead] else 0
    hit = _any(dx, tuple(range(rest, dx.ndim)), False)
    return hit.reshape((*hit.shape, *(1,) * (part.ndim - rest)))
