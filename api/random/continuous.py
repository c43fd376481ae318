"""Continuous distributions without shape parameters, by inversion."""

import math
from typing import Any

import numpy as np

from ..core.ops import arithmetic, selection
from ..core.ops.random_bits import random_unit
from ..core.ops.special import error_function, normal_distribution
from ..numpy import linalg, sqrt, tan
from ..numpy.surface import Array
from ..transforms.staging.effects import stop_gradient
from .keys import Shape, between, checked, float_type, parameters, sizes, split, spread


def uniform(
    key: Array, shape: Shape = (), dtype: Any = np.float64, minval: Array = 0.0, maxval: Array = 1.0
) -> Array:
    """Sample from the uniform distribution on [minval, maxval).

    Args:
        key: a key.
        shape: the shape of the output.
        dtype: float16, float32 or float64.
        minval, maxval: the bounds; they broadcast to `shape`, and the output is differentiable with respect to both.
    Returns:
        an array of that shape and dtype.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: the bounds do not broadcast.

    >>> from covector import random
    >>> random.uniform(random.key(0), (2,)).round(4)
    array([0.4185, 0.2163])
    """
    key = checked(key, "uniform")
    if type(minval) is float and type(maxval) is float and (minval, maxval) == (0.0, 1.0):
        return random_unit(key, sizes(shape, "uniform"), float_type(dtype, "uniform").name)
    shape, kind, (minval, maxval) = parameters("uniform", shape, dtype, minval, maxval)
    return between(key, shape, kind, minval, maxval)


def normal(key: Array, shape: Shape = (), dtype: Any = np.float64) -> Array:
    """Sample from the standard normal distribution.

    Args:
        key: a key.
        shape: the shape of the output.
        dtype: a floating or complex dtype; a complex number has variance 1, half of it in each part.
    Returns:
        an array of that shape and dtype.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> random.normal(random.key(0), (2,)).round(4)
    array([-0.2058, -0.7848])
    """
    key, shape = checked(key, "normal"), sizes(shape, "normal")
    kind = np.dtype(dtype)
    if kind.kind == "c":
        real, imaginary = [_normal(k, shape, np.zeros(0, kind).real.dtype) for k in split(key)]
        return (real + 1j * imaginary) / kind.type(math.sqrt(2.0))
    return _normal(key, shape, float_type(kind, "normal"))


def _normal(key: Array, shape: tuple[int, ...], kind: np.dtype) -> Array:
    low = np.nextafter(kind.type(-1.0), kind.type(0.0))
    return kind.type(math.sqrt(2.0)) * normal_distribution.erfinv(between(key, shape, kind, low, kind.type(1.0)))


def truncated_normal(
    key: Array, lower: Array, upper: Array, shape: Shape | None = None, dtype: Any = None
) -> Array:
    """Sample from the standard normal distribution, truncated to an interval.

    Args:
        key: a key.
        lower, upper: the bounds, real; the output is differentiable with respect to both.
        shape: the shape of the output; by default that of the broadcast bounds.
        dtype: the dtype of the output; by default that of the promoted bounds.
    Returns:
        an array, between the bounds.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: the bounds do not broadcast to `shape`.

    >>> from covector import random
    >>> random.truncated_normal(random.key(0), -1.0, 1.0, (2,)).round(4)
    array([-0.14  , -0.5063])
    """
    key = checked(key, "truncated_normal")
    shape, kind, (lower, upper) = parameters("truncated_normal", shape, dtype, lower, upper)
    root = kind.type(math.sqrt(2.0))
    left, right = upper <= 0, lower >= 0
    across = ~(left | right)
    low, high = selection.where(across, lower, -1.0), selection.where(across, upper, 1.0)
    u = between(key, shape, kind, error_function.erf(low / root), error_function.erf(high / root))
    inner = root * normal_distribution.erfinv(u)
    # On one side of 0 the quantile of the tail from the nearer bound: erf of bounds further out rounds to 1.
    near = selection.where(left, -upper, selection.where(right, lower, 1.0))
    far = selection.where(left, -lower, selection.where(right, upper, 2.0))
    tail = normal_distribution.truncated_above(random_unit(key, shape, kind.name), near, far)
    found = selection.where(across, inner, selection.where(left, -tail, tail))
    low, high = arithmetic.nextafter(stop_gradient(lower), kind.type(math.inf)), arithmetic.nextafter(
        stop_gradient(upper), kind.type(-math.inf))
    return selection.minimum(selection.maximum(found, low), high)


def exponential(key: Array, shape: Shape = (), dtype: Any = np.float64) -> Array:
    """Sample from the exponential distribution of mean 1.

    Args:
        key, shape, dtype: as in `uniform`.
    Returns:
        a nonnegative array.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> random.exponential(random.key(0), (2,)).round(4)
    array([0.5421, 0.2437])
    """
    return -arithmetic.log1p(-_unit(key, shape, dtype, "exponential"))


def gumbel(key: Array, shape: Shape = (), dtype: Any = np.float64) -> Array:
    """Sample from the standard Gumbel distribution.

    Args:
        key, shape, dtype: as in `uniform`.
    Returns:
        an array.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> random.gumbel(random.key(0), (2,)).round(4)
    array([ 0.1379, -0.426 ])
    """
    kind = float_type(dtype, "gumbel")
    u = between(checked(key, "gumbel"), sizes(shape, "gumbel"), kind, np.finfo(kind).tiny, kind.type(1.0))
    return -arithmetic.log(-arithmetic.log(u))


def laplace(key: Array, shape: Shape = (), dtype: Any = np.float64) -> Array:
    """Sample from the Laplace distribution of mean 0 and scale 1.

    Args:
        key, shape, dtype: as in `uniform`.
    Returns:
        an array.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> random.laplace(random.key(0), (2,)).round(4)
    array([0.178, 0.838])
    """
    kind = float_type(dtype, "laplace")
    low = kind.type(-1.0) + np.finfo(kind).epsneg
    u = between(checked(key, "laplace"), sizes(shape, "laplace"), kind, low, kind.type(1.0))
    return selection.sign(u) * arithmetic.log1p(-abs(u))


def logistic(key: Array, shape: Shape = (), dtype: Any = np.float64) -> Array:
    """Sample from the logistic distribution of mean 0 and scale 1.

    Args:
        key, shape, dtype: as in `uniform`.
    Returns:
        an array.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> random.logistic(random.key(0), (2,)).round(4)
    array([-0.3291, -1.2874])
    """
    kind = float_type(dtype, "logistic")
    u = between(checked(key, "logistic"), sizes(shape, "logistic"), kind, np.finfo(kind).tiny, kind.type(1.0))
    return arithmetic.log(u) - arithmetic.log1p(-u)


def cauchy(key: Array, shape: Shape = (), dtype: Any = np.float64) -> Array:
    """Sample from the Cauchy distribution with scale 1 and median 0.

    Args:
        key, shape, dtype: as in `uniform`.
    Returns:
        an array.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> random.cauchy(random.key(0), (2,)).round(4)
    array([-0.2619, -1.2378])
    """
    kind = float_type(dtype, "cauchy")
    u = between(checked(key, "cauchy"), sizes(shape, "cauchy"), kind, np.finfo(kind).eps, kind.type(1.0))
    return tan(kind.type(math.pi) * (u - kind.type(0.5)))


def maxwell(key: Array, shape: Shape = (), dtype: Any = np.float64) -> Array:
    """Sample from the Maxwell distribution: norms of vectors of three standard normal numbers.

    Args:
        key, shape, dtype: as in `uniform`.
    Returns:
        a nonnegative array.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> random.maxwell(random.key(0), (2,)).round(4)
    array([1.9891, 0.4246])
    """
    return linalg.norm(normal(key, (*sizes(shape, "maxwell"), 3), float_type(dtype, "maxwell")), axis=-1)


def rayleigh(key: Array, scale: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample from the Rayleigh distribution.

    Args:
        key: a key.
        scale: positive; the output is differentiable with respect to it.
        shape, dtype: of the output; by default those of `scale`.
    Returns:
        a nonnegative array.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: `scale` does not broadcast to `shape`.

    >>> from covector import random
    >>> random.rayleigh(random.key(0), 2.0, (2,)).round(4)
    array([2.64  , 3.4998])
    """
    shape, kind, (scale,) = parameters("rayleigh", shape, dtype, scale)
    u = selection.maximum(random_unit(checked(key, "rayleigh"), shape, kind.name), np.finfo(kind).tiny)
    return scale * sqrt(-2.0 * arithmetic.log(u))


def lognormal(key: Array, sigma: Array = 1.0, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample from the log-normal distribution, whose logarithm has mean 0 and standard deviation `sigma`.

    Args:
        key: a key.
        sigma: nonnegative; the output is differentiable with respect to it.
        shape, dtype: of the output; by default those of `sigma`.
    Returns:
        an array, positive.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: `sigma` does not broadcast to `shape`.

    >>> from covector import random
    >>> random.lognormal(random.key(0), 0.5, (2,)).round(4)
    array([0.9022, 0.6754])
    """
    shape, kind, (sigma,) = parameters("lognormal", shape, dtype, sigma)
    return arithmetic.exp(normal(checked(key, "lognormal"), shape, kind) * sigma)


def pareto(key: Array, b: Array, shape: Shape | None = None, dtype: Any = None) -> Array:
    """Sample from the Pareto distribution on [1, ∞).

    Args:
        key: a key.
        b: the exponent, positive; the output is differentiable with respect to it.
        shape, dtype: of the output; by default those of `b`.
    Returns:
        an array, at least 1.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: `b` does not broadcast to `shape`.

    >>> from covector import random
    >>> random.pareto(random.key(0), 2.0, (2,)).round(4)
    array([1.3113, 1.1296])
    """
    shape, kind, (b,) = parameters("pareto", shape, dtype, b)
    return arithmetic.exp(exponential(checked(key, "pareto"), shape, kind) / b)


def weibull_min(
    key: Array, scale: Array, concentration: Array, shape: Shape | None = None, dtype: Any = None
) -> Array:
    """Sample from the Weibull distribution of minima.

    Args:
        key: a key.
        scale, concentration: positive; the output is differentiable with respect to both.
        shape, dtype: of the output; by default those of the parameters together.
    Returns:
        a nonnegative array.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: the parameters do not broadcast to `shape`.

    >>> from covector import random
    >>> random.weibull_min(random.key(0), 2.0, 1.5, (2,)).round(4)
    array([1.3296, 0.7804])
    """
    shape, kind, (scale, concentration) = parameters("weibull_min", shape, dtype, scale, concentration)
    return exponential(checked(key, "weibull_min"), shape, kind) ** (1.0 / concentration) * scale


def triangular(
    key: Array, left: Array, mode: Array, right: Array, shape: Shape | None = None, dtype: Any = None
) -> Array:
    """Sample from the triangular distribution.

    Args:
        key: a key.
        left, mode, right: start, peak and end of the density; the output is differentiable with respect to all three.
        shape, dtype: of the output; by default those of the parameters together.
    Returns:
        an array, from `left` to `right`.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: the parameters do not broadcast to `shape`.

    >>> from covector import random
    >>> random.triangular(random.key(0), 0.0, 1.0, 2.0, (2,)).round(4)
    array([0.9148, 0.6577])
    """
    shape, kind, (left, mode, right) = parameters("triangular", shape, dtype, left, mode, right)
    u = random_unit(checked(key, "triangular"), shape, kind.name)
    width = right - left
    early = u < (mode - left) / width
    below = left + sqrt(selection.where(early, u, 1.0) * width * (mode - left))
    above = right - sqrt(selection.where(early, 1.0, 1.0 - u) * width * (right - mode))
    return spread(selection.where(early, below, above), shape)


def _unit(key: Array, shape: Shape, dtype: Any, name: str) -> Array:
    return random_unit(checked(key, name), sizes(shape, name), float_type(dtype, name).name)
