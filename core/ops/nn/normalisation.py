"""Normalization to mean 0 and variance 1 as one operation, with or without scale and shift."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...arrays.mixed_precision import in_single
from ...arrays.sums import column_sums, row_sums, shaped
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.row_kernels import Rows
from ...tape.unbroadcast import unbroadcast
from ..arithmetic import sqrt
from ..reductions import count, mean, reduce_mean, reduce_sum
from ..samples import arrays, together
from ..shaping import broadcast_to
from .sums import less_rows, outer, row_dots, rows_of

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
