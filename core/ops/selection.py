"""Choosing between values: where, comparisons, extremes, rounding, casts and the flat functions."""

import math
import operator

import numpy as np

from ..arrays.avals import make_aval
from ..arrays.dtypes import is_inexact, result_dtype
from ..primitive.families import ZERO, elementwise, linear
from ..primitive.primitive import RAW, REGISTRY, Loop
from ..tape.strong_zeros import CHOICES, holds_nan
from ..tape.unbroadcast import conj
from ..trace.tracer import Tracer
from .dependence import ELEMENTS, chosen, guarded, nonzero
from .float_loops import FLOOR_DIVIDE, REMAINDER, cast_array, cast_back
from .samples import Sample, binary, together, unary

# Branch-free select between floats by a mask: several times faster than `np.where` on mixed masks.

BITS = {np.dtype(np.float32): np.dtype(np.int32), np.dtype(np.float64): np.dtype(np.int64)}
LEAST = 4096  # elements; np.where is as fast on fewer
_BLOCK = 8192  # elements: all that is at work stays in the cache


def select(mask, x, y):
    """`np.where(mask, x, y)`.

    A processor guesses wrong at each second element of a mixed mask: 5 ns an element. Here bits are chosen by bits,
    `y ^ ((x ^ y) & m)` with m all ones or zeros: 131,072 elements of float32 take 60 us for 520.
    """
    if type(mask) is ndarray and mask.size >= LEAST and mask.dtype == bool and mask.flags.c_contiguous:
        dtype = next((v.dtype for v in (x, y) if isinstance(v, ndarray | np.generic)), None)
        bits = BITS.get(dtype)
        if bits is not None:
            a, b = _bits(x, dtype, bits, mask.shape), _bits(y, dtype, bits, mask.shape)
            if a is not None and b is not None:
                out = np.empty(mask.shape, dtype)
                _select_bits(mask.reshape(-1).view(np.int8), a, b, out.reshape(-1).view(bits))
                return out
    return np.where(mask, x, y)


def _bits(v, dtype, bits, shape):
    """The bits of an operand's elements in one line, or of a number; None for an operand that is not taken."""
    if isinstance(v, ndarray) and v.ndim:
        fits = v.dtype == dtype and v.shape == shape
        return np.ascontiguousarray(v).reshape(-1).view(bits) if fits else None
    if type(v) is float or type(v) is int and -(2**24) <= v <= 2**24 or isinstance(v, ndarray | np.generic) and (
            v.dtype == dtype):
        return np.asarray(v, dtype).view(bits)
    return None


def _select_bits(mask, x, y, out):
    """Write the chosen bits to `out`."""
    for start in range(0, len(mask), _BLOCK):
        part = slice(start, start + _BLOCK)
        m = mask[part].astype(out.dtype)
        np.negative(m, out=m)
        a, b, o = x[part] if x.ndim else x, y[part] if y.ndim else y, out[part]
        if y.ndim or y != 0:
            np.bitwise_xor(a, b, out=o)
            np.bitwise_and(o, m, out=o)
            np.bitwise_xor(o, b, out=o)
        else:
            np.bitwise_and(a, m, out=o)


ndarray = np.ndarray


def _where_samples(rng):
    mask = rng.normal(size=(2, 3)) > 0
    return [
        Sample(mask, rng.normal(size=(2, 3)), rng.normal(size=(2, 3))),
        Sample(mask, rng.normal(size=3), rng.normal()),
        Sample(mask[0], rng.normal(size=(2, 1)), rng.normal(size=3)),
        Sample(np.True_, rng.normal(size=3), rng.normal(size=3)),
        Sample(mask, rng.normal(size=(2, 3)), rng.normal(size=3) + 1j),
        Sample(mask[0], rng.normal(size=3).astype(np.float32), rng.normal(size=3).astype(np.float32)),
        Sample(mask[:0], rng.normal(size=(0, 3)), rng.normal(size=3)),
    ]


_LARGE = 1 << 12  # elements, from which a mask is copied first


def keep_where(d, mask):
    """`np.where(mask, d, 0.0)` of plain float arrays: its bits times 0 or 1, 6 us against 44 for 32768 of float32."""
    dtype = d.dtype
    if d.size < _LARGE:
        return (d.view(BITS[dtype]) * mask).view(dtype)
    out = np.empty_like(d)  # in the order of d
    bits = out.view(BITS[dtype])
    np.copyto(bits, mask)
    np.multiply(bits, d.view(bits.dtype), out=bits)
    return out


def passed(d, mask):
    """`d` where `mask` holds, exact zeros elsewhere."""
    if type(d) is ndarray and type(mask) is ndarray and d.ndim and d.shape == mask.shape and d.dtype in BITS:
        if mask.dtype.kind == "b":
            return keep_where(d, mask)
    return where(mask, d, 0.0)


def _dropped(d, mask):
    """`d` where `mask` does not hold, exact zeros elsewhere."""
    if type(mask) is ndarray and type(d) is ndarray and d.ndim and d.shape == mask.shape and d.dtype in BITS:
        if mask.dtype.kind == "b":
            return keep_where(d, ~mask)
    return where(mask, 0.0, d)


where = elementwise(
    "where",
    lies="operands",
    impl=lambda xp, mask, x, y: select(mask, x, y) if xp is np else xp.where(xp.asarray(mask), x, y),
    lower=Loop(np.where),
    jvp={"x": lambda dx, mask: passed(dx, mask), "y": lambda dy, mask: _dropped(dy, mask)},
    vjp={"x": lambda ct, mask: passed(ct, mask), "y": lambda ct, mask: _dropped(ct, mask)},
    nondiff="mask",
    zeros=True,
    linear=("x, y",),
    depends=lambda mask, x, y, mask_value: chosen(mask, x, y, mask_value),
    samples=_where_samples,
)
CHOICES["where"] = where


def _lost(ct, c):
    return (c != c) & (ct == 0)


is_lost = elementwise(
    "is_lost",  # where a product c with a zero ct came out NaN
    impl=lambda xp, ct, c: _lost(ct, c), lower=_lost, d=ZERO, samples=binary())


def _strong(xp, ct, c):
    if type(c) is ndarray and c.dtype.kind == "f" and c.size and (type(ct) is not ndarray or ct.shape == c.shape):
        if not math.isnan(np.maximum.reduce(c, None)):
            return c.copy(order="K")
    return xp.where(_lost(ct, c), 0.0, c)


def _strong_samples(rng):
    c, ct = np.array([[0.3, np.nan, -0.0], [0.7, 1.5, np.nan]]), np.array([[0.5, 0.0, 0.0], [2.0, 3.0, -0.0]])
    return [Sample(rng.normal(size=(2, 3)), rng.normal(size=(2, 3))), Sample(rng.normal(), rng.normal(size=3)),
            Sample(rng.normal(size=(2, 1)), rng.normal(size=3)), Sample(rng.normal(size=3), rng.normal(size=3) + 1j),
            Sample(rng.normal(size=3).astype(np.float32), rng.normal(size=3).astype(np.float32)),
            Sample(ct, c, orders=0, smooth=False), Sample(ct[:0], c[:0])]


def _defined_samples(rng):
    return [*[Sample(*s.operands) for s in _strong_samples(rng)[:5]], Sample(rng.normal(size=0), rng.normal(size=0))]


def _push_strong_zero(tangents, ct, c):
    """The tangent: of a finite c it may be infinite, and a ct that is 0 by chance has a tangent of its own."""
    dct, dc = tangents
    if dc is None:
        return None
    dc = where(is_lost(ct, c), 0.0, dc)
    return strong_zero(ct, dc) if dct is None else where(ct == 0, strong_zero(dct, dc), dc)


def _undefined(d, ct, c):
    """The derivative by a ct of 0 that was multiplied with an infinity: there is none; None where no ct was."""
    return strong_times(d, where(is_lost(ct, c), np.nan, c.dtype.type(0))) if holds_nan(c) else None


def _push_strong_tangent(tangents, ct, c):
    dc = _push_strong_zero(tangents, ct, c)
    if tangents[0] is None:
        return dc
    moved = _undefined(tangents[0], ct, c)
    return moved if dc is None else dc if moved is None else dc + moved


def _cut(name, lower, push, of_ct, samples=_strong_samples, **facts):
    return elementwise(
        name,
        lies="operands",
        impl=_strong,
        lower=lower,
        jvp={"ct, c": push},
        vjp={"ct": of_ct, "c": lambda g, ct, c: where(is_lost(ct, c), 0.0, g)},
        zeros=True,
        linear=("c",),
        depends=lambda ct, c: guarded(ct, c),
        samples=samples,
        **facts,
    )


# c, with 0 where it is NaN and ct is 0
strong_zero = _cut("strong_zero", lambda ct, c: where(is_lost(ct, c), 0.0, c), _push_strong_zero, lambda g: None,
                   guards=True)
# The same of tangents, which may be 0 by chance, as that of x * x at 0: what moves such a one has no derivative.
strong_tangent = _cut("strong_tangent", lambda ct, c: strong_zero(ct, c), _push_strong_tangent, _undefined,
                      _defined_samples, composite="always")
CHOICES["strong_tangent"] = strong_tangent
CHOICES["strong_zero"] = strong_zero

strong_times = elementwise(
    "strong_times",  # ct * w, with 0 where that is NaN and ct is 0; so are its derivatives where ct is
    impl=lambda xp, ct, w: _strong(xp, ct, ct * w),
    lower=lambda ct, w: strong_zero(ct, ct * w),
    composite="always",
    jvp={"ct": lambda t, w: strong_times(t, w), "w": lambda t, ct: strong_times(ct, t)},
    vjp={"ct": lambda g, w: strong_times(g, conj(w)), "w": lambda g, ct: strong_times(conj(ct), g)},
    zeros=True,
    linear=("ct", "w"),
    depends=lambda ct, w, ct_value, w_value: nonzero(ct, w, ct_value, w_value),
    samples=_defined_samples,
)
CHOICES["strong_times"] = strong_times
reached = elementwise(
    "reached",  # v, a factor of ct: its cotangent is 0 where that is NaN and ct is 0
    impl=lambda xp, ct, v: v if np.shape(v) == np.shape(ct) else xp.broadcast_to(
        v, np.broadcast_shapes(np.shape(v), np.shape(ct))),
    lower=lambda ct, v: v if np.shape(v) == np.shape(ct) else REGISTRY["broadcast_to"].fun(
        v, np.broadcast_shapes(np.shape(v), np.shape(ct))),
    composite="always",
    jvp={"v": lambda dv: dv},
    vjp={"v": lambda g, ct: strong_zero(ct, g)},
    nondiff="ct",
    zeros=True,
    shares=True,
    linear=("v",),
    samples=lambda rng: [Sample(np.ones(3), rng.normal(size=3)), Sample(0.5, np.array(0.3)),
                         Sample(np.ones((2, 3)), rng.normal(size=(2, 1))), Sample(np.ones(0), np.ones(0)),
                         Sample(np.ones(3, np.float32), rng.normal(size=3).astype(np.float32)),
                         Sample(np.ones(3) + 0j, rng.normal(size=3) + 1j)],
)
CHOICES["reached"] = reached


equal = elementwise("equal", d=ZERO, op=operator.eq, samples=binary())
not_equal = elementwise("not_equal", d=ZERO, op=operator.ne, samples=binary())
less = elementwise("less", d=ZERO, op=operator.lt, samples=binary())
less_equal = elementwise("less_equal", d=ZERO, op=operator.le, samples=binary())
greater = elementwise("greater", d=ZERO, op=operator.gt, samples=binary())
greater_equal = elementwise("greater_equal", d=ZERO, op=operator.ge, samples=binary())


def _integers(rng):
    return [Sample(rng.integers(0, 8, 3), rng.integers(0, 8, 3)), Sample(rng.integers(0, 8, 0), np.array(3)),
            Sample(rng.integers(0, 2, 3) > 0, np.True_),
            Sample(rng.integers(0, 8, (2, 3)), rng.integers(0, 8, 3))]


bitwise_and = elementwise("bitwise_and", d=ZERO, op=operator.and_, samples=_integers)
bitwise_or = elementwise("bitwise_or", d=ZERO, op=operator.or_, samples=_integers)
bitwise_xor = elementwise("bitwise_xor", d=ZERO, op=operator.xor, samples=_integers)
bitwise_invert = elementwise("bitwise_invert", d=ZERO, op=operator.invert,
                             samples=lambda rng: [Sample(rng.integers(0, 8, s)) for s in ((), 0, 3)]
                             + [Sample(rng.normal(size=3) > 0)])
sign = elementwise("sign", d=ZERO, op=np.sign, samples=unary(complex_too=False),
                   absent={"complex": "not flat there; np.sign of complex values is composed, see signum"})


def _unreached(ct, x):
    """The slope of a slope that is chosen at 0: undefined there, but where ct is 0."""
    return where((x == 0) & (ct != 0), np.nan, x.dtype.type(0))


def _nonzero(rng):
    return [(rng.normal(size=s) + 2.0 * rng.integers(0, 2, s) - 1.0).astype(t)
            for s, t in (((), "f8"), ((3,), "f8"), ((0,), "f8"), ((3,), "f4"))]


_COMPLEX = {"complex": "the slope of |z| is z / |z|"}
# The slope of |x|. It is a choice where x is 0, and what depends on a choice has no derivative: NaN there, so that a
# composition that is smooth, such as log(1 + exp(-|x|)) + max(x, 0), gives no second derivative that is wrong.
direction = elementwise("direction", d={"x": lambda x: where(x == 0, np.nan, x.dtype.type(0))}, op=np.sign,
                        undefined=True, continued=sign, samples=lambda rng: [Sample(x) for x in _nonzero(rng)],
                        absent=_COMPLEX)
# The product with it, which does not depend on the choice where a selection made the cotangent 0.
times_direction = elementwise(
    "times_direction", impl=lambda xp, ct, x: xp.where(ct == 0, ct, ct * xp.sign(x)),
    lower=lambda ct, x: where(ct == 0, ct, ct * sign(x)), continued=lambda ct, x: strong_times(ct, sign(x)),
    linear=("ct",),
    jvp={"ct": lambda t, x: times_direction(t, x), "x": lambda t, ct, x: strong_zero(ct, t * _unreached(ct, x))},
    vjp={"ct": lambda g, x: times_direction(g, x), "x": lambda g, ct, x: strong_zero(ct, g * _unreached(ct, x))},
    undefined=True, absent=_COMPLEX,
    samples=lambda rng: [Sample(rng.normal(size=(2, 1)), _nonzero(rng)[1])] + [Sample(x, x) for x in _nonzero(rng)])


def _unit(x, length):
    zero = length == 0
    return where(zero, 0.0, x / where(zero, 1.0, length))


def _inverse(length):
    """1 / length, NaN of 0."""
    zero = length == 0
    return where(zero, np.nan, 1.0 / where(zero, 1.0, length))


def _over(ct, length):
    """ct / length; of a length 0 undefined, but where ct is 0."""
    zero = length == 0
    return ct / where(zero, where(ct == 0, 1.0, np.nan), length)


def _lengths(rng):
    return [Sample(rng.normal(size=s), rng.uniform(0.5, 2.0, s)) for s in ((), (3,), (0,))] + [
        Sample(rng.normal(size=(2, 3)) + 1j, rng.uniform(0.5, 2.0, 3)),
        Sample(rng.normal(size=3).astype(np.float32), rng.uniform(0.5, 2.0, 3).astype(np.float32))]


def _of_lengths(name, **facts):
    return elementwise(
        name,
        impl=lambda xp, x, length: xp.where(length == 0, 0.0, x / xp.where(length == 0, 1.0, length)),
        lower=_unit,
        d={"x": _inverse, "length": lambda length, ans: -ans * _inverse(length)},
        undefined=True,
        samples=_lengths,
        **facts,
    )


# The slope of a length: x / length, and 0 where that is 0, the subgradient of smallest norm: a choice again.
unit = _of_lengths("unit")
complex_direction = _of_lengths("complex_direction", continued=_unit)  # that of |z|

def _times(ct, x, length):
    return where(ct == 0, 0.0, ct * _unit(x, length))


def _times_of_lengths(name, **facts):
    times = elementwise(
        name,
        impl=lambda xp, ct, x, length: xp.where(ct == 0, 0.0, ct * unit.prim.impl(xp, x, length)),
        lower=_times,
        linear=("ct",),
        jvp={"ct": lambda t, x, length: times(t, x, length),
             "x": lambda t, ct, length: strong_zero(ct, t * _over(ct, length)),
             "length": lambda t, ct, x, length: strong_zero(ct, -t * _over(times(ct, x, length), length))},
        vjp={"ct": lambda g, x, length: times(g, conj(x), length),
             "x": lambda g, ct, length: strong_zero(ct, g * conj(_over(ct, length))),
             "length": lambda g, ct, x, length: strong_zero(ct, -g * conj(_over(times(ct, x, length), length)))},
        undefined=True,
        samples=lambda rng: [Sample(rng.normal(size=np.shape(s.operands[1])), *s.operands) for s in _lengths(rng)],
        **facts,
    )
    return times


times_unit = _times_of_lengths("times_unit")  # the product with it, as times_direction
times_complex_direction = _times_of_lengths(
    "times_complex_direction", continued=lambda ct, x, length: strong_times(ct, _unit(x, length)))
floor = elementwise("floor", d=ZERO, op=np.floor, samples=unary(complex_too=False))
ceil = elementwise("ceil", d=ZERO, op=np.ceil, samples=unary(complex_too=False))
trunc = elementwise("trunc", d=ZERO, op=np.trunc, samples=unary(complex_too=False))
rint = elementwise("rint", d=ZERO, op=np.rint, samples=unary(complex_too=False),
                   absent={"complex": "rounds both parts, each as a real value"})
isnan = elementwise("isnan", d=ZERO, op=np.isnan, samples=unary())
isfinite = elementwise("isfinite", d=ZERO, op=np.isfinite, samples=unary())
isinf = elementwise("isinf", d=ZERO, op=np.isinf, samples=unary())
floor_divide = elementwise("floor_divide", d=ZERO, op=operator.floordiv, weak=True, kernel=FLOOR_DIVIDE,
                           samples=binary(low_y=0.5, high_y=2.0, complex_too=False))
remainder = elementwise(
    "remainder",  # x - y floor(x / y)
    d={"x": lambda: 1.0, "y": lambda x, y: -(x // y)},
    op=operator.mod,
    weak=True,
    kernel=REMAINDER,
    samples=binary(low_y=0.5, high_y=2.0, complex_too=False),
)


def _share(d, x, y, least):
    """The part of `d` that belongs to the extreme's operand x: all, none, or half at a tie. NaN operands keep it."""
    if type(d) in RAW and type(x) in RAW and type(y) in RAW:
        return _part(np, d, x, y, least)
    return extreme_part(d, x, y, least)


def _part(xp, d, x, y, least):
    above = operator.lt if least else operator.gt
    if type(d) is ndarray and d.ndim and d.dtype in BITS and type(x) in RAW and type(y) in RAW:
        mine = above(x, y)
        if np.shape(mine) == d.shape and np.count_nonzero(mine) + np.count_nonzero(above(y, x)) == mine.size:
            return keep_where(d, mine)  # no ties and no NaN
    return _parted(xp.where, d, x, y, above)


def _parted(choose, d, x, y, above):
    tie = x == y
    mine = above(x, y) | tie | (x != x)
    theirs = above(y, x) | tie | (y != y)
    return choose(mine & theirs, 0.5 * d, choose(mine, d, 0.0))


def _part_samples(rng):
    x, y = np.array([1.0, 2.0, 2.0, np.nan, 1.0, np.nan]), np.array([2.0, 1.0, 2.0, 1.0, np.nan, np.nan])
    out = [Sample(d, x, y, params={"least": least}) for least in (False, True)
           for d in (rng.normal(size=6), rng.normal(size=6) + 1j, rng.normal(size=6).astype(np.float32))]
    few = {"least": True}
    return [*[Sample(rng.normal(size=s), *rng.normal(size=(2, *s)), params=few) for s in ((), (3,), (2, 3), (0,))],
            *out, Sample(rng.normal(size=3), x[:3], x[:3] + 1j, params=few),
            Sample(rng.normal(size=3), rng.normal(size=(2, 3)), rng.normal(size=(2, 1)), params=few),
            Sample(rng.normal(size=(2, 1)), rng.normal(size=3), 0.0, params=few),
            Sample(*rng.normal(size=(3, 3)).astype(np.float32), params=few)]


extreme_part = elementwise(
    "extreme_part",  # of d, what belongs to x where x and y have an extreme: the smaller if `least`, else the larger
    impl=lambda xp, d, x, y, *, least: _part(xp, d, x, y, least),
    lower=lambda d, x, y, least: _parted(where, d, x, y, less if least else greater),
    jvp={"d": lambda dd, x, y, least: _share(dd, x, y, least)},
    vjp={"d": lambda ct, x, y, least: _share(ct, x, y, least)},
    nondiff="x, y",
    zeros=True,
    linear=("d",),
    samples=_part_samples,
)


def _bounded(x, bound, op, above):
    """An extreme of an array and a number, and where the array won; None at ties and NaN, which share otherwise."""
    mine = above(x, bound)
    if np.count_nonzero(mine) + np.count_nonzero(above(bound, x)) != mine.size:
        return None
    return keep_where(x, mine) if bound == 0 and x.dtype in BITS else op(x, bound), mine


def extreme(name, op, share, samples, **facts):
    """A larger or smaller of two; `share(d, x, y)` is the part of `d` that belongs to x."""

    def share_x(ct, x, y):
        return share(ct, x, y)

    def share_y(ct, x, y):
        return share(ct, y, x)

    return elementwise(
        name,
        impl=lambda xp, x, y: getattr(xp, name)(x, y),
        jvp={"x": share_x, "y": share_y},
        vjp={"x": share_x, "y": share_y},
        op=op,
        zeros=True,
        samples=together(binary(), samples),
        **facts,
    )


def _extreme(name, op, least):
    """maximum and minimum."""
    above = operator.lt if least else operator.gt
    return extreme(
        name, op, lambda d, x, y: _share(d, x, y, least),
        lambda rng: [Sample(np.array([1.0, 2.0]), np.array([1.0, 3.0]), smooth=False)],
        bounds=(lambda x, bound: _bounded(x, bound, op, above), where.prim.rule((1,), True)),
    )


maximum = _extreme("maximum", np.maximum, False)
minimum = _extreme("minimum", np.minimum, True)

cast = linear(
    "cast",  # to floating or complex; casts to integers and bool go through `cast_flat`
    impl=lambda xp, x, *, dtype: cast_array(xp, x, dtype),
    transpose=lambda ct, x_aval: cast_back(ct, x_aval.dtype),
    shape=lambda x, dtype: make_aval(x.shape, np.dtype(dtype)),
    batch=lambda x, dtype: cast(x, dtype=dtype),
    depends=ELEMENTS,
    own_width=True,
    samples=lambda rng: [Sample(rng.normal(size=(2, 3)), params={"dtype": np.dtype(t)}, tol=1e-2 if t == "f4" else 1e-6)
                         for t in ("f4", "f8", "c16")]
    + [Sample(rng.normal(size=()), params={"dtype": np.dtype("f4")}, tol=1e-2),
       Sample(rng.normal(size=0), params={"dtype": np.dtype("f4")}),
       Sample(rng.normal(size=3).astype(np.float32), params={"dtype": np.dtype("f8")}),
       Sample(rng.normal(size=3) + 1j, params={"dtype": np.dtype("c8")}, tol=1e-2)],
)
cast_flat = elementwise(
    "cast_flat",
    impl=lambda xp, x, *, dtype: xp.asarray(x).astype(dtype),
    lower=Loop(ndarray.astype),
    d=ZERO,
    samples=lambda rng: [Sample(rng.normal(size=s).astype(f), params={"dtype": np.dtype(t)})
                         for t in (int, bool) for s, f in (((), "f8"), (3, "f8"), (0, "f8"), (3, "f4"))]
    + [Sample(rng.normal(size=3) + 1j, params={"dtype": np.dtype(bool)})],
)


def strong(x):
    """A tracer; that of a Python number becomes one of an array, which promotes as NumPy's arrays do."""
    return astype(x, x.dtype) if x.aval.weak else x


def as_array(x):
    """`x` as NumPy's `asarray` gives it, for whose promotion Python numbers have a dtype of their own."""
    if isinstance(x, Tracer):
        return strong(x)
    return x if hasattr(x, "dtype") else np.asarray(x)


def array_beside(x, value):
    """`value` as an array of the dtype that it has beside `x`, where it is a number of Python or weakly typed."""
    if type(value) in (bool, int, float, complex):
        return np.asarray(value, result_dtype(x, value))
    if isinstance(value, Tracer) and value.aval.weak:
        return astype(value, result_dtype(x, value))
    return value if hasattr(value, "dtype") else np.asarray(value)


def astype(x, dtype):
    """`x` in `dtype`; integers and booleans are constants to derivatives."""
    dtype = np.dtype(dtype)
    if is_inexact(dtype):
        return cast(x, dtype=dtype)
    make_aval((), dtype)  # refuses dtypes other than numbers and booleans
    return cast_flat(x, dtype=dtype)
