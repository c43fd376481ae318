"""Reductions over axes: sum, product, extremes, logsumexp, and the running sum."""

import math

import numpy as np

from ..arrays.avals import make_aval
from ..arrays.dtypes import in_single, real_dtype, widened
from ..arrays.sums import LEAST, sums
from ..primitive.families import ZERO, linear, primitive
from ..primitive.primitive import REGISTRY, NotLowered
from ..tape.strong_zeros import CHOICES, holds_nan
from ..tape.unbroadcast import conj
from ..trace.device import constant
from ..trace.tracer import Staged, Tracer
from .arithmetic import exp
from .dependence import lines, reduced
from .running_loops import OTHERS, PRODUCTS, RUNNING_SUMS, running_products
from .samples import Sample, arrays, together
from .selection import cast, cast_flat, isfinite, isnan, times_unit, unit, where
from .shaping import concatenate, expand, flip, reshape

ndarray = np.ndarray


def reduced_shape(x, axes, keepdims):
    """The aval of `x` after a reduction over `axes`."""
    if keepdims:
        return make_aval(tuple(1 if i in axes else n for i, n in enumerate(x.shape)), x.dtype)
    return make_aval(tuple(n for i, n in enumerate(x.shape) if i not in axes), x.dtype)


def _sum_shape(x, axes, keepdims):
    aval = reduced_shape(x, axes, keepdims)
    # NumPy's own rule: small integers are added up in the machine's 64 bits.
    if x.dtype.kind in "bi" and x.dtype.itemsize < 8:
        return make_aval(aval.shape, np.dtype(np.int64))
    if x.dtype.kind == "u" and x.dtype.itemsize < 8:
        return make_aval(aval.shape, np.dtype(np.uint64))
    return aval


def _shifted(axes):
    return tuple(a + 1 for a in axes)


def _sum_batch(x, axes, keepdims):
    """Sums over the first axis as a product with ones: NumPy adds short rows slowly, 98 us for 17 at 200 x 32 x 20."""
    if axes == (0,) and x.ndim > 2 and x.dtype.kind == "f" and x.size and (
            type(x) is Staged or type(x) is ndarray and x.flags.c_contiguous):
        total = constant(np.ones(x.shape[1], x.dtype), x) @ x.reshape((*x.shape[:2], math.prod(x.shape[2:])))
        return total.reshape((x.shape[0], *(1,) * keepdims, *x.shape[2:]))
    return reduce_sum(x, _shifted(axes), keepdims)


def _reduction_samples(**facts):
    return together(
        arrays((2, 3, 4), axes=(1,), keepdims=False, **facts),
        arrays((2, 3), axes=(0, 1), keepdims=False, **facts),
        arrays((2, 3), axes=(0,), keepdims=True, **facts),
        arrays((), axes=(), keepdims=False, **facts),
        arrays((3,), axes=(0,), keepdims=False, **facts),
    )


def of_integers(rng):
    """Samples of integers and truth values, which are added up and multiplied in 64 bits."""
    return [Sample(rng.integers(-3, 4, (2, 3)).astype(dtype), params={"axes": axes, "keepdims": False}, smooth=False)
            for dtype in ("i1", "i4", "i8", "?") for axes in ((1,), (0, 1))]


def of_wide(name):
    """The lowering of a sum or a product: that of small integers and truth values in integers of 64 bits."""
    def lower(x, *params):
        if x.dtype.kind not in "bi" or x.dtype.itemsize == 8:
            raise NotLowered
        return REGISTRY[name].fun(cast_flat(x, np.dtype(np.int64)), *params)

    return lower


reduce_sum = linear(
    "reduce_sum",
    lies="order",
    reduces=np.add,
    lower=of_wide("reduce_sum"),
    impl=lambda xp, x, *, axes, keepdims: (
        xp.sum(x, axis=axes, keepdims=keepdims) if xp is not np
        else sums(x, axes, keepdims) if type(x) is ndarray and x.size >= LEAST  # a call more costs 0.08 us
        else np.add.reduce(x, axes, None, None, keepdims)),
    transpose=lambda ct, x_aval, axes, keepdims: expand(ct, x_aval, axes, keepdims),
    exact=True,
    moves=True,
    shape=_sum_shape,
    batch=_sum_batch,
    depends=reduced,
    samples=together(_reduction_samples(), arrays((0, 3), axes=(0,), keepdims=False),
                     arrays((0,), axes=(0,), keepdims=False), of_integers),
)


def count(aval, axes):
    """The number of elements in each sum."""
    if len(axes) == aval.ndim:
        return aval.size
    n = 1
    for a in axes:
        n *= aval.shape[a]
    return n


def mean(xp, x, axes, keepdims):
    """The mean of an array; NumPy's own takes twice as long."""
    if xp is not np or x.dtype.itemsize < 4:
        return xp.mean(widened(x), axis=axes, keepdims=keepdims).astype(x.dtype, copy=False)
    n = count(x, axes)
    total = sums(x, axes, keepdims) if x.size >= LEAST else np.add.reduce(x, axes, None, None, keepdims)
    # 0 / 0 in the dtype of the array: NaN, with the warning that NumPy gives.
    return total / n if n else total / x.dtype.type(0)


def _mean_of_sum(x, axes, keepdims):
    n = count(x, axes)
    # The mean of nothing warns, and halves are added up in single precision: neither is a sum by a count.
    if not n or x.dtype.itemsize < 4:
        raise NotLowered
    return reduce_sum(x, axes, keepdims) / n


reduce_mean = linear(
    "reduce_mean",  # of floating values
    impl=lambda xp, x, *, axes, keepdims: mean(xp, x, axes, keepdims),
    lower=_mean_of_sum,
    composite="always",
    # `max`, since the cotangent of a mean of nothing has no elements to go to, but is divided by their number.
    transpose=lambda ct, x_aval, axes, keepdims: expand(ct / max(count(x_aval, axes), 1), x_aval, axes, keepdims),
    exact=True,
    shape=reduced_shape,
    batch=lambda x, axes, keepdims: reduce_mean(x, _shifted(axes), keepdims),
    absent={"(0,)": "the mean of nothing is NaN"},
    depends=reduced,
    samples=_reduction_samples(),
)


def keep_axes(value, x_aval, axes, keepdims):
    """A reduced value with its reduced axes back as 1."""
    if keepdims or not value.ndim and not x_aval.ndim:
        return value
    return value.reshape(tuple(1 if i in axes else n for i, n in enumerate(x_aval.shape)))


_COUNTED = {np.dtype(kind): kind(1) for kind in (np.float64, np.float32)}  # narrower ones do not count far enough


def _attained(x, ans, axes, keepdims):
    """A mask of the elements that attain the extreme, as NaN does, too; and their number."""
    top = keep_axes(ans, x, axes, keepdims)
    one = _COUNTED.get(x.dtype, 1.0)
    hit = (x == top) | (x != x)
    return hit, reduce_sum(where(hit, one, 0 * one), axes, True)


def _to_extremes(ct, x, ans, axes, keepdims):
    """`ct` handed to the elements that attain the extreme, in equal shares."""
    ct = keep_axes(ct, x, axes, keepdims)
    if type(x) is ndarray and type(ct) is ndarray and type(ans) is ndarray:
        hit = x == keep_axes(ans, x, axes, keepdims)
        # The usual case in one product; ties need shares, and NaN a mask of its own.
        if np.count_nonzero(hit) == ans.size and np.count_nonzero(ans != ans) == 0:
            return ct * hit  # no NaN, so each extreme is attained, and no ties
    hit, count = _attained(x, ans, axes, keepdims)
    return where(hit, ct / count, 0 * _COUNTED.get(x.dtype, 1.0))


def _at_extremes(dx, x, ans, axes, keepdims):
    """The mean of `dx` over the elements that attain the extreme."""
    hit, count = _attained(x, ans, axes, keepdims)
    found = reduce_sum(where(hit, dx, 0 * _COUNTED.get(x.dtype, 1.0)), axes, True) / count
    return found if keepdims else found.reshape(ans.shape)


def _extreme_reduction(name, ufunc):
    return primitive(
        name,
        impl=lambda xp, x, *, axes, keepdims: ufunc.reduce(x, axes, None, None, keepdims) if xp is np
        else getattr(xp, name[7:])(x, axis=axes, keepdims=keepdims),
        shape=reduced_shape,
        jvp={"x": _at_extremes},
        vjp={"x": _to_extremes},
        lies="order",
        reduces=ufunc,
        depends=reduced,
        blocks="reduced",
        batch=lambda x, axes, keepdims: REDUCERS[name](x, _shifted(axes), keepdims),
        zeros=True,
        samples=together(
            _reduction_samples(),
            arrays((0, 3), axes=(1,), keepdims=False),
            lambda rng: [Sample(np.array([1.0, 3.0, 3.0]), params={"axes": (0,), "keepdims": False}, smooth=False)],
        ),
    )


REDUCERS = {}
reduce_max = REDUCERS["reduce_max"] = _extreme_reduction("reduce_max", np.maximum)
reduce_min = REDUCERS["reduce_min"] = _extreme_reduction("reduce_min", np.minimum)


def _prod_others(x, axes):
    """For each element the product of all the others along `axes`, without division: right where elements are 0."""
    if type(x) is ndarray and axes and (found := OTHERS(x, axes)) is not None:
        return found
    order = tuple(i for i in range(x.ndim) if i not in axes) + tuple(axes)
    moved = x.transpose(order)
    kept = moved.shape[: x.ndim - len(axes)]
    flat = moved.reshape((*kept, int(np.prod([x.shape[a] for a in axes]))))
    n = flat.shape[-1]
    # Product of all but one: prefix times suffix, each by pairwise doubling steps of shifted products.
    others = _exclusive_products(flat, n) * _flip_last(_exclusive_products(_flip_last(flat), n))
    return others.reshape(moved.shape).transpose(tuple(int(i) for i in np.argsort(order)))


def _flip_last(x):
    return flip(x, axes=(x.ndim - 1,))


def _exclusive_products(x, n):
    """`out[..., i] = x[..., 0] * … * x[..., i - 1]`; of traces in log2(n) shifted products (Hillis and Steele 1986)."""
    if n == 0:
        return x
    if type(x) is np.ndarray:
        out = np.ones(x.shape, x.dtype)
        out[..., 1:] = running_products(np, x[..., :-1], x.ndim - 1)
        return out
    shift = 1
    out = _shift_in_ones(x, 1, n)
    while shift < n:
        out = out * _shift_in_ones(out, shift, n)
        shift *= 2
    return out


def _shift_in_ones(x, k, n):
    ones = constant(np.ones((*x.shape[:-1], min(k, n)), x.dtype), x)
    return concatenate(ones, x[..., : max(n - k, 0)], axis=x.ndim - 1)


reduce_prod = primitive(
    "reduce_prod",
    kernel=PRODUCTS,
    reduces=np.multiply,
    lower=of_wide("reduce_prod"),
    impl=lambda xp, x, *, axes, keepdims: xp.prod(x, axis=axes, keepdims=keepdims),
    shape=_sum_shape,
    jvp={"x": lambda dx, x, axes, keepdims: reduce_sum(dx * _prod_others(x, axes), axes, keepdims)},
    vjp={"x": lambda ct, x, axes, keepdims: keep_axes(ct, x, axes, keepdims) * conj(_prod_others(x, axes))},
    batch=lambda x, axes, keepdims: reduce_prod(x, _shifted(axes), keepdims),
    zeros=True,
    depends=reduced,
    blocks="reduced",
    samples=together(
        _reduction_samples(),
        lambda rng: [Sample(np.array(v), params={"axes": (0,), "keepdims": False})
                     for v in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [2.0], [0.0, 1.0, 0.0, 4.0, 5.0])],
        arrays((0, 2), axes=(0,), keepdims=False),
        of_integers,
    ),
)


@in_single
def _logsumexp(xp, x, axes, keepdims):
    """max + log Σ exp(x - max); the maximum is replaced by 0 where it is infinite, so -inf stays -inf.

    Of complex numbers it is that of the real parts: log gives the imaginary part, on its principal branch.
    """
    size = xp.real(x) if x.dtype.kind == "c" else x
    top = size.max(axis=axes, keepdims=True) if x.size else xp.zeros((1,) * x.ndim, size.dtype)
    top = xp.where(xp.isfinite(top), top, 0.0).astype(size.dtype, copy=False)
    total = xp.exp(x - top).sum(axis=axes, keepdims=True)
    out = xp.log(total) + top
    return out if keepdims else out.squeeze(axis=axes)[()]


def less_top(x, axes):
    """An array less its largest elements over axes, and these; 0 where they are not finite."""
    if not x.size:
        raise NotLowered
    top = reduce_max(x, axes, True)
    top = where(isfinite(top), top, 0.0)
    return x - top, top


def _log_of_sum(x, axes, keepdims):
    low, top = less_top(x, axes)
    out = np.log(reduce_sum(exp(low), axes, True)) + top
    return out if keepdims else reshape(out, reduced_shape(x, axes, False).shape)


def _softmax_of(x, ans, axes, keepdims):
    """exp(x - logsumexp), 0 where everything is -inf."""
    top = keep_axes(ans, x, axes, keepdims)
    # -inf less -inf would be NaN; less 0 it has the weight 0.
    return exp(x - where(top == -np.inf, 0.0, top))


logsumexp = primitive(
    "logsumexp",
    impl=lambda xp, x, *, axes, keepdims: _logsumexp(xp, x, axes, keepdims),
    lower=_log_of_sum,
    shape=reduced_shape,
    jvp={"x": lambda dx, x, ans, axes, keepdims: reduce_sum(_softmax_of(x, ans, axes, keepdims) * dx, axes, keepdims)},
    vjp={"x": lambda ct, x, ans, axes, keepdims: conj(_softmax_of(x, ans, axes, keepdims))
         * keep_axes(ct, x, axes, keepdims)},
    batch=lambda x, axes, keepdims: logsumexp(x, _shifted(axes), keepdims),
    depends=reduced,
    blocks="reduced",
    samples=together(_reduction_samples(), arrays((0, 3), axes=(1,), keepdims=False)),
)


def _root_of_squares(xp, x, axes, keepdims, scale):
    # Of complex numbers without the root that `abs` takes.
    squares = xp.square(x) if x.dtype.kind != "c" else xp.square(x.real) + xp.square(x.imag)
    total = reduce_sum.prim.impl(xp, squares, axes, keepdims)
    return xp.sqrt(total if scale == 1 else total / scale)


def _root_of_sum(x, axes, keepdims, scale):
    total = reduce_sum(np.square(x), axes, keepdims)
    return np.sqrt(total if scale == 1 else total / float(scale))


def _along_norm(x, ans, axes, keepdims, scale):
    return keep_axes(ans if scale == 1 else ans * scale, x, axes, keepdims)


def _norm_slope(x, *at):
    return unit(x, _along_norm(x, *at))


vector_norm = primitive(
    "vector_norm",  # sqrt(Σ |x|² / scale)
    impl=lambda xp, x, *, axes, keepdims, scale: _root_of_squares(xp, x, axes, keepdims, scale),
    lower=_root_of_sum,
    shape=lambda x, axes, keepdims: make_aval(reduced_shape(x, axes, keepdims).shape, real_dtype(x.dtype)),
    jvp={"x": lambda dx, x, ans, axes, keepdims, scale: reduce_sum(
        (conj(_norm_slope(x, ans, axes, keepdims, scale)) * dx).real, axes, keepdims)},
    vjp={"x": lambda ct, x, ans, axes, keepdims, scale: _norm_slope(x, ans, axes, keepdims, scale)
         * keep_axes(ct, x, axes, keepdims)},
    batch=lambda x, axes, keepdims, scale: vector_norm(x, _shifted(axes), keepdims, scale),
    blocks="reduced",
    chosen={"x": lambda ct, x, ans, axes, keepdims, scale: times_unit(
        keep_axes(ct, x, axes, keepdims), x, _along_norm(x, ans, axes, keepdims, scale))},
    depends=reduced,
    samples=together(_reduction_samples(scale=2.0), arrays((0, 3), axes=(1,), keepdims=False, scale=1),
                     lambda rng: [Sample(np.zeros((2, 3)), params={"axes": (1,), "keepdims": False, "scale": 1},
                                         smooth=False, orders=1)]),
)


def _argument(name):
    def lower(x, axis, keepdims):
        """The first place of the extreme, or of NaN."""
        n = x.shape[axis]
        best = x == REDUCERS[f"reduce_{name[3:]}"](x, (axis,), True)
        if x.dtype.kind == "f":
            best = best | isnan(x)
        order = np.arange(n).reshape((n,) + (1,) * (x.ndim - axis - 1))
        # The first of equal elements, as in NumPy: its place is the smallest.
        return reduce_min(where(best, order, n), (axis,), keepdims)

    return primitive(
        name,
        impl=lambda xp, x, *, axis, keepdims: getattr(x, name)(axis, None, keepdims=keepdims) if (
            type(x) is np.ndarray) else getattr(xp, name)(x, axis=axis, keepdims=keepdims),  # 1 us less
        shape=lambda x, axis, keepdims: make_aval(reduced_shape(x, (axis,), keepdims).shape, np.dtype(np.intp)),
        lower=lower,
        jvp=ZERO,
        batch=lambda x, axis, keepdims: REDUCERS[name](x, axis + 1, keepdims),
        samples=together(arrays((2, 3), axis=1, keepdims=False), arrays((0, 3), axis=1, keepdims=True)),
    )


argmax = REDUCERS["argmax"] = _argument("argmax")
argmin = REDUCERS["argmin"] = _argument("argmin")


def _truth(name, ufunc, truth):
    reduce = ufunc.reduce
    return primitive(
        name,
        impl=lambda xp, x, *, axes, keepdims: reduce(x, axes, None, None, keepdims) if (
            type(x) is np.ndarray) else getattr(xp, name[7:])(x, axis=axes, keepdims=keepdims),
        shape=lambda x, axes, keepdims: make_aval(reduced_shape(x, axes, keepdims).shape, np.dtype(bool)),
        jvp=ZERO,
        reduces=truth,
        batch=lambda x, axes, keepdims: REDUCERS[name](x, _shifted(axes), keepdims),
        samples=lambda rng: [Sample(rng.normal(size=s) > 0, params={"axes": a, "keepdims": False})
                             for s, a in (((2, 3), (1,)), ((0, 3), (0,)), ((), ()))]
        + [Sample(rng.normal(size=(2, 3)).astype(t), params={"axes": (1,), "keepdims": True}) for t in ("f4", "c16")],
    )


reduce_all = REDUCERS["reduce_all"] = _truth("reduce_all", np.logical_and, np.bitwise_and)
reduce_any = REDUCERS["reduce_any"] = _truth("reduce_any", np.logical_or, np.bitwise_or)

cumsum = linear(
    "cumsum",
    lower=of_wide("cumsum"),
    kernel=RUNNING_SUMS,
    impl=lambda xp, x, *, axis: xp.cumsum(x, axis=axis),
    transpose=lambda ct, axis: flip(cumsum(flip(ct, axes=(axis,)), axis=axis), axes=(axis,)),
    shape=lambda x, axis: _sum_shape(x, (), False),
    batch=lambda x, axis: cumsum(x, axis=axis + 1),
    depends=lambda x, axis: lines(x, (axis,)),
    samples=together(arrays((2, 3), axis=1), arrays((3,), axis=0), arrays((0,), axis=0)),
    absent={"()": "it runs along an axis"},
)


def strong_product(ct, w, times):
    """`times(ct, w)`, which is linear in both, with the terms left out in which an element of `ct` is 0.

    The sums of the terms with a finite w are as ever; where a term is left of others, the sum is infinite or NaN.
    """
    if isinstance(ct, Tracer) or isinstance(w, Tracer):
        return CHOICES["staged_product"](ct, w, times)
    out = times(ct, w)
    return with_strong_zeros(out, ct, w, times) if holds_nan(out) else out


def with_strong_zeros(out, ct, w, times):
    """`out`, the product `times(ct, w)`, without the NaN of terms in which `ct` is 0 and `w` not finite."""
    finite = isfinite(w)
    # Terms that are not to be left out: a `ct` that is not 0 meets a `w` that is not finite.
    met = times(cast(ct != 0, dtype=ct.dtype), cast(~finite, dtype=w.dtype))
    return where(met != 0, out, times(ct, where(finite, w, w.dtype.type(0))))


CHOICES["strong_product"] = strong_product


def _running_any(hit, axis, back):
    """A running any along `axis`, or with `back` from there to the end."""
    if not back:
        return cumsum(hit, axis=axis) > 0
    return flip(_running_any(flip(hit, axes=(axis,)), axis, False), axes=(axis,))


CHOICES["running_any"] = _running_any
CHOICES["reduce_any"] = reduce_any
