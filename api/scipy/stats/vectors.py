"""Multivariate distributions."""

import math
from typing import Any

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.ops import arithmetic, selection
from ...core.ops.special import entropies, gamma_functions
from ...numpy import diagonal, linalg
from ...numpy.surface import Array, array_of, floating
from ...transforms.staging.effects import stop_gradient


class MultivariateNormal:
    """The multivariate normal distribution; all methods are differentiable with respect to all arguments.

    With `allow_singular=True` covariances may be singular: then the density is that on their image, -∞ or 0 outside of
    it, and derivatives by covariances are those along matrices of the same rank.

    >>> import numpy as np
    >>> from covector.scipy.stats import multivariate_normal
    >>> round(float(multivariate_normal.logpdf(np.zeros(2), np.zeros(2), np.eye(2))), 6)
    -1.837877
    """

    def logpdf(self, x: Array, mean: Array = 0.0, cov: Array = 1.0, allow_singular: bool = False) -> Array:
        """Return the log-density at vectors `x` of shape (…, n), for a mean (…, n) and covariances (…, n, n)."""
        x, mean, cov = floating(x), floating(mean), floating(cov)
        if not cov.ndim:
            if mean.ndim:
                raise ShapeError(f"multivariate_normal.logpdf needs covariances of shape (…, n, n) for a mean of "
                                 f"shape {tuple(mean.shape)}, but got one number; use cov * np.eye(n){at_user_line()}")
            return -0.5 * ((x - mean) * (x - mean) / cov + arithmetic.log(cov) + math.log(2.0 * math.pi))
        n = cov.shape[-1]
        if cov.ndim < 2 or cov.shape[-2] != n or mean.ndim and mean.shape[-1] != n or not x.ndim or x.shape[-1] != n:
            raise ShapeError(f"multivariate_normal.logpdf needs x and mean of shape (…, n) and cov of shape (…, n, n), "
                             f"but got {tuple(x.shape)}, {tuple(mean.shape)} and {tuple(cov.shape)}; add the axis that "
                             f"is missing{at_user_line()}")
        if allow_singular:
            power, size, rank, inside = _on_image(cov, x - mean)
            value = -0.5 * (power + size + rank * math.log(2.0 * math.pi))
            return selection.where(inside, value, -math.inf)
        root = linalg.cholesky(cov)
        y = linalg.solve(root, (x - mean)[..., None])[..., 0]
        size = arithmetic.log(diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
        return -0.5 * (y * y).sum(axis=-1) - size - 0.5 * n * math.log(2.0 * math.pi)

    def pdf(self, x: Array, mean: Array = 0.0, cov: Array = 1.0, allow_singular: bool = False) -> Array:
        """Return the density at vectors `x`."""
        return arithmetic.exp(self.logpdf(x, mean, cov, allow_singular))

    def entropy(self, mean: Array | None = None, cov: Array = 1.0) -> Array:
        """Return the differential entropy for covariances (…, n, n), on their image if they are singular."""
        cov = floating(cov)
        if cov.ndim < 2:
            cov = cov.reshape((1, 1)) if not cov.ndim else cov[:, None] * np.eye(cov.shape[0], dtype=cov.dtype)
        _, size, rank, _ = _on_image(cov, None)
        return 0.5 * (rank * (math.log(2.0 * math.pi) + 1.0) + size)


def _on_image(cov: Array, deviation: Array | None) -> tuple[Any, Array, Array, Any]:
    """The square of deviations in the metric of covariances, the logarithm of their pseudo-determinant, their rank, and
    where deviations lie in their image; as SciPy decides about eigenvalues that are 0."""
    w = linalg.eigvalsh(cov)
    limit = {4: 1e3, 8: 1e6}[w.dtype.itemsize] * float(np.finfo(w.dtype).eps)
    least = limit * stop_gradient(abs(w)).max(axis=-1)
    positive = w > least[..., None]
    size = selection.where(positive, arithmetic.log(selection.where(positive, w, 1.0)), 0.0).sum(axis=-1)
    rank = positive.sum(axis=-1)
    if deviation is None:
        return None, size, rank, None
    inverse = linalg.pinv(cov, rcond=limit, hermitian=True)
    moved = (inverse @ deviation[..., None])[..., 0]
    beyond = stop_gradient(deviation - (cov @ moved[..., None])[..., 0])
    inside = arithmetic.sqrt((beyond * beyond).sum(axis=-1)) < least
    return (deviation * moved).sum(axis=-1), size, rank, inside


class MultivariateT:
    """The multivariate t distribution; both methods are differentiable with respect to all arguments.

    >>> import numpy as np
    >>> from covector.scipy.stats import multivariate_t
    >>> round(float(multivariate_t.logpdf(np.zeros(2), np.zeros(2), np.eye(2), 3.0)), 6)
    -1.837877
    """

    def logpdf(self, x: Array, loc: Array = 0.0, shape: Array = 1.0, df: Array = 1.0,
               allow_singular: bool = False) -> Array:
        """Return the log-density at vectors `x` (…, n), for a location (…, n), shape matrices (…, n, n) and `df`."""
        x, loc, shape, df = floating(x), floating(loc), floating(shape), floating(df)
        if shape.ndim < 2:
            n = x.shape[-1] if x.ndim else 1
            shape = shape * np.eye(n, dtype=shape.dtype)
        if not x.ndim:
            x = x[None]
        n = shape.shape[-1]
        if shape.shape[-2] != n or x.shape[-1] != n or loc.ndim and loc.shape[-1] != n:
            raise ShapeError(f"multivariate_t.logpdf needs x and loc of shape (…, n) and shape of shape (…, n, n), but "
                             f"got {tuple(x.shape)}, {tuple(loc.shape)} and {tuple(shape.shape)}; add the axis that is "
                             f"missing{at_user_line()}")
        if allow_singular:
            power, size, n, inside = _on_image(shape, x - loc)
        else:
            root = linalg.cholesky(shape)
            y = linalg.solve(root, (x - loc)[..., None])[..., 0]
            power, inside = (y * y).sum(axis=-1), None
            size = 2.0 * arithmetic.log(diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
        half = 0.5 * (df + n)
        value = gamma_functions.gammaln(half) - gamma_functions.gammaln(0.5 * df) - 0.5 * n * arithmetic.log(
            df * math.pi) - 0.5 * size - half * arithmetic.log1p(power / df)
        return value if inside is None else selection.where(inside, value, -math.inf)

    def pdf(self, x: Array, loc: Array = 0.0, shape: Array = 1.0, df: Array = 1.0,
            allow_singular: bool = False) -> Array:
        """Return the density at vectors `x`."""
        return arithmetic.exp(self.logpdf(x, loc, shape, df, allow_singular))


class Dirichlet:
    """The Dirichlet distribution; both methods are differentiable with respect to all arguments.

    >>> import numpy as np
    >>> from covector.scipy.stats import dirichlet
    >>> round(float(dirichlet.logpdf(np.array([0.2, 0.3, 0.5]), np.array([1.0, 2.0, 3.0]))), 6)
    1.504077
    """

    def logpdf(self, x: Array, alpha: Array) -> Array:
        """Return the log-density at probabilities `x` of shape (k, …), for `alpha` of shape (k,); -∞ if invalid.

        The last probability may be omitted; the probabilities sum to 1.
        """
        x, alpha = floating(x), floating(alpha)
        if alpha.ndim != 1 or not x.ndim or x.shape[0] not in (alpha.shape[0], alpha.shape[0] - 1):
            raise ShapeError(f"dirichlet.logpdf needs probabilities of shape (k, …) and alpha of shape (k,), but got "
                             f"{tuple(x.shape)} and {tuple(alpha.shape)}; put the probabilities on the first axis"
                             f"{at_user_line()}")
        given = alpha.shape[0] - x.shape[0]
        column = alpha.reshape((-1,) + (1,) * (x.ndim - 1))
        total = x.sum(axis=0)
        value = entropies.xlogy(column[: x.shape[0]] - 1.0, x).sum(axis=0)
        if given:
            value = value + entropies.xlogy(column[-1] - 1.0, 1.0 - total)
        value = value + gamma_functions.gammaln(alpha.sum()) - gamma_functions.gammaln(alpha).sum()
        shares = (x > 0).all(axis=0) & ((total < 1) if given else (abs(total - 1.0) < 1e-6))
        return selection.where(shares, value, -math.inf)

    def pdf(self, x: Array, alpha: Array) -> Array:
        """Return the density at probabilities `x`."""
        return arithmetic.exp(self.logpdf(x, alpha))


class Multinomial:
    """The multinomial distribution; both methods are differentiable with respect to `p`.

    >>> import numpy as np
    >>> from covector.scipy.stats import multinomial
    >>> round(float(multinomial.pmf(np.array([1, 1]), 2, np.array([0.5, 0.5]))), 6)
    0.5
    """

    def logpmf(self, x: Array, n: Array, p: Array) -> Array:
        """Return the log-probability of counts `x` of shape (…, k), which sum to `n`; -∞ if they do not."""
        x, n, p = floating(x), floating(array_of(n)), floating(p)
        each = entropies.xlogy(x, p) - gamma_functions.gammaln(x + 1.0)
        value = gamma_functions.gammaln(n + 1.0) + each.sum(axis=-1)
        return selection.where(x.sum(axis=-1) == n, value, -math.inf)

    def pmf(self, x: Array, n: Array, p: Array) -> Array:
        """Return the probability of counts `x`."""
        return arithmetic.exp(self.logpmf(x, n, p))


multivariate_normal, multivariate_t = MultivariateNormal(), MultivariateT()
dirichlet, multinomial = Dirichlet(), Multinomial()
