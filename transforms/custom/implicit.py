"""Roots found by any method, differentiated by the implicit function theorem."""

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function
from ...core.trace.device import zeros_of
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import flatten, settle
from ..debug.effects import stop_gradient
from ..interpreters.forward import jvp
from .closures import closure_convert
from .custom import custom_jvp


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
    of_values, values = closure_convert(f, guess)
    if not values:
        return stop_gradient(solve(f, guess))
    live = [k for k, v in enumerate(values) if is_inexact(aval_of(v).dtype)]

    @custom_jvp
    def root(guess, *values):
        return stop_gradient(solve(lambda x: of_values(x, *values), guess))

    @root.defjvp
    def _(primals, tangents):
        guess, *values = primals
        result = root(guess, *values)
        x, *aux = result if has_aux else (result,)

        def of_live(*given):
            full = list(values)
            for k, v in zip(live, given):
                full[k] = v
            return of_values(x, *full)

        moved = jvp(of_live, tuple([values[k] for k in live]), tuple([tangents[1 + k] for k in live]))[1]
        dx = tangent_solve(lambda dx: jvp(lambda x: of_values(x, *values), (x,), (dx,))[1], moved)
        leaves, rebuild = flatten(dx)
        dx = rebuild([-t for t in leaves])
        if not has_aux:
            return result, dx
        leaves, rebuild = flatten(aux[0])
        return result, (dx, rebuild([zeros_of(aval_of(settle(v)), v) for v in leaves]))

    return root(guess, *values)
