"""Identities that raise at values where a derivative does not exist or is not determined."""

import numpy as np

from ...errors import at_user_line
from ...primitive.families import primitive
from ...primitive.primitive import REGISTRY, NotLowered
from ..dependence import ELEMENTS, lines, numbered
from ..samples import Sample, unary
from ..selection import where
from ..shaping import broadcast_to
from .products import lift

# What a derivative does at repeated values; see docs/conventions.md.
RAISE, FINITE, INVARIANT = "raise", "finite", "invariant-only"
_FEW = 1000  # elements whose bytes are compared in less time than themselves


def tiny(w):
    """Below this, relative to the largest of the values `w`, two of them are equal, up to rounding.

    LAPACK separates repeated eigenvalues by up to 7 roundings, for any size up to 300; random symmetric matrices of
    that size have gaps of 4000 even in single precision.
    """
    return 32 * float(np.finfo(w.dtype).eps)


def nought(w):
    """Below this, relative to the largest of the values `w`, one of them is 0, up to rounding.

    In place of a singular value 0 LAPACK finds up to 1 rounding, of a 0 on the diagonal of R up to 3, for any size up
    to 300. One of 8 is none: its derivative exists, and training that drives a value towards 0 passes there.
    """
    return 4 * float(np.finfo(w.dtype).eps)


def largest(xp, x):
    """The largest size of an element of each matrix, or 0."""
    if not x.size:
        return xp.zeros((1, 1), np.float64)
    return xp.max(xp.abs(x), axis=(-2, -1))[..., None, None]


def _regular(xp, x, triangular, about, remedy):
    if x.size:
        if triangular:
            rows = xp.asarray(np.arange(x.shape[-1]))
            s = xp.abs(x[..., rows, rows])
            limit = nought(s) * largest(xp, x)[..., 0]
        else:
            s = xp.linalg.svd(x, compute_uv=False)
            limit = nought(s) * s[..., :1]
        if bool(xp.any(s <= limit)):
            raise np.linalg.LinAlgError(f"{about}, but one of shape {x.shape} is singular; {remedy}"
                                        f"{at_user_line()}")
    return x.copy()


def _lowered_regular(x, triangular, about, remedy):
    """Triangular matrices; that their diagonals have no element of 0 is a pivot: 0 raises."""
    if not triangular or not x.size or x.dtype.kind != "f":
        raise NotLowered
    largest, least, any_of = (REGISTRY[name].fun for name in ("reduce_max", "reduce_min", "reduce_any"))
    sizes, axes = abs(x), (x.ndim - 2, x.ndim - 1)
    diagonal = where(np.eye(x.shape[-1], dtype=bool), sizes, np.inf)
    singular = least(diagonal, axes, False) <= nought(x) * largest(sizes, axes, False)
    singular = any_of(singular, tuple(range(x.ndim - 2)), False) if x.ndim > 2 else singular
    return where(pivot(where(singular, x.dtype.type(0), x.dtype.type(1))) == 0, np.nan, x)


def _regular_samples(rng):
    params = {"about": "this needs an invertible matrix", "remedy": "use another one"}
    a = rng.normal(size=(2, 3, 3)) + 5 * np.eye(3)
    return [Sample(x, params=params | {"triangular": triangular})
            for x in (a, a[0], a.astype("f4"), a * (1 + 1j), a[:0]) for triangular in (False, True)]


regular = primitive(
    "regular",  # x itself; singular matrices raise, triangular ones by their diagonal
    impl=lambda xp, x, *, triangular, about, remedy: _regular(xp, x, triangular, about, remedy),
    lower=_lowered_regular,
    shape=lambda x: x,
    jvp={"x": lambda dx: dx},
    vjp={"x": lambda ct: ct},
    linear=("x",),
    batch=lambda x, triangular, about, remedy: regular(x, triangular, about, remedy),
    depends=ELEMENTS,
    samples=_regular_samples,
    absent={"()": "its operand is a matrix"},
)


def _invertible(xp, x, sign, ct):
    singular = sign == 0
    if not bool(xp.any(singular)):
        return x.copy()
    if bool(xp.any(singular & (ct != 0))):
        raise np.linalg.LinAlgError(
            f"slogdet has no derivative at a singular matrix, where log |det| is -inf, but one of shape {x.shape} is "
            "singular; use det, whose derivative is finite there, or add a small multiple of the identity"
            f"{at_user_line()}")
    return xp.where(singular[..., None, None], xp.asarray(np.nan, x.dtype), x)


def _invertible_batch(x, sign, ct, batched, size):
    rank = max(v.ndim - b for v, b in zip((sign, ct), batched[1:]))
    rank = max(rank, x.ndim - 2 - batched[0]) + 1
    sign, ct = (lift(v, rank) if b else v for v, b in zip((sign, ct), batched[1:]))
    return invertible(lift(x, rank + 2) if batched[0] else broadcast_to(x, (size, *x.shape)), sign, ct)


def _lowered_invertible(x, sign, ct):
    singular = sign == 0
    return where(singular.reshape((*sign.shape, 1, 1)), np.nan, refused(x, singular & (ct != 0)))


def _invertible_samples(rng):
    a = rng.normal(size=(2, 3, 3)) + 5 * np.eye(3)
    return [Sample(x, np.ones(x.shape[:-2]), np.zeros(x.shape[:-2])) for x in (a, a[0], a.astype("f4"), a * 1j, a[:0])]


invertible = primitive(
    "invertible",  # x: (..., n, n) itself; of one whose sign: (...) is 0 NaN, which a ct: (...) that is not 0 refuses
    impl=lambda xp, x, sign, ct: _invertible(xp, x, sign, ct),
    shape=lambda x: x,
    lower=_lowered_invertible,
    nondiff="sign, ct",
    jvp={"x": lambda dx: dx},
    vjp={"x": lambda ct: ct},
    batch=_invertible_batch,
    depends=lambda x: {0: (numbered(x.shape),) * 2},
    samples=_invertible_samples,
    absent={"()": "its operand is a matrix"},
)


def _pivot(xp, x):
    if bool(xp.any(x == 0)):
        raise np.linalg.LinAlgError(f"a pivot is 0, so that the matrix is singular; use lstsq or pinv{at_user_line()}")
    return x.copy() if hasattr(x, "copy") else x


pivot = primitive(
    "pivot",  # x itself, what an elimination divides by; 0 raises
    impl=lambda xp, x: _pivot(xp, x),
    shape=lambda x: x,
    jvp={"x": lambda dx: dx},
    vjp={"x": lambda ct: ct},
    linear=("x",),
    batch=lambda x: pivot(x),
    depends=ELEMENTS,
    samples=unary(),
)


def _of_triangle(xp, x, upper):
    turned = x.swapaxes(-1, -2)
    if x.dtype.kind == "c":
        turned = xp.conj(turned)
    elif x.size < _FEW and xp is np and x.tobytes() == turned.tobytes():  # 0.4 us for 1.7
        return x.copy()
    if not x.size or bool((x == turned).all()):
        return x.copy()
    rows = xp.asarray(np.arange(x.shape[-1]))
    out = xp.where(rows[:, None] <= rows if upper else rows[:, None] >= rows, x, turned)
    if x.dtype.kind == "c":
        out[..., rows, rows] = out[..., rows, rows].real  # LAPACK reads no other part of them
    return out


def _lowered_triangle(x, upper):
    rows = np.arange(x.shape[-1])
    return where(rows[:, None] <= rows if upper else rows[:, None] >= rows, x, x.swapaxes(-1, -2))


def _of_triangle_samples(rng):
    a = rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3))
    # No finite differences: they would leave the Hermitian matrices.
    return [Sample(x, params={"upper": upper}, smooth=False)
            for x in (a.real[0], a.real.astype("f4"), a, a[:0], (a + a.swapaxes(-1, -2).conj())[0])
            for upper in (False, True)]


of_triangle = primitive(
    "of_triangle",  # the Hermitian matrices of one triangle, as LAPACK reads them; changes are taken for Hermitian ones
    impl=lambda xp, x, *, upper: _of_triangle(xp, x, upper),
    lower=_lowered_triangle,
    shape=lambda x: x,
    jvp={"x": lambda dx: dx},
    vjp={"x": lambda ct: ct},
    batch=lambda x, upper: of_triangle(x, upper),
    depends=lambda x: lines(x, (x.ndim - 2, x.ndim - 1)),
    samples=_of_triangle_samples,
    absent={"()": "its operand is a matrix"},
)


def refused(x, lost):
    """In a lowering: `x`, which NumPy computes anew, and raises, where a condition holds: that is a pivot of 0."""
    lost = REGISTRY["reduce_any"].fun(lost, tuple(range(lost.ndim)), False) if lost.ndim else lost
    return where(pivot(where(lost, x.dtype.type(0), x.dtype.type(1))) == 0, np.nan, x)


def _repeated(xp, w, zero):
    """Tell of each of the values whether it is there twice, or 0."""
    most = xp.max(xp.abs(w), axis=-1)[..., None]
    same = xp.sum(xp.abs(w[..., :, None] - w[..., None, :]) <= (tiny(w) * most)[..., None], axis=-1) > 1
    return same | (xp.abs(w) <= nought(w) * most) if zero else same


def not_small(xp, x, *beside):
    """Tell which elements are more than rounding beside the largest of some matrices."""
    first, second = [largest(xp, y) for y in beside]
    return xp.abs(x) > float(np.finfo(x.dtype).eps) ** 0.5 * xp.maximum(first, second)


def real_matrices(x):
    """Refuse to lower what has no elements, or is complex."""
    if x.dtype.kind != "f" or not x.size:
        raise NotLowered


def _lowered_apart(x, w, beside, about, zero):
    real_matrices(x)
    if w.shape[-1] < 2 - zero:
        return where(True, x, x)
    return refused(x, _repeated(np, w, zero)[..., None, :] & not_small(np, x, x, beside))


def _apart(xp, x, w, beside, about, zero):
    if x.size and w.shape[-1] > 1 - zero:
        same = _repeated(xp, w, zero)
        if not bool(xp.any(same)):
            return x.copy()
        if bool(xp.any(same[..., None, :] & not_small(xp, x, x, beside))):
            raise np.linalg.LinAlgError(
                f"the derivative of a function of {about} was requested where their value is repeated"
                f"{' (or is a singular value of 0)' if zero else ''}: there the matrix does not determine them; use "
                "eigvalsh, svdvals or pinv where the vectors are not needed, or, for functions that do not depend on "
                "the choice, `with covector.numpy.linalg.repeated_values('finite'):` (or 'invariant-only', which "
                f"checks cotangents of vectors){at_user_line()}"
            )
    return x.copy()


def _apart_batch(x, w, beside, batched, size, about, zero):
    rank = max(x.ndim - batched[0], w.ndim + 1 - batched[1], beside.ndim - batched[2]) + 1
    x, beside = (lift(v, rank) if b else v for v, b in ((x, batched[0]), (beside, batched[2])))
    w = lift(w, rank - 1) if batched[1] else w
    if not batched[0]:  # only what it is compared with is batched
        x = broadcast_to(x, (size, *x.shape))
    return apart(x, w, beside, about=about, zero=zero)


def _apart_samples(rng):
    out = []
    for shape, lead, zero in (((4, 3), (), True), ((2, 1, 2), (2,), False), ((2, 3, 2), (), True), ((0, 0), (), False)):
        x = rng.normal(size=shape)
        w = np.cumsum(rng.uniform(0.5, 1.5, (*lead, shape[-1])), axis=-1)
        beside = rng.normal(size=(*lead, 4, shape[-1]))
        params = {"about": "vectors", "zero": zero}
        out += [Sample(z, w, beside, params=params) for z in (x, x.astype("f4"), x + 1j)]
    return out


apart = primitive(
    "apart",  # x: (..., m, n) itself; raises where a column is not 0 though its value in w: (..., n) is repeated (or 0)
    # beside: what is small against it counts as rounding
    impl=lambda xp, x, w, beside, *, about, zero: _apart(xp, x, w, beside, about, zero),
    lower=_lowered_apart,
    shape=lambda x: x,
    nondiff="w, beside",
    jvp={"x": lambda dx, w, beside, about, zero: apart(dx, w, beside, about, zero)},
    vjp={"x": lambda ct: ct},
    linear=("x", "x, beside"),
    batch=_apart_batch,
    depends=lambda x: {0: (numbered(x.shape),) * 2},
    samples=_apart_samples,
    absent={"()": "its operand is a matrix"},
)


def _rough(s, used):
    """Tell where functions of singular values are not smooth; `used` are "all", the "largest" or "extremes"."""
    found = (s[..., :1] if used == "largest" else s) <= nought(s) * s[..., :1]
    if used == "extremes" and s.shape[-1] > 1:
        return found | (s[..., :1] - s[..., -1:] <= tiny(s) * s[..., :1])
    return found


def _smooth(xp, x, s, used):
    if s.shape[-1] and bool(_rough(s, used).any()):
        raise np.linalg.LinAlgError(
            "the second derivative of a function of singular values was requested where one of them is 0 (or the ratio "
            "of equal ones): it is not smooth there, and from a slope that was chosen no derivative follows; use "
            "(abs(x) ** 2).sum() for the sum of squares, norm(x, 2) where only the largest is meant, or move the matrix"
            f"{at_user_line()}")
    return x.copy()


def _of_values(rng):
    out = []
    for used in ("all", "largest", "extremes"):
        x, s = rng.normal(size=(2, 3, 2)), np.array([[3.0, 1.0], [2.0, 0.5]])
        out += [Sample(x[0], s[0], params={"used": used}), Sample(x[0].astype("f4"), s[0].astype("f4"), params={
            "used": used}), Sample(x + 1j, s, params={"used": used}), Sample(x[:0], s[:0], params={"used": used})]
    return out


def _rows_in_front(values, batched, size):
    return [v if b else broadcast_to(v, (size, *v.shape)) for v, b in zip(values, batched)]


smooth = primitive(
    "smooth",  # x: (..., m, k) itself; raises where functions of the singular values s: (..., k) are not smooth
    impl=lambda xp, x, s, *, used: _smooth(xp, x, s, used),
    lower=lambda x, s, used: real_matrices(x) or refused(x, _rough(s, used)),
    shape=lambda x: x,
    nondiff="s",
    jvp={"x": lambda dx, s, used: smooth(dx, s, used)},
    vjp={"x": lambda ct, s, used: smooth(ct, s, used)},
    linear=("x",),
    batch=lambda x, s, used, batched, size: smooth(*_rows_in_front((x, s), batched, size), used),
    depends=lambda x: {0: (numbered(x.shape),) * 2},
    samples=_of_values,
    absent={"()": "its operand is a matrix"},
)
chosen = primitive(
    "chosen",  # x itself, of a rule that chose slopes where it is not smooth: its derivative is refused there
    impl=lambda xp, x, s, *, used: x.copy(),
    lower=lambda x, s, used: where(True, x, x),
    shape=lambda x: x,
    nondiff="s",
    jvp={"x": lambda dx, s, used: smooth(dx, s, used)},
    vjp={"x": lambda ct, s, used: smooth(ct, s, used)},
    batch=lambda x, s, used, batched, size: chosen(*_rows_in_front((x, s), batched, size), used),
    depends=lambda x: {0: (numbered(x.shape),) * 2},
    samples=_of_values,
    absent={"()": "its operand is a matrix"},
)


def _unlike(xp, x, w):
    limit = tiny(w) * xp.max(xp.abs(w), axis=-1)[..., None, None]
    same = xp.abs(w[..., :, None] - w[..., None, :]) <= limit
    size = xp.max(xp.abs(x), axis=-1)[..., None, None]
    apart_by = xp.abs(x[..., :, None] - x[..., None, :])
    return same & (apart_by > float(np.finfo(x.dtype).eps) ** 0.5 * size)


def _alike(xp, x, w, about):
    if x.size and w.shape[-1] > 1:
        if bool(xp.any(_unlike(xp, x, w))):
            raise np.linalg.LinAlgError(
                f"under repeated_values({INVARIANT!r}) the derivative of {about} was requested of a function that "
                f"tells "
                "repeated ones apart, by an order that the matrix does not determine; use a function that is symmetric "
                f"in them, such as their sum, or repeated_values('raise'), which uses the computed "
                f"order{at_user_line()}"
            )
    return x.copy()


def _alike_batch(x, w, batched, size, about):
    rank = max(x.ndim - batched[0], w.ndim - batched[1]) + 1
    x = lift(x, rank) if batched[0] else broadcast_to(x, (size, *x.shape))
    return alike(x, lift(w, rank) if batched[1] else w, about=about)


def _alike_samples(rng):
    out = []
    for shape, lead in (((3,), ()), ((2, 3), (2,)), ((2, 2), ()), ((0,), ()), ((1,), ())):
        x = rng.normal(size=shape)
        w = np.cumsum(rng.uniform(0.5, 1.5, (*lead, shape[-1])), axis=-1)
        out += [Sample(z, w, params={"about": "eigenvalues"}) for z in (x, x.astype("f4"), x + 1j)]
    return [*out, Sample(np.array([1.0, 2.0, 2.0]), np.array([3.0, 4.0, 4.0]), params={"about": "eigenvalues"},
                         smooth=False)]


alike = primitive(
    "alike",  # x: (..., n) itself; raises where elements differ whose values in w: (..., n) are equal
    impl=lambda xp, x, w, *, about: _alike(xp, x, w, about),
    lower=lambda x, w, about: real_matrices(x) or refused(x, _unlike(np, x, w)),
    shape=lambda x: x,
    nondiff="w",
    jvp={"x": lambda dx: dx},
    vjp={"x": lambda ct: ct},
    linear=("x",),
    batch=_alike_batch,
    depends=lambda x: {0: (numbered(x.shape),) * 2},
    samples=_alike_samples,
    absent={"()": "its operand is a vector"},
)


def _distinct_or_nan(xp, x, inner, w):
    """`x`, NaN where the values w_i and w_j are equal and `inner` is not 0 between them."""
    if not x.size or w.shape[-1] < 2:
        return x.copy()
    if not bool(xp.any(_equal_values(xp, w))):
        return x.copy()
    return _with_nan(xp, x, inner, w)


def _equal_values(xp, w):
    limit = tiny(w) * xp.max(xp.abs(w), axis=-1)[..., None, None]
    return (xp.abs(w[..., :, None] - w[..., None, :]) <= limit) & ~xp.asarray(np.eye(w.shape[-1], dtype=bool))


def _with_nan(xp, x, inner, w):
    same = _equal_values(xp, w)
    turned = xp.conj(inner.swapaxes(-1, -2))
    lost = same & (xp.abs(inner + turned) > float(np.finfo(inner.dtype).eps) ** 0.5 * largest(xp, inner))
    return xp.where(xp.any(lost, axis=-1), x.dtype.type(np.nan), x)


def _distinct_batch(x, inner, w, batched, size):
    rank = max(x.ndim - batched[0], inner.ndim - 1 - batched[1], w.ndim - batched[2]) + 1
    x, w = (lift(v, rank) if b else v for v, b in ((x, batched[0]), (w, batched[2])))
    return distinct_or_nan(x if batched[0] else broadcast_to(x, (size, *x.shape)),
                           lift(inner, rank + 1) if batched[1] else inner, w)


def _distinct_samples(rng):
    out = []
    for shape in ((3,), (2, 3), (0,), (1,)):
        x, inner = rng.normal(size=shape), rng.normal(size=(*shape, shape[-1]))
        w = np.cumsum(rng.uniform(0.5, 1.5, shape), axis=-1)
        out += [Sample(z, inner, w) for z in (x, x.astype("f4"), x + 1j)]
    return out


distinct_or_nan = primitive(
    "distinct_or_nan",  # x: (..., n) itself; NaN where inner: (..., n, n) mixes vectors of equal values w: (..., n)
    impl=lambda xp, x, inner, w: _distinct_or_nan(xp, x, inner, w),
    lower=lambda x, inner, w: real_matrices(x) or _with_nan(np, x, inner, w),
    shape=lambda x: x,
    nondiff="inner, w",
    jvp={"x": lambda dx, inner, w: distinct_or_nan(dx, inner, w)},
    vjp={"x": lambda ct, inner, w: distinct_or_nan(ct, inner, w)},
    linear=("x", "x, inner"),
    batch=_distinct_batch,
    depends=lambda x: {0: (numbered(x.shape),) * 2},
    samples=_distinct_samples,
    absent={"()": "its operand is a vector"},
)


def cuts(xp, a, rcond):
    """Tell whether a pseudo-inverse with this `rcond` leaves out singular values that are not 0, up to rounding."""
    zero = max(2.0**-26, tiny(a))  # relative to the largest; what is cut off changes the derivative by as much
    if not a.size or not bool(xp.any(rcond > zero)):
        return False
    s = xp.linalg.svd(a, compute_uv=False)
    return bool(xp.any((s <= rcond[..., None] * s[..., :1]) & (s > zero * s[..., :1])))


def _cut(xp, x, a, rcond):
    if cuts(xp, a, rcond):
        raise np.linalg.LinAlgError(
            "the pseudo-inverse cut off singular values that are not 0 (rcond is above them), where its derivative is "
            "not that along matrices of one rank; under vmap and in graphs omit rcond, or write the result with the "
            "vectors of svd and np.where(s > limit, 1 / s, 0)"
        )
    return x.copy()


def _lowered_cut(x, a, rcond):
    real_matrices(x)
    s, zero = REGISTRY["svdvals"].fun(a, FINITE, "all"), max(2.0**-26, tiny(a))
    lost = (s <= rcond[..., None] * s[..., :1]) & (s > zero * s[..., :1])
    return refused(x, lost & (rcond > zero)[..., None])


def _cut_batch(x, a, rcond, batched, size):
    rank = max(x.ndim - batched[0], a.ndim - batched[1], rcond.ndim + 2 - batched[2]) + 1
    x, a = (lift(v, rank) if b else v for v, b in ((x, batched[0]), (a, batched[1])))
    rcond = lift(rcond, rank - 2) if batched[2] else rcond
    return cut(x if batched[0] else broadcast_to(x, (size, *x.shape)), a, rcond)


def _cut_samples(rng):
    out = []
    for shape in ((3, 2), (2, 3, 3), (0, 2, 2)):
        x, a = rng.normal(size=shape).swapaxes(-1, -2), rng.normal(size=shape)
        out += [Sample(z, a, np.asarray(1e-14)) for z in (x, x.astype("f4"), x + 1j)]
    return [*out, Sample(np.eye(2), np.diag([1.0, 0.5]), np.asarray(0.25)),
            Sample(np.ones((2, 2, 2)), np.stack([np.eye(2), np.diag([1.0, 0.5])]), np.array([0.5, 0.25]))]


cut = primitive(
    "cut",  # x: (..., n, m) itself; raises where a pseudo-inverse of a: (..., m, n) cuts off values that are not 0
    impl=lambda xp, x, a, rcond: _cut(xp, x, a, rcond),
    lower=_lowered_cut,
    shape=lambda x: x,
    nondiff="a, rcond",
    jvp={"x": lambda dx: dx},
    vjp={"x": lambda ct: ct},
    linear=("x",),
    batch=_cut_batch,
    depends=lambda x: {0: (numbered(x.shape),) * 2},
    samples=_cut_samples,
    absent={"()": "its operand is a matrix"},
)
