"""Equations of Sylvester, Lyapunov and Riccati."""

from typing import Any

import numpy as np

from ...core.checks import one_of, refuse_arguments
from ...core.errors import at_user_line
from ...core.ops.linalg.decompositions import adjoint
from ...core.ops.scipy import equations, riccati
from ...core.trace.tracer import is_concrete, unwrap
from ...numpy.surface import Array, floating


def solve_sylvester(a: Array, b: Array, q: Array) -> Array:
    """Solve the Sylvester equation `a @ x + x @ b = q`.

    Args:
        a: `(…, n, n)`.
        b: `(…, m, m)`; no eigenvalue of `a` is the negative of one of `b`.
        q: `(…, n, m)`.
    Returns:
        an array of the shape of `q`.
    Raises:
        ShapeError: the shapes do not match.
        LinAlgError: the equation has no unique solution.
    Derivative: the same equation, for `dq - da x - x db`.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.solve_sylvester(np.diag([1.0, 2.0]), np.array([[1.0]]), np.array([[4.0], [6.0]]))
    array([[2.],
           [2.]])
    """
    return equations.sylvester(floating(a), floating(b), floating(q))


def solve_continuous_lyapunov(a: Array, q: Array) -> Array:
    """Solve the Lyapunov equation `a @ x + x @ aᴴ = q`.

    Args:
        a: `(…, n, n)`; no eigenvalue is the negative conjugate of another.
        q: `(…, n, n)`.
    Returns:
        an array of the shape of `q`.
    Raises:
        ShapeError: the shapes do not match.
        LinAlgError: the equation has no unique solution.
    Derivative: the same equation, for `dq - da x - x daᴴ`.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.solve_continuous_lyapunov(np.diag([1.0, 2.0]), np.array([[2.0, 3.0], [3.0, 8.0]]))
    array([[1., 1.],
           [1., 2.]])
    """
    return equations.continuous_lyapunov(floating(a), floating(q))


def solve_discrete_lyapunov(a: Array, q: Array, method: Any = None) -> Array:
    """Solve the discrete Lyapunov equation `a @ x @ aᴴ - x + q = 0`.

    Args:
        a: `(…, n, n)`; no product of two eigenvalues, one conjugated, is 1.
        q: `(…, n, n)`.
        method: "direct", "bilinear", or None for SciPy's choice by the size.
    Returns:
        an array of the shape of `q`.
    Raises:
        ShapeError: the shapes do not match.
        ValueError: `method` is unknown.
        LinAlgError: the equation has no unique solution.
    Derivative: the same equation, for `dq + da x aᴴ + a x daᴴ`.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.solve_discrete_lyapunov(np.array([[0.5]]), np.array([[3.0]]))
    array([[4.]])
    """
    one_of(method, "method of solve_discrete_lyapunov", (None, "direct", "bilinear"))
    return equations.discrete_lyapunov(floating(a), floating(q), method)


def solve_discrete_are(
    a: Array, b: Array, q: Array, r: Array, e: Any = None, s: Any = None, balanced: bool = True
) -> Array:
    """Solve the discrete algebraic Riccati equation, for the solution that stabilises.

    `aᴴ x a - x - (aᴴ x b) (r + bᴴ x b)⁻¹ (bᴴ x a) + q = 0`.

    Args:
        a: `(…, n, n)`.
        b: `(…, n, m)`.
        q: `(…, n, n)`, Hermitian; the derivative is that by its Hermitian part.
        r: `(…, m, m)`, Hermitian and invertible; likewise.
        e, s: not supported: multiply the equation by the inverse of `e`; without `s`, use `a - b @ solve(r, sᴴ)` and
            `q - s @ solve(r, sᴴ)` in place of `a` and `q`.
        balanced: as in SciPy.
    Returns:
        a Hermitian array of the shape of `q`.
    Raises:
        ShapeError: the shapes do not match.
        ValueError: `q` or `r` is not Hermitian.
        LinAlgError: there is no finite solution.
        TypeError: `e` or `s` is given.
    Derivative: the Lyapunov equation of the closed loop; Kenney and Hewer (1990), SIAM Journal on Control and
    Optimization 28(1), section 2.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> one = np.eye(1)
    >>> linalg.solve_discrete_are(one, one, one, one).round(12)
    array([[1.61803399]])
    """
    refuse_arguments("solve_discrete_are", "see the docstring", e=e, s=s)
    return _riccati("solve_discrete_are", a, b, q, r, bool(balanced), True)


def solve_continuous_are(
    a: Array, b: Array, q: Array, r: Array, e: Any = None, s: Any = None, balanced: bool = True
) -> Array:
    """Solve the continuous algebraic Riccati equation `x a + aᴴ x - x b r⁻¹ bᴴ x + q = 0`, the stabilising solution.

    Args:
        a, b, q, r, e, s, balanced: as in `solve_discrete_are`.
    Returns:
        a Hermitian array of the shape of `q`.
    Raises:
        ShapeError, ValueError, LinAlgError, TypeError: as `solve_discrete_are`.
    Derivative: the Lyapunov equation of the closed loop; Kenney and Hewer (1990), section 2.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> one = np.eye(1)
    >>> linalg.solve_continuous_are(0.0 * one, one, one, one).round(12)
    array([[1.]])
    """
    refuse_arguments("solve_continuous_are", "see the docstring", e=e, s=s)
    return _riccati("solve_continuous_are", a, b, q, r, bool(balanced), False)


def _riccati(name: str, a: Array, b: Array, q: Array, r: Array, balanced: bool, discrete: bool) -> Array:
    a, b, q, r = (floating(x) for x in (a, b, q, r))
    for label, x in (("q", q), ("r", r)):
        known = unwrap(x) if is_concrete(x) else None
        if known is not None and known.ndim > 1 and known.shape[-1] == known.shape[-2] and known.size:
            off, size = (np.abs(v).sum(axis=-2).max(axis=-1) for v in (known - adjoint(known), known))
            if (off > np.spacing(size) * 100).any():  # as SciPy has it
                raise ValueError(f"{name}: matrix {label} should be symmetric/Hermitian; give ({label} + {label}ᴴ) / 2"
                                 f"{at_user_line()}")
    return riccati.riccati(a, b, q, r, balanced, discrete)
