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
    """`times(ct, w)`, bilinear, with the terms left out in which an element of `ct` is 0.

    A rule of a rule that looks for what is lost would differentiate both branches of each look: second derivatives of a
    loop would be five times as many equations.
    """

    name = "strong_product"
    bilinear = True

    def __init__(self, times):
        self.times = times

    def run(self, ct, w):
        out = self.times(ct, w)
        seen = w if w.size <= out.size else out  # the smaller one; w may be the same in each turn of a loop
        lost = reduce_any(~isfinite(w) if seen is w else out != out, tuple(range(seen.ndim)), False)
        return [CHOICES["cond"](lost, lambda out, ct, w: with_strong_zeros(out, ct, w, self.times),
                                lambda out, ct, w: out, out, ct, w)]

    def staged(self, avals, operands):
        graph, _ = stage(lambda ct, w: [self.times(ct, w)], avals, tuple, self.name, like=operands)
        return _StagedProduct(self, graph, len(avals))

    def batched(self, flags, trace):
        times = batched_body(lambda ct, w: [self.times(ct, w)], flags, trace)
        return StrongProduct(lambda ct, w: times(ct, w)[0])  # one look for all examples: else both branches run

    def jvp(self, values, outs, tangents):
        (ct, w), (dct, dw) = values, tangents
        terms = [strong_product(x, y, self.times) for x, y in ((dct, w), (ct, dw)) if x is not None and y is not None]
        return [sum(terms[1:], terms[0]) if terms else None]

    def pull(self, values, outs, cts, active):
        ct, w = values
        return [strong_product(cts[0], w, self.transposed(ct, lambda ct, w: (ct, w))) if 0 in active else None,
                strong_product(ct, cts[0], self.of_factor(w)) if 1 in active else None]

    def of_factor(self, w):
        """The cotangent of `w`, which has nothing of an element of that of the output where `ct` is 0."""
        back = self.transposed(w, lambda w, ct: (ct, w))
        return lambda ct, g: back(g, ct)

    def transposed(self, operand, order):
        """The cotangent of one operand, as a bilinear map of that of the output and the other operand."""
        aval, times = aval_of(operand), self.times

        def back(g, other):
            pullback = vjp(lambda x: times(*order(x, other)), zeros_of(aval, g))[1]
            return conjugated(pullback(conjugated(g))[0])

        return back


class _StagedProduct(StagedOperation):
    """A strong product whose graph is the plain one; the other is staged where it is compiled."""

    @property
    def expanded(self):
        """The graph of what runs, made anew: no two calls share variables of branches."""
        def run(ct, w, *captured):
            return StrongProduct(lambda ct, w: self.graph.eval([ct, w, *captured])[0]).run(ct, w)

        return stage(run, self.graph.in_avals, tuple, self.name, watch=False)[0]

    def run(self, *values):
        return self.expanded.eval(list(values))


CHOICES["staged_product"] = lambda ct, w, times: times(ct, w) if finite_factor(w) else StrongProduct(times)(ct, w)[0]
