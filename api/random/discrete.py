"""Discrete random variables, and those made of gamma variables."""

import math
from typing import Any

import numpy as np

from ..core.arrays.axes import normal_axis
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.ops import arithmetic, elementary, random_bits as _bits, selection
from ..core.ops.nn import classification
from ..core.ops.random_bits import random_unit
from ..core.ops.special import gamma_functions, quantiles
from ..core.trace.device import constant
from ..numpy import (
    argmax,
    argsort,
    broadcast_shapes,
    cumsum,
    floor,
    moveaxis,
    searchsorted,
    sqrt,
    take,
    take_along_axis,
)
from ..numpy.surface import Array, array_of, floating
from ..transforms.staging.effects import stop_gradient
from .continuous import exponential, gumbel, normal
from .keys import Shape, checked, float_type, full_shape, parameters, sizes, split, spread

_WHOLE = np.dtype(np.int64)


def bernoulli(key: Array, p: Array = 0.5, shape: Shape | None = None) -> Array:
    """Sample booleans that are True with probability `p`.

    Args:
        key: a key.
        p: the probability, not differentiable: the output does not depend on it smoothly.
        shape: the shape of the output; by default that of `p`.
    Returns:
        an array of booleans.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: `p` does not broadcast to `shape`.

    >>> from covector import random
    >>> random.bernoulli(random.key(0), 0.5, (3,))
    array([ True,  True, False])
    """
    shape, kind, (p,) = parameters("bernoulli", shape, None, p)
    return random_unit(checked(key, "bernoulli"), shape, kind.name) < p


def rademacher(key: Array, shape: Shape = (), dtype: Any = np.int64) -> Array:
    """Sample the signs -1 and 1 with equal probability.

    Args:
        key: a key.
        shape, dtype: of the output.
    Returns:
        an array.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> random.rademacher(random.key(0), (3,))
    array([ 1,  1, -1])
    """
    return selection.astype(bernoulli(key, 0.5, shape), np.dtype(dtype)) * 2 - 1


def geometric(key: Array, p: Array, shape: Shape | None = None, dtype: Any = np.int64) -> Array:
    """Sample the number of the first success in independent trials.

    Args:
        key: a key.
        p: the probability of success, above 0; not differentiable.
        shape: the shape of the output; by default that of `p`.
        dtype: an integer type.
    Returns:
        an array of integers, at least 1.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: `p` does not broadcast to `shape`.

    >>> from covector import random
    >>> random.geometric(random.key(0), 0.1, (3,))
    array([ 9, 15,  1])
    """
    shape, kind, (p,) = parameters("geometric", shape, None, stop_gradient(p))
    u = random_unit(checked(key, "geometric"), shape, kind.name)
    logs = arithmetic.log(selection.where(u == 0, 1.0, u))
    return selection.astype(floor(logs / arithmetic.log1p(-p)) + 1.0, np.dtype(dtype))


def randint(key: Array, shape: Shape, minval: Array, maxval: Array, dtype: Any = np.int64) -> Array:
    """Sample integers from minval to maxval - 1.

    Args:
        key: a key.
        shape: the shape of the output.
        minval, maxval: integers that broadcast to `shape`; for an empty range, the output is `minval`.
        dtype: an integer type that holds `minval` and `maxval - 1`.
    Returns:
        an array of that shape and dtype. If the number of values is not a power of 2, their probabilities differ by
        at most its square divided by 2 to the power of twice the bits of the dtype.
    Raises:
        TypeError: `key` is not a key, or a bound is not an integer.
        ShapeError: the bounds do not broadcast to `shape`.

    >>> from covector import random
    >>> random.randint(random.key(0), (5,), 0, 10)
    array([5, 1, 5, 7, 3])
    """
    kind = np.dtype(dtype)
    if kind.kind not in "iu":
        raise DtypeError(f"random.randint returns integers, but dtype={kind} was asked for; cast after with "
                         f".astype({kind}){at_user_line()}")
    minval, maxval = array_of(minval), array_of(maxval)
    if minval.dtype.kind not in "iu" or maxval.dtype.kind not in "iu":
        raise TypeError(f"random.randint needs integer bounds, but got {minval.dtype} and {maxval.dtype}; cast them "
                        f"with .astype(int), or use uniform{at_user_line()}")
    shape = full_shape("randint", shape, broadcast_shapes(tuple(minval.shape), tuple(maxval.shape)))
    unsigned = np.dtype(f"u{kind.itemsize}")
    largest = np.iinfo(kind).max
    beyond = maxval > min(largest, np.iinfo(maxval.dtype).max)
    low, high = (_clipped(v, kind) for v in (minval, maxval))
    key_a, key_b = split(checked(key, "randint"))
    a, b = (_bits.random_bits(k, shape, unsigned.name) for k in (key_a, key_b))
    with np.errstate(over="ignore"):  # what wraps around is meant to
        some = high > low
        span = selection.where(some, selection.astype(high - low, unsigned), unsigned.type(1))
        span = selection.where(beyond & some, span + unsigned.type(1), span)
        whole = span == 0  # all values of the dtype
        span = selection.where(whole, unsigned.type(1), span)
        half = unsigned.type(1 << 4 * kind.itemsize) % span
        offset = (a % span * (half * half % span) + b % span) % span
        offset = selection.where(whole, b, offset)
        return spread(low + selection.astype(offset, kind), shape)


def _clipped(v: Array, kind: np.dtype) -> Array:
    found, wanted = np.iinfo(v.dtype), np.iinfo(kind)
    if found.min < wanted.min:
        v = selection.maximum(v, wanted.min)
    if found.max > wanted.max:
        v = selection.minimum(v, wanted.max)
    return selection.astype(v, kind)


def permutation(key: Array, x: Array, axis: int = 0, independent: bool = False) -> Array:
    """Shuffle the elements along an axis.

    Args:
        key: a key.
        x: an array, or an integer n, which stands for `arange(n)`. The output is differentiable with respect to it.
        axis: the axis.
        independent: whether each vector along the axis is shuffled independently.
    Returns:
        an array of the shape of `x`.
    Raises:
        TypeError: `key` is not a key, or `x` is a scalar that is not an integer.

    >>> from covector import random
    >>> random.permutation(random.key(0), 5)
    array([0, 1, 4, 3, 2])
    """
    key, x = checked(key, "permutation"), array_of(x)
    if not x.ndim:
        if x.dtype.kind not in "iu":
            raise TypeError(f"random.permutation needs an array or an integer, but got a scalar of dtype {x.dtype};"
                            f" pass an array{at_user_line()}")
        return _order(key, (int(x),), 0)
    axis = normal_axis(axis, x.ndim)
    if independent or x.ndim == 1:
        return take_along_axis(x, _order(key, tuple(x.shape), axis), axis)
    return take(x, _order(key, (x.shape[axis],), 0), axis=axis)


def _order(key: Array, shape: tuple[int, ...], axis: int) -> Array:
    """Return a random order along `axis`: sorted by random integers, as often as needed to rule out ties."""
    size = math.prod(shape)
    view = [1] * len(shape)
    view[axis] = shape[axis]
    order = constant(np.broadcast_to(np.arange(shape[axis]).reshape(view), shape), key)
    for _ in range(math.ceil(3 * math.log(max(1, size)) / math.log(2**32 - 1))):
        key, own = split(key)
        moved = argsort(_bits.random_bits(own, shape, "uint32"), axis=axis, kind="stable")
        order = take_along_axis(order, moved, axis)
    return order


def choice(
    key: Array, a: Array, shape: Shape = (), replace: bool = True, p: Array | None = None, axis: int = 0
) -> Array:
    """Sample elements of an array along an axis.

    Args:
        key: a key.
        a: an array, or an integer n, which stands for `arange(n)`. The output is differentiable with respect to it.
        shape: how many to sample.
        replace: whether an element may be drawn repeatedly.
        p: the probability of each element, not differentiable; uniform by default.
        axis: the axis.
    Returns:
        an array, with `shape` replacing the axis.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: more elements are requested than there are, or `p` has a different length.

    >>> from covector import random
    >>> random.choice(random.key(0), 5, (3,), replace=False)
    array([0, 1, 4])
    """
    key, a, shape = checked(key, "choice"), array_of(a), sizes(shape, "choice")
    axis = normal_axis(axis, a.ndim) if a.ndim else 0
    count, draws = (a.shape[axis] if a.ndim else int(a)), math.prod(shape)
    if draws and (count < 1 or not replace and draws > count):
        raise ShapeError(f"random.choice was asked for {draws} of {count} elements; draw fewer, or with replace=True"
                         f"{at_user_line()}")
    if p is not None:
        p = stop_gradient(floating(p))
        if tuple(p.shape) != (count,):
            raise ShapeError(f"random.choice needs one probability for each of {count} elements, but got p of shape "
                             f"{tuple(p.shape)}; give one per element of the axis{at_user_line()}")
    places = _places(key, count, draws, shape, replace, p)
    return places.reshape(shape) if not a.ndim else take(a, places.reshape(shape), axis=axis)


def _places(key: Array, count: int, draws: int, shape: tuple[int, ...], replace: bool, p: Array | None) -> Array:
    if not draws:
        return constant(np.zeros(shape, _WHOLE), key)
    if p is None:
        return randint(key, shape, 0, count) if replace else _order(key, (count,), 0)[:draws]
    if replace:
        total = cumsum(p)
        return searchsorted(total, total[-1] * (1.0 - random_unit(key, shape, p.dtype.name)))
    return _largest(gumbel(key, (count,), p.dtype) + _log(p), draws)


def _log(p: Array) -> Array:
    """The logarithm of probabilities, -∞ for 0."""
    zero = p == 0
    return selection.where(zero, -math.inf, arithmetic.log(selection.where(zero, 1.0, p)))


def _largest(x: Array, count: int) -> Array:
    """The indices of the largest elements along the last axis, in descending order."""
    return argsort(-x, axis=-1, kind="stable")[..., :count]


def categorical(
    key: Array, logits: Array, axis: int = -1, shape: Shape | None = None, replace: bool = True
) -> Array:
    """Sample indices along an axis, with probabilities given by unnormalized logarithms.

    Args:
        key: a key.
        logits: an array, not differentiable.
        axis: the axis of the categories.
        shape: the shape of the output: batch axes, followed by those of `logits` without `axis`.
        replace: whether an index may be drawn repeatedly.
    Returns:
        an array of integers.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: the shape does not end in that of `logits`, or more indices are requested than there are.

    >>> import numpy as np
    >>> from covector import random
    >>> random.categorical(random.key(0), np.log([0.1, 0.2, 0.7]), shape=(5,))
    array([2, 2, 2, 1, 1])
    """
    key, logits = checked(key, "categorical"), stop_gradient(floating(logits))
    axis = normal_axis(axis, logits.ndim)
    rest = tuple([n for k, n in enumerate(logits.shape) if k != axis])
    shape = full_shape("categorical", shape, rest)
    prefix, full = shape[: len(shape) - len(rest)], list(shape[len(shape) - len(rest) :])
    if replace:
        full.insert(axis, logits.shape[axis])
        scores = gumbel(key, (*prefix, *full), logits.dtype) + logits
        return argmax(scores, axis=len(prefix) + axis)
    draws = math.prod(prefix)
    if draws > logits.shape[axis]:
        raise ShapeError(f"random.categorical was asked for {draws} of {logits.shape[axis]} categories; draw fewer, or "
                         f"with replace=True{at_user_line()}")
    scores = moveaxis(logits + gumbel(key, tuple(logits.shape), logits.dtype), axis, -1)
    return moveaxis(_largest(scores, draws), -1, 0).reshape(shape)


# The gamma and related distributions, by inversion; all are differentiable with respect to their parameters.

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
