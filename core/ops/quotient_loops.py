"""Remainders and rounded quotients of floats as loops, with NumPy's bits: it calls a function of C for each element."""

import numpy as np

from ..arrays.sums import shaped
from ..primitive.kernels import LEAST
from ..primitive.loop_kernels import Loops

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
