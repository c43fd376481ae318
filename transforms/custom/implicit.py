"""Roots found by any method, differentiated by the implicit function theorem."""

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function
from ...core.ops.reductions import reduce_any, strong_product, with_strong_zeros
from ...core.ops.selection import isfinite
from ...core.tape.strong_zeros import CHOICES, finite_factor
from ...core.trace.device import zeros_of
from ...core.trace.tracer import Tracer
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import flatten, in_dtype, same_structure, settle
from ..arguments.escape_checks import owned
from ..interpreters.forward import jvp
from ..interpreters.gradient import vjp
from ..staging.bodies import batched_body, conjugated
from ..staging.effects import stop_gradient
from ..staging.graph import check_inputs
from ..staging.linear import FlatPullback, transposed
from ..staging.staging import stage
from .closures import opened
from .custom import custom_jvp
from .two_way import Operation, StagedOperation, placed


def custom_root(
    f: Callable[..., Any], initial_guess: PyTree, solve: Callable[..., Any], tangent_solve: Callable[..., Any],
    has_aux: bool = False,
) -> PyTree:
    """Find a root of a function by any method, differentiated through the implicit function theorem.

    Where f(x, θ) = 0, the root moves by dx = -(∂f/∂x)⁻¹ ∂f/∂θ dθ: `solve` itself is not differentiated.

    Args:
        f: `f(x)`, with outputs like `x`. Derivatives are taken with respect to the traced values that it closes
            over. It is staged, so Python control flow on `x` raises.
        initial_guess: the starting point of `solve`; it has no derivative.
        solve: `solve(f, initial_guess)` returns a root. It runs on values without derivatives, and closes over none.
        tangent_solve: `tangent_solve(g, y)` returns `x` with `g(x) = y` for the linear function g = ∂f/∂x; for scalars
            `y / g(1.0)`, for short vectors `np.linalg.solve(covector.jacobian(g)(y), y)`. Reverse mode transposes it.
        has_aux: `solve` returns a pair, whose second part has no derivative.
    Returns:
        the output of `solve`.

    >>> import covector
    >>> def root(a):
    ...     def newton(f, x):
    ...         for _ in range(20):
    ...             x = x - f(x) / covector.grad(f)(x)
    ...         return x
    ...     return covector.custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> float(root(4.0)), float(covector.grad(root)(4.0)), float(covector.grad(covector.grad(root))(4.0))
    (2.0, 0.25, -0.03125)
    """
    for part in (f, solve, tangent_solve):
        check_function(part, "custom_root")
    guess = stop_gradient(initial_guess)
    bind, values = opened(f, guess)
    if not values:
        return stop_gradient(solve(f, guess))
    live = [k for k, v in enumerate(values) if is_inexact(aval_of(v).dtype)]

    @custom_jvp
    def root(guess, *values):
        return stop_gradient(solve(bind(values), guess))

    @root.defjvp
    def _(primals, tangents):
        guess, *values = primals
        result = root(guess, *values)
        x, *aux = result if has_aux else (result,)
        back = FlatPullback(bind(values), (x,))
        bare = not any(isinstance(v, Tracer) for v in (*flatten(x)[0], *values))
        kept = [values[k] for k in live]
        given = [tangents[1 + k] for k in live]

        def of_live(*given):
            return bind(placed(values, live, given))(x)

        if bare:
            dx = tangent_solve(_tangent_map(back, x, bare), back.rebuild(_along(of_live, kept, back)(*given)))
        else:
            dx = tangent_solve(_tangent_map(back, x, bare), jvp(of_live, tuple(kept), tuple(given))[1])
        leaves, rebuild = flatten(dx)
        dx = rebuild([-t for t in leaves])
        if not has_aux:
            return result, dx
        leaves, rebuild = flatten(aux[0])
        return result, (dx, rebuild([zeros_of(aval_of(settle(v)), v) for v in leaves]))

    return root(guess, *values)


def _along(fun, values, back):
    """The derivative of `fun` at `values`, its outputs like those of `back`; neither closes over a traced value."""
    avals = [aval_of(v) for v in values]
    pullback = _LinearMap(lambda *cts: list(vjp(fun, *values)[1](back.full(cts))), back.avals, avals)
    return _LinearMap(lambda *tangents: flatten(jvp(fun, tuple(values), tangents)[1])[0], avals, back.avals, pullback)


def _tangent_map(back, x, bare):
    """The derivative of a function at `x`, the transpose of its pullback `back`, whose primals were computed once; it
    is linear by construction. `bare`: nothing in it is traced.

    Its own derivatives do not look at its argument, so solvers that form its Jacobian can be transposed.
    """
    leaves, rebuild = flatten((x,))
    avals, captured = [aval_of(settle(v)) for v in leaves], []
    if bare:
        pull = back
    else:
        graph = stage(back, back.avals, tuple, "custom_root", like=leaves, watch=False)[0]
        captured, graph.captured = graph.captured, []

        def pull(*flat):
            return graph.eval(list(flat))

    apply = _LinearMap(pull, back.avals, avals).transposed()

    def tangent_map(dx):
        flat = same_structure((dx,), rebuild, len(avals), "the linear function of custom_root", "a tangent")
        flat = [in_dtype(settle(t), a, "the linear function of custom_root", "tangent") for t, a in zip(flat, avals)]
        check_inputs(flat, avals, "the linear function of custom_root")
        return owned(back.filled(apply(*flat, *captured), flat), flat)

    return tangent_map


class _LinearMap(Operation):
    """A map that is linear in its first operands, which are like `like`; the others make its coefficients.

    The transpose is a map of the same kind, whose transpose is this one.

    Args:
        apply: `apply(*flat)`; None for the transpose of `turned`.
        outs: avals of what comes out.
    """

    name = "tangent_map"

    def __init__(self, apply, like, outs, turned=None):
        self.apply = apply
        self.like = like
        self.outs = outs
        self.linear = len(like)
        self.turned = turned or _LinearMap(None, outs, like, self)
        self.known: Any = None

    def run(self, *flat):
        if self.apply is not None:
            return self.apply(*flat)
        return self.graph_of([aval_of(v) for v in flat]).eval(list(flat))

    def graph_of(self, avals):
        """The graph of what it runs, staged when it is first asked for."""
        if self.known is None or self.known.in_avals != tuple(avals):
            self.known = stage(self.apply or self.back, avals, tuple, self.name, watch=False)[0]
        return self.known

    def back(self, *flat):
        """The transpose of `turned`, run along its tape."""
        given, kept = flat[: self.linear], flat[self.linear :]
        return transposed(lambda *cts: list(self.turned.run(*cts, *kept)), self.outs, given)

    def transposed(self):
        """The map of cotangents."""
        return self.turned

    def staged(self, avals, operands):
        return _StagedMap(self, avals)

    def jvp(self, values, outs, tangents):
        n, kept, found = self.linear, values[self.linear :], [None] * len(outs)
        if any(t is not None for t in tangents[:n]):
            given = [zeros_of(aval_of(v), v) if t is None else t for v, t in zip(values, tangents[:n])]
            found = self(*given, *kept)
        live = [k for k, t in enumerate(tangents[n:]) if t is not None]
        if live:
            moved = jvp(lambda *given: list(self.run(*values[:n], *placed(kept, live, given))),
                        tuple([kept[k] for k in live]), tuple([tangents[n + k] for k in live]))[1]
            found = [m if t is None else t + m for t, m in zip(found, moved)]
        return found

    def pull(self, values, outs, cts, active):
        n, kept, back = self.linear, values[self.linear :], [None] * len(values)
        if any(k < n for k in active):
            back[:n] = self.turned(*cts, *kept)
        live = [k - n for k in active if k >= n]
        if live:
            pulled = vjp(lambda *given: list(self.run(*values[:n], *placed(kept, live, given))),
                         *[kept[k] for k in live])
            for k, c in zip(live, pulled[1](list(cts))):
                back[n + k] = c
        return back


class _StagedMap(StagedOperation):
    """A linear map in a graph, which shows its own one to whoever looks: what runs eagerly needs none."""

    pure = True

    def __init__(self, inner, avals):
        super().__init__(inner, None, len(avals))
        self.given = avals
        self.outs = inner.outs

    def avals(self, given):
        return self.outs

    @property
    def graph(self):
        return self.inner.graph_of(self.given)

    @graph.setter
    def graph(self, graph):
        assert graph is None

    def taken(self):
        return []

    def run(self, *values):
        return self.inner.run(*values)


# Products with strong zeros in staged code: looked at when they run, differentiated as the bilinear maps they are.


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
        back = transposed_product(times, ct, lambda ct, w: (ct, w)) if 0 in active else None
        return [strong_product(cts[0], w, back) if 0 in active else None,
                strong_product(ct, cts[0], of_factor(times, w)) if 1 in active else None, *[None] * len(constants)]


def of_factor(times, w):
    """The cotangent of `w`, which has nothing of an element of that of the output where `ct` is 0."""
    back = transposed_product(times, w, lambda w, ct: (ct, w))
    return lambda ct, g: back(g, ct)


def transposed_product(times, operand, order):
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
