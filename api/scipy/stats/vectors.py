"""Multivariate distributions."""

import math

from ...core.errors import ShapeError, at_user_line
from ...core.ops import arithmetic, selection
from ...core.ops.special import entropies, gamma_functions
from ...numpy import diagonal, linalg
from ...numpy.surface import Array, array_of, floating


class MultivariateNormal:
    """The multivariate normal distribution; both methods are differentiable with respect to all arguments.

    >>> import numpy as np
    >>> from covector.scipy.stats import multivariate_normal
    >>> round(float(multivariate_normal.logpdf(np.zeros(2), np.zeros(2), np.eye(2))), 6)
    -1.837877
    """

    def logpdf(self, x: Array, mean: Array = 0.0, cov: Array = 1.0) -> Array:
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
        root = linalg.cholesky(cov)
        y = linalg.solve(root, (x - mean)[..., None])[..., 0]
        size = arithmetic.log(diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
        return -0.5 * (y * y).sum(axis=-1) - size - 0.5 * n * math.log(2.0 * math.pi)

    def pdf(self, x: Array, mean: Array = 0.0, cov: Array = 1.0) -> Array:
        """Return the density at vectors `x`."""
        return arithmetic.exp(self.logpdf(x, mean, cov))


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


multivariate_normal, dirichlet, multinomial = MultivariateNormal(), Dirichlet(), Multinomial()
