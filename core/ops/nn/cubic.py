"""Weights of the pixels around positions for cubic interpolation (Keys 1981), and their derivatives."""

from itertools import product

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import in_single, result_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ..samples import Sample
from ..selection import floor
from ..shaping import broadcast_to, stack

# The shapes: at (n, m, d) with the coordinate of the last axis first, the weights w (n, 4^d, m) with the first axis
# slowest. The pixels are those one below the position's, its own, and two above. w is a product over the axes of cubic
# polynomials of the way from the pixel below.

_A = -0.75  # as PyTorch has it; Keys has -0.5


def taps(t, by=0):
    """The weights of four pixels in a row at the fraction t between the middle ones, or their derivatives by it."""
    far, near = _POLYNOMIALS[by]
    sign = -1.0 if by % 2 else 1.0
    return far(t + 1.0), near(t), near(1.0 - t) * sign, far(2.0 - t) * sign


_POLYNOMIALS = (
    (lambda d: ((_A * d - 5 * _A) * d + 8 * _A) * d - 4 * _A, lambda d: ((_A + 2) * d - (_A + 3)) * d * d + 1.0),
    (lambda d: (3 * _A * d - 10 * _A) * d + 8 * _A, lambda d: (3 * (_A + 2) * d - 2 * (_A + 3)) * d),
    (lambda d: 6 * _A * d - 10 * _A, lambda d: 6 * (_A + 2) * d - 2 * (_A + 3)))


def _sides(gap, orders):
    """The four factors of the weights for each axis of the image; `orders` of derivatives are those by coordinates."""
    d = len(orders)
    return [taps(gap[d - 1 - a], orders[d - 1 - a]) for a in range(d)]


def _products(sides):
    """The products of one factor of each axis, first axis slowest."""
    found = []
    for bits in product(range(4), repeat=len(sides)):
        total = None
        for side, bit in zip(sides, bits):
            total = side[bit] if total is None else total * side[bit]
        found.append(total)
    return found


def _orders(d, *by):
    """For each coordinate the number of times that it is among those to differentiate by."""
    return [by.count(b) for b in range(d)]


# by NumPy

_QUIET = np.errstate(invalid="ignore", over="ignore")


def _split(xp, at):
    gap = at - xp.floor(at)
    return [gap[..., b] for b in range(at.shape[2])]


@in_single
@_QUIET
def _weights(xp, at):
    return xp.stack(_products(_sides(_split(xp, at), _orders(at.shape[2]))), axis=1)


@in_single
@_QUIET
def _slopes(xp, ct, at):
    out, gap, d = xp.empty(at.shape, result_dtype(ct, at)), _split(xp, at), at.shape[2]
    for b in range(d):
        total = None
        for k, w in enumerate(_products(_sides(gap, _orders(d, b)))):
            part = ct[:, k] * w
            total = part if total is None else total + part
        out[:, :, b] = total
    return out


# as loops


def _gap(k, at, i, j, d):
    return [at[i, j, b] - k.floor(at[i, j, b]) for b in range(d)]


def _looped(d):
    """The loops for images of `d` axes."""
    def weights(k, at):
        n, m = at.shape[:2]
        k.require(at.shape[2].equals(d))
        at = at.shaped(n, m, d)
        out = k.output(at.kind, (n, 4**d, m))
        for i in k.range(n):
            for j in k.range(m, vectors=True):
                for t, w in enumerate(_products(_sides(_gap(k, at, i, j, d), _orders(d)))):
                    out[i, t, j] = w

    def slopes(k, ct, at):
        n, m = at.shape[:2]
        k.require(at.shape[2].equals(d), ct.shape[0].equals(n), ct.shape[1].equals(4**d), ct.shape[2].equals(m))
        at = at.shaped(n, m, d)
        out = k.output(at.kind, (n, m, d))
        for i in k.range(n):
            for j in k.range(m, vectors=True):
                gap = _gap(k, at, i, j, d)
                for b in range(d):
                    total = None
                    for t, w in enumerate(_products(_sides(gap, _orders(d, b)))):
                        part = ct[i, t, j] * w
                        total = part if total is None else total + part
                    out[i, j, b] = total

    return weights, slopes


_WEIGHTS, _SLOPES = _looped(2)


# rules


def _gaps(at):
    gap = at - floor(at)
    return [gap[:, :, b] for b in range(at.shape[2])]


def _pushed(at, v):
    """The derivative of the weights along v: Σ_b v_b ∂_b W, (n, 4^d, m)."""
    gap, d = _gaps(at), at.shape[2]
    total = None
    for b in range(d):
        part = stack(*[v[:, :, b] * w for w in _products(_sides(gap, _orders(d, b)))], axis=1)
        total = part if total is None else total + part
    return total


def _bent(at, v, ct):
    """The derivative of the slopes along v: Σ_k Σ_b v_b ∂_b ∂_c W_k ct_k, (n, m, d)."""
    gap, d, found = _gaps(at), at.shape[2], []
    for c in range(d):
        total = None
        for b in range(d):
            for k, w in enumerate(_products(_sides(gap, _orders(d, b, c)))):
                part = v[:, :, b] * w * ct[:, k]
                total = part if total is None else total + part
        found.append(total)
    return stack(*found, axis=2)


def _look(at, ct=None):
    if at.ndim != 3 or not at.shape[2] or ct is not None and ct.shape != (at.shape[0], 4 ** at.shape[2], at.shape[1]):
        raise ShapeError(f"cubic weights of positions of shape {at.shape}{'' if ct is None else f' and {ct.shape}'}; "
                         f"give positions (n, m, axes of the image) and weights (n, 4^axes, m){at_user_line()}")


def _weights_shape(at):
    _look(at)
    return make_aval((at.shape[0], 4 ** at.shape[2], at.shape[1]), at.dtype)


def _slopes_shape(ct, at):
    _look(at, ct)
    return make_aval(at.shape, result_dtype(ct, at))


def _flattened(x):
    return x.reshape((x.shape[0] * x.shape[1], *x.shape[2:]))


def _slopes_batch(ct, at, batched, size):
    ct, at = [v if hit else broadcast_to(v, (size, *v.shape)) for v, hit in zip((ct, at), batched)]
    return cubic_slopes(_flattened(ct), _flattened(at)).reshape((size, *at.shape[1:]))


def _samples(*names):
    def samples(rng):
        found = []
        for n, m, d, dtype in ((2, 5, 2, np.float64), (1, 4, 1, np.float64), (1, 3, 2, np.float32),
                               (0, 2, 2, np.float64), (1, 0, 2, np.float64), (1, 2, 3, np.float64)):
            at = rng.integers(-2, 5, (n, m, d)) + rng.uniform(0.1, 0.9, (n, m, d))
            known = {"at": at, "ct": rng.normal(size=(n, 4**d, m))}
            found.append(Sample(*[known[name].astype(dtype) for name in names]))
        return found

    return samples


def _plane(*arrays):
    """The operands for loops: of images of two axes, which have elements."""
    return arrays if arrays[-1].size and arrays[-1].shape[2] == 2 else None


_ABSENT = {"complex": "positions are real", "()": "it needs axes", "(0,)": "one shape for each",
           "broadcast": "one shape for each"}
cubic_weights = primitive(
    "cubic_weights",  # at -> w
    impl=lambda xp, at: _weights(xp, at),
    shape=_weights_shape,
    jvp={"at": lambda dat, at: _pushed(at, dat)},
    vjp={"at": lambda ct, at: cubic_slopes(ct, at)},
    batch=lambda at: cubic_weights(_flattened(at)).reshape((*at.shape[:2], 4 ** at.shape[3], at.shape[2])),
    kernel=Loops(_WEIGHTS, _plane),
    absent=_ABSENT,
    samples=_samples("at"),
)
cubic_slopes = primitive(
    "cubic_slopes",  # ct, at -> the slopes of the sum of ct cubic_weights(at) by at
    impl=lambda xp, ct, at: _slopes(xp, ct, at),
    shape=_slopes_shape,
    jvp={"ct": lambda dct, at: cubic_slopes(dct, at), "at": lambda dat, ct, at: _bent(at, dat, ct)},
    vjp={"ct": lambda c, at: _pushed(at, c), "at": lambda c, ct, at: _bent(at, c, ct)},
    linear=("ct",),
    batch=lambda ct, at, batched, size: _slopes_batch(ct, at, batched, size),
    kernel=Loops(_SLOPES, _plane),
    absent=_ABSENT,
    samples=_samples("ct", "at"),
)
