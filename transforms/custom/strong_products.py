"""Products with strong zeros in staged code: looked at when they run, differentiated as the bilinear maps they are."""

from ...core.arrays.avals import aval_of
from ...core.ops.reductions import reduce_any, strong_product, with_strong_zeros
from ...core.ops.selection import isfinite
from ...core.tape.strong_zeros import CHOICES, finite_factor
from ...core.trace.device import zeros_of
from ..interpreters.gradient import vjp
from ..staging.bodies import batched_body, conjugated
from ..staging.staging import stage
from .two_way import Operation, StagedOperation


class StrongProduct(Operation):
    """`times(ct, w, *constants)`, bilinear, with the terms left out in which an element of `ct` is 0.

    A rule of a rule that looks for what is lost would differentiate both branches of each look: second derivatives of a
    loop would be five times as many equations.
    """

    name = "strong_product"
    bilinear = True

    def __init__(self, times):
        self.times = times

    def run(self, ct, w, *constants):
        times = self.bound(constants)
        out = times(ct, w)
        seen = w if w.size <= out.size else out  # the smaller one; w may be the same in each turn of a loop
        lost = reduce_any(~isfinite(w) if seen is w else out != out, tuple(range(seen.ndim)), False)
        return [CHOICES["cond"](lost, lambda out, ct, w: with_strong_zeros(out, ct, w, times),
                                lambda out, ct, w: out, out, ct, w)]

    def bound(self, constants):
        """The bilinear map of two operands."""
        return (lambda ct, w: self.times(ct, w, *constants)) if constants else self.times

    def staged(self, avals, operands):
        graph, _ = stage(lambda *xs: [self.times(*xs)], avals, tuple, self.name, like=operands)
        return _StagedProduct(self, graph, len(avals))

    def batched(self, flags, trace):
        times = batched_body(lambda *xs: [self.times(*xs)], flags, trace)
        return StrongProduct(lambda *xs: times(*xs)[0])  # one look for all examples: else both branches run

    def jvp(self, values, outs, tangents):
        (ct, w, *constants), (dct, dw, *_) = values, tangents
        times = self.bound(constants)
        terms = [strong_product(x, y, times) for x, y in ((dct, w), (ct, dw)) if x is not None and y is not None]
        return [sum(terms[1:], terms[0]) if terms else None]

    def pull(self, values, outs, cts, active):
        ct, w, *constants = values
        times = self.bound(constants)
        return [strong_product(cts[0], w, transposed(times, ct, lambda ct, w: (ct, w))) if 0 in active else None,
                strong_product(ct, cts[0], of_factor(times, w)) if 1 in active else None, *[None] * len(constants)]


def of_factor(times, w):
    """The cotangent of `w`, which has nothing of an element of that of the output where `ct` is 0."""
    back = transposed(times, w, lambda w, ct: (ct, w))
    return lambda ct, g: back(g, ct)


def transposed(times, operand, order):
    """The cotangent of one operand, as a bilinear map of that of the output and the other operand."""
    aval = aval_of(operand)

    def back(g, other):
        pullback = vjp(lambda x: times(*order(x, other)), zeros_of(aval, g))[1]
        return conjugated(pullback(conjugated(g))[0])

    return back


class _StagedProduct(StagedOperation):
    """A strong product whose graph is the plain one; the other is staged where it is compiled."""

    @property
    def expanded(self):
        """The graph of what runs, made anew: no two calls share variables of branches."""
        return stage(self.of_graph().run, self.graph.in_avals, tuple, self.name, watch=False)[0]

    def of_graph(self):
        """The product by its graph, of which the values that it closed over are constants."""
        return StrongProduct(lambda *xs: self.graph.eval(list(xs))[0])

    def product(self, operands):
        """The product as it was given, where it closed over nothing: its values may be of a trace that has ended."""
        return self.inner if len(operands) == self.count else self.of_graph()

    def run(self, *values):
        return self.expanded.eval(list(values))

    def batched(self, flags, trace):
        return self.product(flags).batched(flags, trace)

    def jvp(self, values, outs, tangents):
        return self.product(values).jvp(values, outs, tangents)

    def pull(self, values, outs, cts, active):
        return self.product(values).pull(values, outs, cts, active)


CHOICES["staged_product"] = lambda ct, w, times: times(ct, w) if finite_factor(w) else StrongProduct(times)(ct, w)[0]
