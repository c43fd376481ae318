"""Discrete distributions, choices and permutations, which are not differentiable with respect to their parameters."""

import math
from typing import Any

import numpy as np

from ..core.arrays.axes import normal_axis
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.ops import arithmetic, random_bits as _bits, selection
from ..core.ops.random_bits import random_unit
from ..core.trace.device import constant
from ..numpy import argmax, argsort, broadcast_shapes, cumsum, floor, moveaxis, searchsorted, take, take_along_axis
from ..numpy.surface import Array, array_of, floating
from ..transforms.staging.effects import stop_gradient
from .continuous import gumbel
from .keys import Shape, checked, full_shape, parameters, sizes, split, spread

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
