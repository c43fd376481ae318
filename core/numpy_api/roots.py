"""Roots, absolute values, norms and deviations that remember their square, which is smooth at 0."""

import numpy as np

from ..arrays.dtypes import real_dtype
from ..ops import arithmetic as a, reductions, selection, shaping
from ..slots import TracerSlots
from ..trace.buffers import Buffer, snapshot
from ..trace.tracer import Batched, Dual, Late, Rev, Staged, Tracer

_TRACED = frozenset({Rev, Dual, Late, Batched, Staged})
_radicand = TracerSlots.radicand.__get__  # past `__getattr__`, which would look further where there is none


def _radicand_of(x):
    try:
        return _radicand(x) if isinstance(x, Tracer) and type(x) is not Buffer else None
    except AttributeError:
        return None


def _root_of(y, square, *operands):
    """`y`, a length; if traced, with the way to its square that does not lead over it: `square(*operands)`."""
    if type(y) in _TRACED:
        y.radicand = square, [snapshot(x) if isinstance(x, Tracer) else x for x in operands]
    return y


def sqrt(x):
    """The square root; of a real one the square is x itself."""
    y = a.sqrt(x)
    if type(y) in _TRACED and x.aval.dtype.kind == "f":
        y.radicand = _from_zero, (snapshot(x),)
    return y


def _from_zero(x):
    return selection.where(x < 0, np.nan, x)


def absolute(x):
    """|x|."""
    y = shaping.absolute(x)
    return _root_of(y, square_of, x) if y.dtype.kind == "f" else y


def hypot(x, y):
    """sqrt(x² + y²)."""
    return _root_of(a.hypot(x, y), lambda x, y: a.square(x) + a.square(y), x, y)


def vector_norm(x, axes, keepdims, scale=1):
    """sqrt(Σ |x|² / scale) over `axes`."""
    return _root_of(reductions.vector_norm(x, axes, keepdims, scale), lambda x: (
        reductions.reduce_sum(square_of(x), axes, keepdims) / scale), x)


def deviation(x, axes, keepdims, count, alone=False):
    """sqrt(Σ |x|² / count) over `axes`, by a number or an array of them; `alone`: where x is 0 whatever it is made of.

    The deviation of a single element is 0 with all its derivatives.
    """
    if alone is not False:
        total = reductions.reduce_sum(x, axes, keepdims)
        level = (total if x.dtype.kind != "c" else total.real) / a.sqrt(count)
        level = level if level.dtype == real_dtype(x.dtype) else selection.astype(level, real_dtype(x.dtype))
        if alone is True:
            return level
        rest = deviation(selection.where(alone, 1.0, x), axes, keepdims, count)
        alone = alone if keepdims else alone.reshape(rest.shape)
        return _root_of(selection.where(alone, level, rest), lambda x, count: (
            reductions.reduce_sum(square_of(x), axes, keepdims) / count), x, count)
    if isinstance(count, int | float):
        return vector_norm(x, axes, keepdims, count)
    y = reductions.vector_norm(x, axes, keepdims, 1)
    z = y / a.sqrt(count)
    return _root_of(z if z.dtype == y.dtype else selection.astype(z, y.dtype), lambda x, count: (
        reductions.reduce_sum(square_of(x), axes, keepdims) / count), x, count)


def undefined(mask, y):
    """`y`, NaN where `mask` holds."""
    known = _radicand_of(y)
    out = selection.where(mask, np.nan, y)
    return out if known is None else _root_of(
        out, lambda mask, *operands: selection.where(mask, np.nan, known[0](*operands)), mask, *known[1])


def square_of(x):
    """|x|²; of a length what it is the root of."""
    known = _radicand_of(x)
    if known is not None:
        return known[0](*known[1])
    return a.square(x) if x.dtype.kind != "c" else a.square(x.real) + a.square(x.imag)


def square(x):
    """x²."""
    return a.square(x) if _radicand_of(x) is None or x.dtype.kind == "c" else square_of(x)


def integer_power(x, n):
    """x^n; of a length and an even n by its square."""
    return a.integer_power(x, n) if n % 2 or _radicand_of(x) is None else a.integer_power(square(x), n // 2)
