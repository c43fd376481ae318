"""Batch normalization: normalize, scale and shift each channel, and return the statistics."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...arrays.mixed_precision import holds_half, widened
from ...arrays.sums import PLAIN, column_sums, row_sums, shaped
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import kernel_of
from ...primitive.primitive import argument_names
from ...trace.device import constant
from ..arithmetic import sqrt
from ..reductions import mean, reduce_mean, reduce_sum
from ..samples import arrays, together
from ..shaping import broadcast_to
from .sums import row_dots

ndarray = np.ndarray
_SHORT = 16  # elements of a channel of one example: fewer are added up along with those of the other examples
_ROW = 512  # elements of a row over which the loop itself costs little
_FEW = 1 << 10  # elements, from which on kernels take less time
_MANY = 1 << 14  # elements, over which longer rows pay

# With m and v the mean and variance of a channel over its N elements, r = 1 / √(v + eps) and x̂ = r (x - m):
# dm = mean(dx), dv = 2 mean((x - m) dx), dx̂ = r (dx - mean(dx) - x̂ mean(x̂ dx)); Ioffe and Szegedy (2015), Batch
# normalization, section 3, have the transpose.


def _axes(x):
    return (0, *range(2, x.ndim))


def _wide(v, x):
    """A vector of channels with axes behind it."""
    return v.reshape((*v.shape, *(1,) * (x.ndim - 2)))


def _flat(x):
    """A plain array as examples, channels, the rest."""
    n, c = x.shape[:2]
    return x.reshape(n, c, prod(x.shape[2:]))


def _plain(x, *others):
    return type(x) is ndarray and x.dtype in PLAIN and x.size > 0 and all(
        type(v) is ndarray and v.dtype == x.dtype for v in others)


def _sums(x):
    """The sum of each channel of a plain (examples, channels, rest)."""
    n, c, k = x.shape
    if k == 1:
        return column_sums(x.reshape(n, c))
    if k >= _SHORT:
        return np.add.reduce(row_sums(x.reshape(n * c, k)).reshape(n, c), 0)
    return np.add.reduce(column_sums(x.reshape(n, c * k)).reshape(c, k), 1)


def _dots(x, y):
    """The sum of each channel of x y."""
    n, c, k = x.shape
    if k == 1:
        return column_sums((x * y).reshape(n, c))
    if k >= _SHORT:
        return np.add.reduce(row_dots(x.reshape(n * c, k), y.reshape(n * c, k)).reshape(n, c), 0)
    return np.add.reduce(column_sums((x * y).reshape(n, c * k)).reshape(c, k), 1)


def _centred(x):
    """x - m in memory of its own, as rows of `_beside`, with m and v, of a plain (examples, channels, rest)."""
    n, c, k = x.shape
    count = x.dtype.type(n * k)
    middle = _sums(x)
    middle /= count
    shift = _beside(middle, x)
    gap = x.reshape(-1, len(shift)) - shift
    wide = gap.reshape(x.shape)
    spread = _dots(wide, wide)
    spread /= count
    return gap, middle, spread


def _beside(v, x):
    """A vector of channels as long as a few examples: NumPy's loops over short rows take longer than the elements."""
    n, c, k = x.shape
    times, least = 1, _ROW if x.size > _MANY else _ROW // 8
    while times * c * k < least and not n % (2 * times):
        times *= 2
    v = v.repeat(k) if k > 1 else v
    return v if times == 1 else v.reshape(1, -1).repeat(times, 0).reshape(-1)


def _of_both(what, define, rows, total=False):
    """A kernel for rows in which channels lie side by side (False), and one for rows of one channel (True).

    Args:
        define: what is computed for a row of the first `rows` operands, and for numbers of channels, which follow.
        total: whether it is added up, in rows of one channel.
    """
    count = len(argument_names(define)) - rows
    added = define if not total else lambda *args: reduce_sum(define(*args), (0,), False)
    return {False: kernel_of("batch_norm", f"{what} of all", define, ("row",) * rows + ("vector",) * count),
            True: kernel_of("batch_norm", f"{what} of each", added, ("row",) * rows + ("number",) * count)}


_SQUARES = _of_both("squares", lambda x, m: (x - m) * (x - m), 1, total=True)
_BROUGHT = _of_both("value", lambda x, m, s, b: (x - m) * s + b, 1)
_PRODUCTS = _of_both("products", lambda c, x, m: c * (x - m), 2, total=True)
_BROUGHT_BACK = _of_both("vjp", lambda c, x, m, a, q, t: c * a + ((x - m) * q + t), 2)


class _InRows:
    """A plain (examples, channels, rest) as rows for kernels."""

    __slots__ = ("long", "rows", "shape")

    def __init__(self, x):
        n, c, k = self.shape = x.shape
        self.long = k >= _SHORT
        self.rows = self.of(x)

    def of(self, x):
        """An array of the same shape as rows."""
        n, c, k = self.shape
        return x.reshape((n * c, k) if self.long else (n, c * k))

    def put(self, v):
        """A vector of channels as the numbers of rows, or as a vector as long as a row."""
        n, _, k = self.shape
        if self.long:
            return v[None].repeat(n, 0).reshape(-1)
        return v if k == 1 else v.repeat(k)

    def sums(self, found):
        """Totals of a kernel, for each channel."""
        n, c, k = self.shape
        if self.long:
            return column_sums(found.reshape(n, c))
        return column_sums(found) if k == 1 else np.add.reduce(column_sums(found).reshape(c, k), 1)

    def statistics(self, x):
        """The mean and variance of each channel, and the first as rows have it; None where there is no kernel."""
        n, _, k = self.shape
        count = x.dtype.type(n * k)
        middle = _sums(x)
        middle /= count
        put = self.put(middle)
        found = _SQUARES[self.long](self.rows, put)
        if found is None:
            return None
        spread = self.sums(found)
        spread /= count
        return middle, spread, put


def _by_kernels(x, w, b, eps):
    """The value and its statistics in two passes; None where there are no kernels."""
    rows = _InRows(x)
    found = rows.statistics(x)
    if found is None:
        return None
    middle, spread, put = found
    out = _BROUGHT[rows.long](rows.rows, put, rows.put(w / np.sqrt(spread + eps)), rows.put(b))
    return None if out is None else (out, middle, spread)


def _batch_norm(xp, x, w, b, eps):
    if xp is np and _plain(x, w, b):
        flat = _flat(x)
        found = _by_kernels(flat, w, b, eps) if x.size >= _FEW else None
        if found is not None:
            out, middle, spread = found
            return shaped(out, x.shape), middle, spread
        gap, middle, spread = _centred(flat)
        gap *= _beside(w / np.sqrt(spread + eps), flat)
        gap += _beside(b, flat)
        return shaped(gap, x.shape), middle, spread
    # Sums of many halves would lose their digits, or overflow.
    if holds_half(x):
        return tuple([v.astype(x.dtype) for v in _batch_norm(xp, *map(widened, (x, w, b)), eps)])
    middle = mean(xp, x, _axes(x), True)
    gap = x - middle
    spread = mean(xp, gap * gap, _axes(x), True)
    out = gap * (_wide(w, x) / xp.sqrt(spread + eps)) + _wide(b, x)
    return out, middle.reshape(w.shape).astype(out.dtype), spread.reshape(w.shape).astype(out.dtype)


def _shape(x, w, b):
    if x.ndim < 2 or w.shape != x.shape[1:2] or b.shape != w.shape:
        raise ShapeError("batch_norm needs x of shape (n, channels, *size), and scale and shift of shape (channels,), "
                         f"but got {x.shape}, {w.shape} and {b.shape}; reshape them{at_user_line()}")
    dtype = x.dtype if holds_half(x) else result_dtype(x, w, b)
    return make_aval(x.shape, dtype), make_aval(w.shape, dtype), make_aval(w.shape, dtype)


def _parts(x, eps):
    """x - m and r, in operations."""
    gap = x - reduce_mean(x, _axes(x), True)
    return gap, 1.0 / sqrt(reduce_mean(gap * gap, _axes(x), True) + eps)


def _jvp(tangents, x, w, b, eps):
    dx, dw, db = tangents
    if dx is not None and _plain(x, w, dx, *[d for d in (dw, db) if d is not None]):
        return _pushed(dx, dw, db, x, w, eps)
    axes, total = _axes(x), None
    still = w * 0
    gap, scale = _parts(x, eps)
    dm = dv = still
    if dx is not None:
        push, lean = reduce_mean(dx, axes, True), reduce_mean(gap * dx, axes, True)
        total = _wide(w, x) * scale * (dx - push - gap * (scale * scale * lean))
        dm, dv = push.reshape(w.shape), 2.0 * lean.reshape(w.shape)
    for part in (None if dw is None else gap * scale * _wide(dw, x), None if db is None else _wide(db, x)):
        total = part if total is None else total if part is None else total + part
    return broadcast_to(total, x.shape), dm, dv


def _vjp(cts, x, w, eps):
    ct, dm, dv = cts
    count = x.shape[0] * prod(x.shape[2:])
    if ct is not None and _plain(x, w, ct) and all(d is None or type(d) is ndarray for d in (dm, dv)):
        return _pulled(ct, dm, dv, x, w, eps, count)
    axes = _axes(x)
    gap, scale = _parts(x, eps)
    total = None
    dw = db = w * 0
    if ct is not None:
        hat = gap * scale
        dw, db = reduce_sum(hat * ct, axes, False), reduce_sum(ct, axes, False)
        total = _wide(w, x) * scale * (ct - _wide(db, x) / count - hat * (_wide(dw, x) / count))
    for part in (None if dm is None else _wide(dm, x) / count,
                 None if dv is None else gap * (_wide(dv, x) * 2 / count)):
        total = part if total is None else total if part is None else total + part
    return broadcast_to(total, x.shape), dw, db


def _pulled(ct, dm, dv, x, w, eps, count):
    """The same of plain arrays."""
    return _led(ct, x, eps, lambda dw, db, spread: _factors(dw, db, dm, dv, w, spread, count))


def _pushed(dx, dw, db, x, w, eps):
    """The tangents of plain arrays."""
    count = x.dtype.type(x.size // x.shape[1])

    def factors(lean, push, spread):
        lean /= count
        push /= count
        scale = 1 / np.sqrt(spread)
        along = w * scale
        back, shift = -along * scale * scale * lean, -along * push
        return along, back if dw is None else back + scale * dw, shift if db is None else shift + db

    out, lean, push = _led(dx, x, eps, factors)
    return out, push, 2 * lean


def _led(d, x, eps, factors):
    """a d + b (x - m) + c of plain arrays, in as few passes as NumPy allows, with the sums of d (x - m) and of d.

    Args:
        factors: `factors(sums of d (x - m), sums of d, v + eps)`: a, b and c of each channel; it may write to the sums.
    """
    flat = _flat(x)
    # A cotangent may be a broadcast or transposed view, and the passes below take rows.
    d = np.ascontiguousarray(d).reshape(flat.shape)
    found = _led_by_kernels(d, flat, eps, factors) if x.size >= _FEW else None
    if found is not None:
        return shaped(found[0], x.shape), *found[1:]
    gap, _, spread = _centred(flat)
    sums, dots = _sums(d), _dots(gap.reshape(flat.shape), d)
    along, back, shift = factors(dots, sums, spread + eps)
    gap *= _beside(back, flat)
    gap += _beside(shift, flat)
    gap += d.reshape(gap.shape) * _beside(along, flat)
    return shaped(gap, x.shape), dots, sums


def _factors(dw, db, dm, dv, w, spread, count):
    """The a, b and c of each channel; `dw`, of x - m so far, becomes that of x̂."""
    scale = 1 / np.sqrt(spread)
    dw *= scale
    along = w * scale
    back = along * scale * dw / -count
    shift = along * db / -count
    if dv is not None:
        back = back + dv * (2 / count)
    if dm is not None:
        shift = shift + dm / count
    return along, back.astype(w.dtype, copy=False), shift.astype(w.dtype, copy=False)


def _led_by_kernels(d, x, eps, factors):
    """The same in two more passes; None where there are no kernels."""
    rows = _InRows(x)
    found = rows.statistics(x)
    both = None if found is None else _PRODUCTS[rows.long](rows.of(d), rows.rows, found[2])
    if both is None:
        return None
    _, spread, put = found
    sums, dots = _sums(d), rows.sums(both)
    given = factors(dots, sums, spread + eps)
    out = _BROUGHT_BACK[rows.long](rows.of(d), rows.rows, put, *map(rows.put, given))
    return None if out is None else (out, dots, sums)


def _batch(x, w, b, eps, batched, size):
    if not batched[0]:
        # One normalization serves all examples, which differ in scale and shift alone.
        c = x.shape[1]
        one = constant(np.ones(c, x.dtype), x)
        flat, middle, spread = batch_norm(x, one, one * 0, eps)
        behind = (1,) * (x.ndim - 2)
        w, b = ((v if hit else v[None]).reshape((v.shape[0] if hit else 1, 1, c, *behind))
                for v, hit in zip((w, b), batched[1:]))
        return (broadcast_to(flat * w + b, (size, *x.shape)), *[broadcast_to(v, (size, c)) for v in (middle, spread)])
    # Examples are normalized each for itself, so they become channels.
    _, n, c, *rest = x.shape
    w, b = ((v if hit else broadcast_to(v, (size, c))).reshape((size * c,)) for v, hit in zip((w, b), batched[1:]))
    out, *found = batch_norm(x.swapaxes(0, 1).reshape((n, size * c, *rest)), w, b, eps)
    return (out.reshape((n, size, c, *rest)).swapaxes(0, 1), *[v.reshape((size, c)) for v in found])


batch_norm = primitive(
    "batch_norm",  # x: (n, c, *size), w, b: (c,) -> x̂ w + b, and the means and variances (c,)
    impl=lambda xp, x, w, b, *, eps: _batch_norm(xp, x, w, b, eps),
    outputs=3,
    accepts_none=True,
    shape=_shape,
    jvp={"x, w, b": _jvp},
    vjp={"x, w, b": _vjp},
    blocks={"x": (1,), "w": (0,), "b": (0,), "ans": [(1,), (0,), (0,)]},
    batch=_batch,
    absent={"complex": "the variance of complex values is not a square", "()": "it needs axes",
            "(0,)": "the mean of nothing is NaN", "broadcast": "one scale and shift a channel"},
    samples=together(*[arrays(s, s[1:2], s[1:2], eps=1e-3, complex_too=False)
                       for s in ((3, 2), (2, 3, 4), (2, 2, 4, 5), (1, 2, 3, 1, 2))]),
)
