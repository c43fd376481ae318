"""The gamma and related distributions, by inversion; all are differentiable with respect to their parameters."""

from typing import Any

import numpy as np

from ..core.ops import arithmetic, elementary, selection
from ..core.ops.nn import classification
from ..core.ops.random_bits import random_unit
from ..core.ops.special import gamma_functions, quantiles
from ..numpy import sqrt
from ..numpy.surface import Array
from .continuous import exponential, normal
from .discrete import rademacher
from .keys import Shape, checked, float_type, full_shape, parameters, sizes, split

_TINY = 1e-20  # below it, P(a, x) is x^a / Γ(a + 1) to the last digit


def loggamma(key: Array, a: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample logarithms of numbers from the gamma distribution, which do not underflow for small `a`.

    Args:
        key: a key.
        a: the shape parameter, positive. The derivative with respect to it is that of the quantile, at the sample.
        shape, dtype: of the output; by default those of `a`.
    Returns:
        an array.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: `a` does not broadcast to `shape`.
        ImportError: SciPy is not installed.

    >>> from covector import random
    >>> round(float(random.loggamma(random.key(0), 1e-3)), 2)
    -871.76
    """
    shape, kind, (a,) = parameters("loggamma", shape, dtype, a)
    u = selection.maximum(random_unit(checked(key, "loggamma"), shape, kind.name), _least(kind))
    x = quantiles.gammaincinv(a, u)
    small = x < _TINY
    low = (arithmetic.log(u) + gamma_functions.gammaln(a + 1.0)) / a
    return selection.where(small, low, arithmetic.log(selection.where(small, 1.0, x)))


def _least(kind: np.dtype) -> float:
    """Replace 0, whose quantile has no logarithm, by half of the smallest positive sample."""
    return {2: 2.0**-11, 4: 2.0**-24, 8: 2.0**-53}[kind.itemsize]


def gamma(key: Array, a: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample from the gamma distribution of scale 1.

    Args:
        key, a, shape, dtype: as in `loggamma`.
    Returns:
        a nonnegative array.
    Raises:
        TypeError, ShapeError, ImportError: as for `loggamma`.

    >>> import covector
    >>> from covector import random
    >>> round(float(random.gamma(random.key(0), 2.0)), 4), covector.grad(lambda a: random.gamma(random.key(0), a))(2.0)
    (1.4299, array(0.91319748))
    """
    return arithmetic.exp(loggamma(key, a, shape, dtype))


def chisquare(key: Array, df: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample from the χ² distribution.

    Args:
        key: a key.
        df: degrees of freedom, positive; the output is differentiable with respect to it.
        shape, dtype: of the output; by default those of `df`.
    Returns:
        a nonnegative array.
    Raises:
        TypeError, ShapeError, ImportError: as for `loggamma`.

    >>> from covector import random
    >>> round(float(random.chisquare(random.key(0), 4.0)), 4)
    2.8599
    """
    shape, kind, (df,) = parameters("chisquare", shape, dtype, df)
    return 2.0 * gamma(key, 0.5 * df, shape, kind)


def beta(key: Array, a: Array, b: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample from the beta distribution.

    Args:
        key: a key.
        a, b: positive; the output is differentiable with respect to both.
        shape, dtype: of the output; by default those of the parameters together.
    Returns:
        an array, between 0 and 1.
    Raises:
        TypeError, ShapeError, ImportError: as for `loggamma`.

    >>> from covector import random
    >>> round(float(random.beta(random.key(0), 2.0, 3.0)), 4)
    0.8424
    """
    shape, kind, (a, b) = parameters("beta", shape, dtype, a, b)
    key_a, key_b = split(checked(key, "beta"))
    return elementary.sigmoid(loggamma(key_a, a, shape, kind) - loggamma(key_b, b, shape, kind))


def dirichlet(key: Array, alpha: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample probability vectors from the Dirichlet distribution.

    Args:
        key: a key.
        alpha: `(…, k)`, positive; the output is differentiable with respect to it.
        shape: the shape of the output without its last axis; by default that of `alpha` without it.
        dtype: the dtype of the output; by default that of `alpha`.
    Returns:
        an array of shape `(*shape, k)`.
    Raises:
        TypeError, ShapeError, ImportError: as for `loggamma`.

    >>> import numpy as np
    >>> from covector import random
    >>> random.dirichlet(random.key(0), np.array([1.0, 2.0, 3.0])).round(4)
    array([0.0661, 0.106 , 0.8279])
    """
    found, kind, (alpha,) = parameters("dirichlet", None, dtype, alpha)
    if not found:
        raise TypeError("random.dirichlet needs alpha of at least one axis, but got a scalar; use beta for two "
                        "probabilities")
    shape = full_shape("dirichlet", shape, found[:-1])
    logs = loggamma(checked(key, "dirichlet"), alpha, (*shape, found[-1]), kind)
    return classification.softmax(logs, len(shape))


def t(key: Array, df: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample from Student's t distribution.

    Args:
        key: a key.
        df: degrees of freedom, positive; the output is differentiable with respect to it.
        shape, dtype: of the output; by default those of `df`.
    Returns:
        an array.
    Raises:
        TypeError, ShapeError, ImportError: as for `loggamma`.

    >>> from covector import random
    >>> round(float(random.t(random.key(0), 3.0)), 4)
    4.6153
    """
    shape, kind, (df,) = parameters("t", shape, dtype, df)
    key_n, key_g = split(checked(key, "t"))
    half = 0.5 * df
    return normal(key_n, shape, kind) * sqrt(half / gamma(key_g, half, shape, kind))


def f(key: Array, dfnum: Array, dfden: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample from Fisher's F distribution.

    Args:
        key: a key.
        dfnum, dfden: degrees of freedom, positive; the output is differentiable with respect to both.
        shape, dtype: of the output; by default those of the parameters together.
    Returns:
        a nonnegative array.
    Raises:
        TypeError, ShapeError, ImportError: as for `loggamma`.

    >>> from covector import random
    >>> round(float(random.f(random.key(0), 3.0, 4.0)), 4)
    0.062
    """
    shape, kind, (dfnum, dfden) = parameters("f", shape, dtype, dfnum, dfden)
    key_d, key_n = split(checked(key, "f"))
    return chisquare(key_n, dfnum, shape, kind) / dfnum / (chisquare(key_d, dfden, shape, kind) / dfden)


def generalized_normal(key: Array, p: Array, shape: Shape = (), dtype: Any = "float64") -> Array:
    """Sample from the density proportional to exp(-|x|ᵖ).

    Args:
        key: a key.
        p: the exponent, positive.
        shape, dtype: of the output.
    Returns:
        an array.
    Raises:
        TypeError, ShapeError, ImportError: as for `loggamma`.

    >>> from covector import random
    >>> round(float(random.generalized_normal(random.key(0), 2.0)), 4)
    1.534
    """
    shape, kind, (p,) = parameters("generalized_normal", shape, dtype, p)
    key_size, key_sign = split(checked(key, "generalized_normal"))
    size = arithmetic.exp(loggamma(key_size, 1.0 / p, shape, kind) / p)
    return size * rademacher(key_sign, shape, kind)


def ball(key: Array, d: int, p: float = 2, shape: Shape = (), dtype: Any = "float64") -> Array:
    """Sample vectors uniformly from the unit ball of the p-norm.

    Args:
        key: a key.
        d: the dimension.
        p: the order of the norm.
        shape: the shape of the output without its last axis.
        dtype: the dtype of the output.
    Returns:
        an array of shape `(*shape, d)`; the p-norm of each vector is at most 1.
    Raises:
        TypeError, ShapeError, ImportError: as for `loggamma`.

    >>> from covector import random
    >>> random.ball(random.key(0), 2).round(4)
    array([-0.141 , -0.9471])
    """
    shape, kind = sizes(shape, "ball"), float_type(dtype, "ball")
    key_g, key_e = split(checked(key, "ball"))
    g = generalized_normal(key_g, float(p), (*shape, *sizes(d, "ball")), kind)
    e = exponential(key_e, shape, kind)
    length = ((abs(g) ** p).sum(axis=-1) + e) ** (1.0 / p)
    return g / length[..., None]


