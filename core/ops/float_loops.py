"""Halves, remainders and rounded quotients as loops, with NumPy's bits: it calls a function of C for each element."""

from functools import partial, wraps

import numpy as np

from ..arrays.sums import shaped
from ..primitive.kernels import LEAST, Loops
from ..tape.unbroadcast import recast

# Casts to half precision and back as loops, with NumPy's bits, and products of halves: it calls a function for each
# element.

_HALF, _SINGLE = np.dtype(np.float16), np.dtype(np.float32)
_OVER, _INFINITE = 0x477FF000, 0x7F800000  # bits of the least single that no half is near to, 65520, and of infinity


def _narrowed(k, x):
    """A single for a double: what lies between two is the one whose last bit is 1, so that a half is rounded once."""
    if x.kind == "f32":
        return k.bits(x)
    single = k.cast(x, "f32")
    back, bits = k.cast(single, "f64"), k.bits(single)
    bits = k.where(k.run("absolute", back) > k.run("absolute", x), bits - 1, bits)
    return k.where(back.equals(x) | x.differs(x), bits, bits | 1)


def _to_half(k, x):
    (n,) = x.shape
    out = k.output("f16", (n,))
    lost = k.cell(0, "i32")  # finite numbers that become infinite, of which NumPy warns
    for i in k.range(n, vectors=True):
        bits = _narrowed(k, x[i])
        size = bits & 0x7FFFFFFF
        usual = size - 0x38000000 + 0xFFF + ((size >> 13) & 1) >> 13
        small = k.bits(k.from_bits(size) + 0.5) - 0x3F000000  # below 2^-14 the addition rounds
        payload = size >> 13 & 0x3FF
        other = k.where(size > _INFINITE, k.where(payload.equals(0), payload + 1, payload) | 0x7C00,
                        k.scalar(0x7C00, "i32"))
        half = k.where(size < 0x38800000, small, k.where(size < _OVER, usual, other))
        out[i] = half | bits >> 16 & 0x8000
        lost.add(k.cast((size >= _OVER) & (size < _INFINITE), "i32"))
    k.refuse(lost.get().differs(0))


def _from_half(k, x, kind):
    (n,) = x.shape
    out = k.output(kind, (n,))
    for i in k.range(n, vectors=True):
        bits = x[i]
        size = bits & 0x7FFF
        usual = (size << 13) + k.where(size >= 0x7C00, k.scalar(0x70000000, "i32"), k.scalar(0x38000000, "i32"))
        small = k.bits(k.cast(size, "f32") * 2.0**-24)
        number = k.from_bits(k.where(size < 0x400, small, usual) | (bits & 0x8000) << 16)
        out[i] = k.cast(number, kind)


def _runner(name, define, source):
    def given(x):
        return (x.reshape(-1),) if x.flags.c_contiguous and x.dtype == source else None

    return Loops(define, given, lambda out, x: shaped(out, x.shape), mixed=True).runner(name)


def _runners():
    for dtype, kind in ((np.dtype(np.float32), "f32"), (np.dtype(np.float64), "f64")):
        yield (dtype, _HALF), _runner(f"half of {kind}", _to_half, dtype)
        yield (_HALF, dtype), _runner(f"{kind} of half", partial(_from_half, kind=kind), _HALF)


_RUNNERS = dict(_runners())


def cast_array(xp, x, dtype):
    """`x` in a dtype."""
    x = xp.asarray(x)
    if x.dtype.itemsize == 2 or dtype == _HALF:
        run = _RUNNERS.get((x.dtype, np.dtype(dtype)))
        if run is not None and type(x) is np.ndarray and x.size >= LEAST:
            out = run(x)
            if out is not None:
                return out
    return x.astype(dtype)


def are_halves(x, y):
    """Tell whether two values are arrays of NumPy of half precision."""
    return type(x) is type(y) is np.ndarray and x.dtype == _HALF == y.dtype


def through_singles(fun, x, y):
    """`fun(x, y)` of halves in float32, rounded once: NumPy adds up products of halves one by one."""
    out = fun(cast_array(np, x, _SINGLE), cast_array(np, y, _SINGLE))
    return cast_array(np, out, _HALF) if type(out) is np.ndarray else out.astype(_HALF)


def in_singles(kernel):
    """A kernel `kernel(xp, x, y, …)` that computes in float32 where both arrays are halves."""

    @wraps(kernel)
    def run(xp, x, y, *args, **named):
        if are_halves(x, y):
            return through_singles(lambda x, y: kernel(np, x, y, *args, **named), x, y)
        return kernel(xp, x, y, *args, **named)

    return run


def cast_back(ct, dtype):
    """A cotangent in the dtype of what was cast."""
    both = type(ct) is np.ndarray and ct.dtype.kind == "f" == dtype.kind and ct.dtype != dtype
    return cast_array(np, ct, dtype) if both else recast(ct, dtype)


# Remainders and rounded quotients of floats as loops, with NumPy's bits: it calls a function of C for each element.

ndarray = np.ndarray
_BOUND = {"f32": float(1 << 23), "f64": float(1 << 52)}  # of quotients, below which one step gives all of a remainder


def _rest(k, x, y):
    """`fmod(x, y)`, and 1 where it has to be found otherwise.

    The quotient q of |x| and |y|, rounded and then truncated, is that of exact arithmetic or the number after it. A
    remainder |x| - q |y| is a multiple of the last bit of y no larger than |y|: one rounding leaves it as it is.
    """
    a, b = k.run("absolute", x), k.run("absolute", y)
    q = k.run("trunc", a / b)
    r = k.fma(-q, b, a)
    r = k.where(r < 0, r + b, r)
    known = (q < _BOUND[x.kind]) & r.equals(r)
    return k.run("copysign", r, x), k.where(known, k.scalar(0.0, x.kind), k.scalar(1.0, x.kind))


def _fmod(k, x, y, r):
    return r


def _turned(k, y, r):
    """A mask of the remainders that differ in sign from `y` and are not 0."""
    return (r * k.run("copysign", k.scalar(1.0, r.kind), y) < 0)


def _remainder(k, x, y, r):
    return k.where(r.equals(0), k.run("copysign", k.scalar(0.0, r.kind), y), k.where(_turned(k, y, r), r + y, r))


def _floor_divide(k, x, y, r):
    q = (x - r) / y
    q = k.where(_turned(k, y, r), q - 1.0, q)
    down = k.floor(q)
    down = k.where(q - down > 0.5, down + 1.0, down)
    return k.where(q.equals(0), k.run("copysign", k.scalar(0.0, r.kind), x / y), down)


def _loops(finish):
    def define(k, x, y):
        (n,) = x.shape
        each = type(y) is not type(x)  # one number
        if not each:
            k.require(y.shape[0].equals(n))
        out = k.output(x.kind, (n,))
        lost = k.cell(0, x.kind)
        for i in k.range(n, vectors=True):
            number, divisor = x[i], k.cast(y, x.kind) if each else y[i]
            r, unknown = _rest(k, number, divisor)
            out[i] = finish(k, number, divisor, r)
            lost.add(unknown)
        k.refuse(lost.get().differs(0))

    return define


def _given(x, y):
    """Two flat arrays, or an array and a number; None for what NumPy does."""
    if x.dtype.kind != "f" or not x.flags.c_contiguous:
        return None
    if type(y) is ndarray:
        if y.dtype != x.dtype:
            return None
        if y.shape != x.shape:
            try:
                y = np.broadcast_to(y, x.shape)
            except ValueError:
                return None
        return x.reshape(-1), y.reshape(-1)
    return (x.reshape(-1), float(y)) if type(y) is float or type(y) is int and -(1 << 53) <= y <= 1 << 53 else None


FMOD, REMAINDER, FLOOR_DIVIDE = [
    Loops(_loops(finish), _given, lambda out, x, y: shaped(out, x.shape), LEAST)
    for finish in (_fmod, _remainder, _floor_divide)]
