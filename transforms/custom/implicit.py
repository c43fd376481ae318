"""Roots found by any method, differentiated by the implicit function theorem."""

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function
from ...core.trace.device import zeros_of
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import flatten, in_dtype, same_structure, settle
from ..arguments.escape_checks import owned
from ..debug.effects import stop_gradient
from ..interpreters.forward import jvp
from ..interpreters.gradient import vjp
from ..staging.graph import check_inputs
from ..staging.linear import generic, linearize
from . import strong_products as strong_products  # fills `CHOICES`
from .closures import opened
from .custom import custom_jvp
from .two_way import Operation, placed


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

        def of_live(*given):
            full = list(values)
            for k, v in zip(live, given):
                full[k] = v
            return bind(full)(x)

        moved = jvp(of_live, tuple([values[k] for k in live]), tuple([tangents[1 + k] for k in live]))[1]
        dx = tangent_solve(_tangent_map(bind(values), x), moved)
        leaves, rebuild = flatten(dx)
        dx = rebuild([-t for t in leaves])
        if not has_aux:
            return result, dx
        leaves, rebuild = flatten(aux[0])
        return result, (dx, rebuild([zeros_of(aval_of(settle(v)), v) for v in leaves]))

    return root(guess, *values)


def _tangent_map(fun, x):
    """The derivative of `fun` at `x`, a function that is linear by construction, and whose primals were computed once.

    Its own derivatives do not look at its argument, so solvers that form its Jacobian can be transposed.
    """
    graph = linearize(fun, x)[1].graph
    captured, graph.captured = graph.captured, []
    rebuild, avals = flatten((x,))[1], graph.in_avals[: len(graph.in_avals) - len(captured)]
    apply = _LinearMap(lambda *flat: graph.eval(list(flat)), avals)

    def tangent_map(dx):
        flat = same_structure((dx,), rebuild, len(avals), "the linear function of custom_root", "a tangent")
        flat = [in_dtype(settle(t), a, "the linear function of custom_root", "tangent") for t, a in zip(flat, avals)]
        check_inputs(graph, flat, avals, "the linear function of custom_root")
        return owned(graph.rebuild(apply(*flat, *captured)), flat)

    return tangent_map


class _LinearMap(Operation):
    """`apply(*flat)`, linear in its first operands, which are like `avals`; the others make its coefficients.

    The transpose is a map of the same kind, whose transpose is this one.
    """

    name = "tangent_map"

    run: Any

    def __init__(self, apply, avals, transposed=None):
        self.run = apply
        self.like = avals
        self.linear = len(avals)
        self.turned = transposed

    def transposed(self, avals):
        """The map of cotangents, which are like `avals`."""
        def apply(*flat):
            cts, kept = list(flat[: len(avals)]), flat[len(avals) :]
            # at any point: at zeros, strong zeros would mask every pole
            somewhere = [generic(a, *flat) for a in self.like]
            return list(vjp(lambda *given: list(self.run(*given, *kept)), *somewhere)[1](cts))

        self.turned = self.turned or _LinearMap(apply, avals, self)
        return self.turned

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
            back[:n] = self.transposed([aval_of(v) for v in outs])(*cts, *kept)
        live = [k - n for k in active if k >= n]
        if live:
            pulled = vjp(lambda *given: list(self.run(*values[:n], *placed(kept, live, given))),
                         *[kept[k] for k in live])
            for k, c in zip(live, pulled[1](list(cts))):
                back[n + k] = c
        return back
