"""Systems of banded matrices, stored by their diagonals as LAPACK has them."""


from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ..indexing.pairs import real
from ..samples import Sample
from ..shaping import concatenate, stack
from .library import aligned, linalg, stacked


def _shifted(x, k):
    """Rows moved by `k` along the last axis: element j is x[…, j + k], 0 beyond the ends."""
    n = x.shape[-1]
    if not k or not n:
        return x
    none = x[..., : min(abs(k), n)] * 0.0
    return concatenate(x[..., k:], none, axis=x.ndim - 1) if k > 0 else concatenate(
        none, x[..., : max(n + k, 0)], axis=x.ndim - 1)


def turned_band(ab, lower, upper):
    """The diagonals of the conjugate transpose: its row `lower + d` is row `upper - d`, moved by d."""
    rows = [conj(_shifted(ab[..., upper - d, :], d)) for d in range(-lower, upper + 1)]
    return stack(*rows, axis=ab.ndim - 2)


def band_times(ab, x, lower, upper):
    """The product of the banded matrix and columns x: (…, n, k). Element (i, j) lies in ab[upper + i - j, j]."""
    turned = x.swapaxes(-1, -2)  # rows of length n
    total = 0.0
    for d in range(-upper, lower + 1):  # d = i - j
        total = total + _shifted(ab[..., None, upper + d, :] * turned, -d)
    return total.swapaxes(-1, -2)


def _outer_band(y, x, lower, upper):
    """The diagonals of y xᴴ, columns summed: of row `upper + d`, element j is Σ y[j + d] conj(x[j])."""
    y, x = y.swapaxes(-1, -2), conj(x.swapaxes(-1, -2))
    rows = [(_shifted(y, d) * x).sum(axis=-2) for d in range(-upper, lower + 1)]
    return stack(*rows, axis=rows[0].ndim - 1)


def _shape(name):
    def shape(ab, b):
        if ab.ndim < 2 or b.ndim < 2 or b.shape[-2] != ab.shape[-1]:
            raise ShapeError(f"{name} needs ab of shape (diagonals, n) and b of shape (n,) or (n, k), but got "
                             f"{ab.shape} and {b.shape}; reshape b{at_user_line()}")
        lead = broadcast_shape(name, [ab.shape[:-2], b.shape[:-2]])
        return make_aval((*lead, *b.shape[-2:]), float_dtype(result_dtype(ab, b)))

    return shape


def _solve(xp, ab, b, lower, upper):
    return stacked(xp, "solve_banded", lambda ab, b: linalg.solve_banded((lower, upper), ab, b), b.shape[-2:], ab, b)


def _vjp(ct, ab, ans, lower, upper):
    """As that of `solve`, Giles (2008), section 2.2.5: b̄ = A⁻ᴴ c̄, and of -b̄ xᴴ the diagonals that are stored."""
    b = solve_banded(turned_band(ab, lower, upper), ct, upper, lower)
    return -_outer_band(b, ans, lower, upper), b


def _samples(rng):
    out = []
    for lower, upper, n, lead in ((1, 1, 4, ()), (2, 1, 4, (2,)), (0, 1, 3, ()), (1, 2, 5, ()), (0, 0, 2, ()),
                                  (1, 1, 3, (0,)), (2, 2, 3, ())):
        for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
            ab = 0.3 * (rng.normal(size=(*lead, lower + upper + 1, n)) + c)
            ab[..., upper, :] += 2.0
            b = rng.normal(size=(*lead, n, 2)) * (1.0 + c)
            out.append(Sample(ab.astype(dtype), b.astype(dtype), params={"lower": lower, "upper": upper}, tol=1e-5))
    return out


solve_banded = primitive(
    "solve_banded",  # ab: (…, lower + upper + 1, n), element (i, j) in ab[upper + i - j, j]; b: (…, n, k)
    host=True,
    impl=lambda xp, ab, b, *, lower, upper: _solve(xp, ab, b, lower, upper),
    shape=_shape("solve_banded"),
    jvp={"ab": lambda dab, ab, ans, lower, upper: -solve_banded(ab, band_times(dab, ans, lower, upper), lower, upper),
         "b": lambda db, ab, lower, upper: solve_banded(ab, db, lower, upper)},
    vjp={"ab, b": _vjp},
    linear=("b",),
    batch=lambda ab, b, batched, lower, upper: solve_banded(*aligned((ab, b), batched), lower, upper),
    blocks=2,
    samples=_samples,
    absent={"()": "its operands are matrices"},
)


def _positive(xp, ab, b, lower):
    return stacked(xp, "solveh_banded", lambda ab, b: linalg.solveh_banded(ab, b, lower=lower), b.shape[-2:], ab, b)


def _whole(ab, lower):
    """All diagonals of the Hermitian matrix of which one triangle is stored; its diagonal is real."""
    k = ab.shape[-2] - 1
    rows = [ab[..., d if lower else k - d, :] for d in range(k + 1)]
    middle = rows[0]
    middle = real(middle) + 0.0 * middle if ab.dtype.kind == "c" else middle
    others = [conj(_shifted(rows[d], -d if lower else d)) for d in range(1, k + 1)]
    above, below = (others, rows[1:]) if lower else (rows[1:], others)
    return stack(*above[::-1], middle, *below, axis=ab.ndim - 2)


def _half(band, lower):
    """The adjoint of `_whole`: what the stored triangle gets of all diagonals."""
    k = (band.shape[-2] - 1) // 2
    middle = band[..., k, :]
    middle = real(middle) + 0.0 * middle if band.dtype.kind == "c" else middle
    rows = [middle]
    for d in range(1, k + 1):
        above, below = band[..., k - d, :], band[..., k + d, :]
        rows.append(below + conj(_shifted(above, d)) if lower else above + conj(_shifted(below, -d)))
    return stack(*(rows if lower else rows[::-1]), axis=band.ndim - 2)


def _positive_vjp(ct, ab, ans, lower):
    b = solveh_banded(ab, ct, lower)
    k = ab.shape[-2] - 1
    return -_half(_outer_band(b, ans, k, k), lower), b


def _positive_jvp(dab, ab, ans, lower):
    k = ab.shape[-2] - 1
    return -solveh_banded(ab, band_times(_whole(dab, lower), ans, k, k), lower)


def _positive_samples(rng):
    out = []
    for k, n, lead, lower in ((1, 4, (), False), (2, 4, (2,), True), (0, 3, (), True), (1, 3, (0,), False),
                              (2, 3, (), False), (1, 2, (), True)):
        for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
            ab = 0.3 * (rng.normal(size=(*lead, k + 1, n)) + c * rng.normal(size=(*lead, k + 1, n)))
            ab[..., 0 if lower else k, :] = 2.0 + rng.uniform(size=n)
            b = rng.normal(size=(*lead, n, 2)) * (1.0 + c)
            out.append(Sample(ab.astype(dtype), b.astype(dtype), params={"lower": lower}, tol=1e-5))
    return out


solveh_banded = primitive(
    "solveh_banded",  # ab: (…, k + 1, n), one triangle of a positive definite matrix; b: (…, n, m)
    host=True,
    impl=lambda xp, ab, b, *, lower: _positive(xp, ab, b, lower),
    shape=_shape("solveh_banded"),
    jvp={"ab": _positive_jvp, "b": lambda db, ab, lower: solveh_banded(ab, db, lower)},
    vjp={"ab, b": _positive_vjp},
    linear=("b",),
    batch=lambda ab, b, batched, lower: solveh_banded(*aligned((ab, b), batched), lower),
    blocks=2,
    samples=_positive_samples,
    absent={"()": "its operands are matrices"},
)
