"""Normalization to mean 0 and variance 1 as one operation, with or without scale and shift."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import holds_half, in_single, result_dtype, widened
from ...arrays.sums import PLAIN, column_sums, less_rows, outer, row_dots, row_sums, rows_of, shaped
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import kernel_of
from ...primitive.primitive import argument_names
from ...primitive.row_kernels import Rows
from ...tape.unbroadcast import unbroadcast
from ...trace.device import constant
from ..arithmetic import sqrt
from ..reductions import count, mean, reduce_mean, reduce_sum
from ..samples import arrays, together
from ..shaping import broadcast_to

ndarray = np.ndarray

# With r = 1/√(var + eps) and x̂ = r (x - mean):  dx̂ = r (dx - mean(dx) - x̂ mean(x̂ dx)),  by
# d var = 2 mean((x - mean) dx), as Σ (x - mean) = 0. The map is symmetric, so its transpose is the same formula;
# Ba, Kiros and Hinton (2016), Layer normalization, has it for one layer. Where eps = 0 and the variance is 0 it is NaN.


def _gap(xp, x, axes, eps):
    """x - mean, and √(var + eps)."""
    gap = x - mean(xp, x, axes, True)
    return gap, xp.sqrt(mean(xp, gap * gap, axes, True) + eps)


@in_single
def _standardized(xp, x, axes, eps):
    if not x.size:
        return x + 0
    gap, scale = _gap(xp, x, axes, eps)
    return gap / scale


def _parts(x, axes, eps):
    """x̂ and √(var + eps), in operations."""
    gap = x - reduce_mean(x, axes, True)
    spread = sqrt(reduce_mean(gap * gap, axes, True) + eps)
    return gap / spread, spread


def _pulled(c, hat, spread, axes):
    """The derivative of x̂ in the direction c, and as well its transpose."""
    return (c - hat * reduce_mean(hat * c, axes, True) - reduce_mean(c, axes, True)) / spread


def _standardize_rule(c, x, axes, eps):
    return _pulled(c, *_parts(x, axes, eps), axes)


def _total(x):
    return reduce_sum(x, (0,), False)


def _row_hat(x, eps, count):
    """One row brought to mean 0 and variance 1, and what it was multiplied with."""
    gap = x - _total(x) / count
    scale = 1.0 / sqrt(_total(gap * gap) / count + eps)
    return gap * scale, scale


def _row_pulled(c, hat, scale, count):
    return (c - hat * (_total(hat * c) / count) - _total(c) / count) * scale


def _row_rule(c, x, eps, count):
    return _row_pulled(c, *_row_hat(x, eps, count), count)


def _row_layer_vjp(c, x, w, eps, count):
    """The cotangent of x, and the product of that of the output with x̂, whose columns add up to that of w."""
    hat, scale = _row_hat(x, eps, count)
    return _row_pulled(c * w, hat, scale, count), c * hat


def _columns_added(found, c, x, w):
    dx, both = found
    return (shaped(dx, x.shape), shaped(column_sums(both), w.shape),
            shaped(column_sums(c.reshape(both.shape)), w.shape))


def _shifted(axes):
    return tuple([k + 1 for k in axes])


def _over_spread(x, axes, eps):
    gap = x - _average(x, axes)
    return gap / sqrt(_average(gap * gap, axes) + float(eps))


def _average(x, axes):
    return reduce_sum(x, axes, True) / float(count(x, axes))


_REAL = {"complex": "the variance of complex values is not a square", "()": "it needs an axis"}
standardize = primitive(
    "standardize",  # (x - mean) / √(var + eps) over `axes`
    impl=lambda xp, x, *, axes, eps: _standardized(xp, x, axes, eps),
    lower=_over_spread,
    shape=lambda x: x,
    jvp={"x": _standardize_rule},
    vjp={"x": _standardize_rule},
    batch=lambda x, axes, eps: standardize(x, _shifted(axes), eps),
    blocks="axes",
    kernel=Rows(impl=lambda x, eps, count: _row_hat(x, eps, count)[0], vjp=_row_rule, jvp=_row_rule),
    absent=_REAL,
    samples=together(*[arrays(s, axes=a, eps=1e-3, complex_too=False) for s, a in (
        ((4,), (0,)), ((2, 3), (1,)), ((2, 3, 2), (0, 2)), ((0, 3), (1,)))]),
)


def _centred_rows(rows, eps):
    """x - mean in memory of its own, and 1 / √(var + eps)."""
    n = rows.dtype.type(rows.shape[1])
    gap = less_rows(rows, row_sums(rows) / n)
    scale = row_dots(gap, gap)
    scale /= n
    scale += eps
    np.sqrt(scale, out=scale)
    return gap, np.reciprocal(scale, out=scale)


def _layer_norm(xp, x, w, b, axes, eps):
    rows = rows_of(x, len(axes))
    if rows is not None and x.dtype == w.dtype == b.dtype:
        out, scale = _centred_rows(rows, eps)
        out *= outer(scale, w.reshape(-1))
        out += b.reshape(-1)
        return shaped(out, x.shape)
    out = _standardized(xp, x, axes, eps)
    if out.dtype == w.dtype == b.dtype:
        out *= w
        out += b
        return out
    return out * w + b


def _layer_norm_shape(x, w, b, axes):
    if axes != tuple(range(x.ndim - len(axes), x.ndim)):
        raise ShapeError(f"layer_norm works over the last axes, but got axes {axes} of x of shape {x.shape}"
                         f"; name the last ones, in order{at_user_line()}")
    inner = x.shape[x.ndim - len(axes) :]
    if not axes or w.shape != inner or b.shape != inner:
        raise ShapeError(f"layer_norm needs scale and shift of the shape of the axes it works over, {inner}, but got "
                         f"{w.shape} and {b.shape}; reshape them, or give None{at_user_line()}")
    return make_aval(x.shape, result_dtype(x, w, b))


def _layer_norm_jvp(tangents, x, w, axes, eps):
    dx, dw, db = tangents
    if dx is None and dw is None:
        return broadcast_to(db, x.shape)
    hat, spread = _parts(x, axes, eps)
    total = None if dx is None else _pulled(dx, hat, spread, axes) * w
    if dw is not None:
        total = hat * dw if total is None else total + hat * dw
    return total if db is None else total + db


def _layer_norm_vjp(ct, x, w, w_aval, axes, eps):
    rows = rows_of(x, len(axes))
    if rows is not None and type(ct) is ndarray and type(w) is ndarray and ct.dtype == x.dtype == w.dtype:
        return _pulled_rows(np.ascontiguousarray(ct).reshape(rows.shape), rows, x.shape, w, eps)
    hat, spread = _parts(x, axes, eps)
    return _pulled(ct * w, hat, spread, axes), unbroadcast(ct * hat, w_aval.shape), unbroadcast(ct, w_aval.shape)


def _pulled_rows(ct, rows, shape, w, eps):
    """The same of rows: x̄ = r w ȳ - r³ (x - m) mean(w (x - m) ȳ) - r mean(w ȳ), every sum a product with a vector."""
    gap, scale = _centred_rows(rows, eps)
    flat, n = w.reshape(-1), rows.dtype.type(rows.shape[1])
    both = ct * gap
    dw, db = scale.dot(both), column_sums(ct)
    gap *= (scale * scale * scale * (both.dot(flat) / -n))[:, None]
    gap += (scale * (ct.dot(flat) / -n))[:, None]
    dx = outer(scale, flat)
    dx *= ct
    dx += gap
    return shaped(dx, shape), shaped(dw, w.shape), shaped(db, w.shape)


def _layer_norm_batch(x, w, b, axes, eps, batched):
    rank = x.ndim - batched[0] - len(axes)  # of the axes in front of those it works over
    if not batched[1] and not batched[2]:
        return layer_norm(x, w, b, _shifted(axes), eps)
    hat = standardize(x, _shifted(axes) if batched[0] else axes, eps)
    w, b = (v.reshape((v.shape[0],) + (1,) * rank + tuple(v.shape[1:])) if hit else v
            for v, hit in zip((w, b), batched[1:]))
    return hat * w + b


layer_norm = primitive(
    "layer_norm",  # x̂ w + b over the last axes, w and b of their shape
    impl=lambda xp, x, w, b, *, axes, eps: _layer_norm(xp, x, w, b, axes, eps),
    lower=lambda x, w, b, axes, eps: _over_spread(x, axes, eps) * w + b,
    shape=_layer_norm_shape,
    jvp={"x, w, b": _layer_norm_jvp},
    vjp={"x, w, b": _layer_norm_vjp},
    batch=_layer_norm_batch,
    blocks="axes",
    kernel=Rows(impl=lambda x, w, b, eps, count: _row_hat(x, eps, count)[0] * w + b, vjp=_row_layer_vjp,
                after={"vjp": _columns_added}, kinds={"w": "vector", "b": "vector"}),
    absent=_REAL,
    samples=together(*[arrays(s, t, t, axes=a, eps=1e-3, complex_too=False) for s, t, a in (
        ((4,), (4,), (0,)), ((2, 3), (3,), (1,)), ((2, 3, 2), (3, 2), (1, 2)), ((0, 3), (3,), (1,)))]),
)


# Batch normalization: normalize, scale and shift each channel, and return the statistics.

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


def _batch_parts(x, eps):
    """x - m and r, in operations."""
    gap = x - reduce_mean(x, _axes(x), True)
    return gap, 1.0 / sqrt(reduce_mean(gap * gap, _axes(x), True) + eps)


def _jvp(tangents, x, w, b, eps):
    dx, dw, db = tangents
    if dx is not None and _plain(x, w, dx, *[d for d in (dw, db) if d is not None]):
        return _pushed(dx, dw, db, x, w, eps)
    axes, total = _axes(x), None
    still = w * 0
    gap, scale = _batch_parts(x, eps)
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
        return _batch_pulled(ct, dm, dv, x, w, eps, count)
    axes = _axes(x)
    gap, scale = _batch_parts(x, eps)
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


def _batch_pulled(ct, dm, dv, x, w, eps, count):
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
