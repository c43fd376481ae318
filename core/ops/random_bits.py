"""Random bits from keys: the counter-based generator of Salmon et al., Threefry-2x32 with 20 rounds.

Element i of a draw is the hash of the counter i under the key, so draws depend on the key and the place alone: not on
the order of calls, nor on a batch. Keys, counters and words are used as JAX uses them, so the bits are JAX's.
Salmon, Moraes, Dror, Shaw (2011), Parallel random numbers: as easy as 1, 2, 3, section 3.
"""

import math

import numpy as np

from ..arrays.avals import make_aval
from ..primitive.families import ZERO, primitive
from ..primitive.primitive import NotLowered
from .elementary import left_shift, right_shift
from .samples import Sample
from .selection import bitwise_or, bitwise_xor, cast
from .shaping import broadcast_to, reshape, stack

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY, _MASK = 0x1BD11BDA, 0xFFFFFFFF
_FEW = 8
_BLOCK = 1 << 14  # counters hashed at once: what the rounds pass on stays in the cache
_WORD = np.dtype(np.uint32)
_WIDE = np.dtype(np.uint64)


def _threefry(xp, k0, k1, x0, x1):
    """The hash of the counters (x0, x1), which are overwritten, under the keys (k0, k1): arrays of uint32."""
    keys = (k0, k1, k0 ^ k1 ^ _PARITY)
    x0 += keys[0]
    x1 += keys[1]
    left = xp.empty_like(x1)
    for i in range(5):
        for r in _ROTATIONS[i % 2]:
            x0 += x1
            xp.left_shift(x1, r, out=left)
            x1 >>= 32 - r
            x1 |= left
            x1 ^= x0
        x0 += keys[(i + 1) % 3]
        x1 += keys[(i + 2) % 3] + _WORD.type(i + 1)
    return x0, x1


def _one(k0, k1, count):
    """The hash of one counter, in Python's integers: 10 us where NumPy's calls take 95."""
    keys = (k0, k1, k0 ^ k1 ^ _PARITY)
    x0, x1 = (k0 + (count >> 32)) & _MASK, (k1 + count) & _MASK
    for i in range(5):
        for r in _ROTATIONS[i % 2]:
            x0 = (x0 + x1) & _MASK
            x1 = ((x1 << r | x1 >> 32 - r) & _MASK) ^ x0
        x0 = (x0 + keys[(i + 1) % 3]) & _MASK
        x1 = (x1 + keys[(i + 2) % 3] + i + 1) & _MASK
    return x0, x1


def _words(xp, key, count, out, finish):
    """Fill `out` of shape (keys, count) with `finish(hi, lo)` of the words at the counters 0 … count - 1."""
    flat = key.reshape((-1, 2))
    if xp is np and out.size <= _FEW:
        found = [_one(k0, k1, i) for k0, k1 in flat.tolist() for i in range(count)]
        if found:
            hi, lo = np.array(found, _WORD).T
            out[...] = finish(hi, lo).reshape(out.shape)
        return out
    wide = max(1, min(count, _BLOCK))
    high = max(1, _BLOCK // wide)
    for a in range(0, flat.shape[0], high):
        rows = flat[a : a + high]
        k0, k1 = rows[:, :1].copy(), rows[:, 1:].copy()
        for b in range(0, count, wide):
            counter = xp.arange(b, min(b + wide, count), dtype=_WIDE)
            x0 = xp.zeros((rows.shape[0], counter.shape[0]), _WORD) + (counter >> 32).astype(_WORD)
            x1 = xp.zeros((rows.shape[0], counter.shape[0]), _WORD) + (counter & _MASK).astype(_WORD)
            out[a : a + high, b : b + wide] = finish(*_threefry(xp, k0, k1, x0, x1))
    return out


def _joined(hi, lo):
    return (hi.astype(_WIDE) << 32) | lo


def _bits(xp, key, shape, dtype):
    dtype = np.dtype(dtype)
    key = xp.asarray(key)
    finish = _joined if dtype.itemsize == 8 else lambda hi, lo: (hi ^ lo).astype(dtype)
    out = xp.empty((math.prod(key.shape[:-1]), math.prod(shape)), dtype)
    return _words(xp, key, out.shape[1], out, finish).reshape((*key.shape[:-1], *shape))


def _unit(xp, key, shape, dtype):
    """Multiples of 2**-m in [0, 1), where m is the number of digits of the mantissa."""
    dtype = np.dtype(dtype)
    key = xp.asarray(key)
    digits = np.finfo(dtype).nmant
    if dtype.itemsize == 8:
        finish = lambda hi, lo: (_joined(hi, lo) >> 12).astype(dtype) * 2.0**-52  # noqa: E731
    else:
        drop = 8 * dtype.itemsize - digits
        mask = (1 << 8 * dtype.itemsize) - 1
        finish = lambda hi, lo: (((hi ^ lo) & mask) >> drop).astype(dtype) * dtype.type(2.0**-digits)  # noqa: E731
    out = xp.empty((math.prod(key.shape[:-1]), math.prod(shape)), dtype)
    return _words(xp, key, out.shape[1], out, finish).reshape((*key.shape[:-1], *shape))


def _fold(xp, key, data):
    """The keys that follow from `key` and a word."""
    key, data = xp.asarray(key), xp.asarray(data)
    shape = np.broadcast_shapes(key.shape[:-1], data.shape)
    k0, k1 = (xp.broadcast_to(key[..., i], shape).reshape(-1) for i in (0, 1))
    x0 = xp.zeros(k0.shape, _WORD)
    x1 = x0 + xp.broadcast_to(data, shape).astype(_WORD).reshape(-1)
    return xp.stack(_threefry(xp, k0, k1, x0, x1), axis=-1).reshape((*shape, 2))


def _number(value, like):
    return np.asarray(value, like.dtype)


def _hashed(key, x1, shape):
    """`_threefry` in operations: the hash of the counters (0, x1) under keys (*b, 2), both broadcast to a shape."""
    k0, k1 = (_laid(key[..., i], shape) for i in (0, 1))
    keys = (k0, k1, bitwise_xor(bitwise_xor(k0, k1), _number(_PARITY, k0)))
    x0, x1 = keys[0], x1 + keys[1]
    for i in range(5):
        for r in _ROTATIONS[i % 2]:
            x0 = x0 + x1
            x1 = bitwise_xor(bitwise_or(left_shift(x1, _number(r, x1)), right_shift(x1, _number(32 - r, x1))), x0)
        x0 = x0 + keys[(i + 1) % 3]
        x1 = x1 + keys[(i + 2) % 3] + _number(i + 1, x1)
    return x0, x1


def _laid(x, shape):
    """Values with axes of examples in front of those of a shape."""
    whole = (*x.shape, *(1,) * (len(shape) - x.ndim))
    return broadcast_to(x if whole == tuple(x.shape) else reshape(x, whole), shape)


def _drawn(key, shape):
    """The words of a draw."""
    count = math.prod(shape)
    if count > _BLOCK:  # NumPy's loops are as fast on many, and no counters are kept for them
        raise NotLowered
    counters = np.arange(count, dtype=_WORD).reshape(shape)
    return _hashed(key, counters, (*key.shape[:-1], *shape))


def _lower_bits(key, shape, dtype):
    hi, lo = _drawn(key, shape)
    dtype = np.dtype(dtype)
    if dtype == _WIDE:
        hi = cast(hi, _WIDE)
        return bitwise_or(left_shift(hi, _number(32, hi)), cast(lo, _WIDE))
    both = bitwise_xor(hi, lo)
    return both if dtype == _WORD else cast(both, dtype)


def _lower_unit(key, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.itemsize == 2:
        raise NotLowered
    bits = _lower_bits(key, shape, _WIDE if dtype.itemsize == 8 else _WORD)
    digits = np.finfo(dtype).nmant
    return cast(right_shift(bits, _number(8 * dtype.itemsize - digits, bits)), dtype) * dtype.type(2.0**-digits)


def _lower_fold(key, data):
    shape = np.broadcast_shapes(tuple(key.shape[:-1]), tuple(data.shape))
    data = data if data.dtype == _WORD else cast(data, _WORD)
    return stack(*_hashed(key, broadcast_to(data, shape), shape), axis=len(shape))


def _key(rng, *shape):
    return rng.integers(0, 2**32, (*shape, 2), dtype=np.uint32)


_ABSENT = {"float32": "keys are integers", "complex": "keys are integers", "()": "a key has two uint32 words"}


def _draws(*dtypes):
    return lambda rng: [Sample(_key(rng, *batch), params={"shape": shape, "dtype": np.dtype(d).name})
                        for d in dtypes for batch, shape in (((), ()), ((), (2, 3)), ((2,), (3,)), ((), (0,)))]


random_bits = primitive(
    "random_bits",  # key: (*b, 2) of uint32 -> (*b, *shape) of an unsigned dtype
    impl=lambda xp, key, *, shape, dtype: _bits(xp, key, shape, dtype),
    shape=lambda key, shape, dtype: make_aval((*key.shape[:-1], *shape), np.dtype(dtype)),
    lower=_lower_bits,
    jvp=ZERO,
    vjp=ZERO,
    batch=lambda key, shape, dtype: random_bits(key, shape, dtype),
    nondiff="key",
    samples=_draws("uint8", "uint32", "uint64"),
    absent=_ABSENT,
)
random_unit = primitive(
    "random_unit",  # key: (*b, 2) of uint32 -> (*b, *shape), uniform in [0, 1)
    impl=lambda xp, key, *, shape, dtype: _unit(xp, key, shape, dtype),
    shape=lambda key, shape, dtype: make_aval((*key.shape[:-1], *shape), np.dtype(dtype)),
    lower=_lower_unit,
    jvp=ZERO,
    vjp=ZERO,
    batch=lambda key, shape, dtype: random_unit(key, shape, dtype),
    nondiff="key",
    samples=_draws("float16", "float32", "float64"),
    absent=_ABSENT,
)


def _fold_batch(key, data, batched):
    """A batch axis that only the key has stands in front of the axes of the data."""
    if batched[0] and data.ndim - batched[1] > key.ndim - 2:
        extra = data.ndim - batched[1] - (key.ndim - 2)
        key = key.reshape((key.shape[0], *(1,) * extra, *key.shape[1:]))
    if batched[1] and key.ndim - 1 - batched[0] > data.ndim - 1:
        extra = key.ndim - 1 - batched[0] - (data.ndim - 1)
        data = data.reshape((data.shape[0], *(1,) * extra, *data.shape[1:]))
    return random_fold(key, data)


random_fold = primitive(
    "random_fold",  # key: (*b, 2), data: integers -> keys of the broadcast of both
    impl=lambda xp, key, data: _fold(xp, key, data),
    shape=lambda key, data: make_aval((*np.broadcast_shapes(key.shape[:-1], data.shape), 2), _WORD),
    lower=_lower_fold,
    jvp=ZERO,
    vjp=ZERO,
    batch=_fold_batch,
    nondiff="key, data",
    samples=lambda rng: [Sample(_key(rng, *b), rng.integers(0, 99, d, dtype=np.uint32))
                         for b, d in (((), ()), ((3,), ()), ((), (2,)), ((2, 1), (3,)), ((0,), ()))],
    absent=_ABSENT,
)
