"""Division by gaps between eigenvalues or singular values, with the policy for repeated ones."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import real_dtype, result_dtype
from ...errors import at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ...trace.device import zeros_of
from ..dependence import cores
from ..samples import Sample
from ..selection import where
from ..shaping import broadcast_to
from .decompositions import adjoint
from .guards import FINITE, INVARIANT, distinct_or_nan, largest, not_small, nought, real_matrices, refused, tiny
from .products import lift, matmul

ADDED = "vectors added to complete the factor"


def _part(xp, x, part):
    if part in ("whole", "phased"):
        return x
    turned = xp.conj(xp.swapaxes(x, -1, -2))
    return (x + turned) / 2 if part == "hermitian" else (x - turned) / 2


def _denominators(w, kind):
    if kind == "scale":
        return w[..., None, :]
    return w[..., None, :] - w[..., :, None] if kind == "gap" else w[..., None, :] + w[..., :, None]


def _quotient(xp, x, w, beside, kind, part, repeated, about):
    if not x.size or not w.size:
        lead = np.broadcast_shapes(x.shape[:-2], w.shape[:-1])
        return xp.zeros((*lead, *x.shape[-2:]), result_dtype(x, w))
    top, bottom, none = _fraction(xp, x, w, kind, part)
    if repeated != FINITE:
        _check(xp, x, top, none, beside, kind, part, repeated, about)
    return xp.where(none, 0, top) / xp.where(none, 1, bottom)


def _fraction(xp, x, w, kind, part):
    """Numerators, denominators, and which of these are 0."""
    least = tiny(w) if kind == "gap" else nought(w) * (2 if kind == "sum" else 1)  # a sum of two is 0 if both are
    limit = least * xp.max(xp.abs(w), axis=-1)[..., None, None]
    bottom = _denominators(w, kind)
    return _part(xp, x, part), bottom, xp.abs(bottom) <= limit


def _lowered_quotient(x, w, beside, kind, part, repeated, about):
    real_matrices(x)
    top, bottom, none = _fraction(np, x, w, kind, part)
    out = where(none, 0.0, top) / where(none, 1.0, bottom)
    if repeated == FINITE:
        return out
    lost = none & ~np.eye(x.shape[-1], dtype=bool) if kind == "gap" else none
    return refused(out, lost & not_small(np, top, x, beside))


def _check(xp, x, top, none, beside, kind, part, repeated, about):
    """Raise where a quotient has no value: the caller's output depends on what the matrix does not determine."""
    eye = xp.asarray(np.eye(x.shape[-1], dtype=bool)) if kind == "gap" else None
    turning = kind == "gap" and part in ("skew", "phased") and x.dtype.kind == "c"
    none = none if eye is None else none & ~eye
    if not turning and not bool(xp.any(none)):
        return
    eps = float(np.finfo(x.dtype).eps)
    size = xp.maximum(largest(xp, x), largest(xp, beside))
    if turning:
        turn = xp.where(eye, xp.abs(xp.imag(x)), 0.0)
        if bool(xp.any(turn > eps**0.25 * size)):  # rounding of what cancels is far below, a dependence far above
            raise np.linalg.LinAlgError(
                f"the derivative of {about} was requested of a function that depends on their phases, which the matrix "
                "does not determine; use a quantity that is invariant under multiplication of a vector by exp(i t), "
                f"such as abs(v) or the projector v vᴴ{at_user_line()}"
            )
    if bool(xp.any(none & not_small(xp, top, x, beside))):
        if about == ADDED:
            raise np.linalg.LinAlgError(
                f"the derivative was requested of a function that depends on which {ADDED} were chosen, which the "
                f"matrix "
                "does not determine; use full_matrices=False or mode='reduced', or only the projector v vᴴ on all of "
                f"them{at_user_line()}"
            )
        if repeated == INVARIANT:
            raise np.linalg.LinAlgError(
                f"the derivative of {about} does not exist in the space of a repeated value (or of singular "
                f"value 0), where the matrix does not determine them; repeated_values({INVARIANT!r}) gives only that "
                "of functions to which the choice makes no difference, by reverse mode, once; use a function of the "
                "projector v vᴴ onto all vectors of the value, or repeated_values('finite'), which does not check"
                f"{at_user_line()}"
            )
        raise np.linalg.LinAlgError(
            f"the derivative of {about} does not exist in the space of a repeated value (or of singular value "
            "0): there the matrix does not determine them; use eigvalsh, svdvals or pinv where the vectors are not "
            "needed, or, for functions that do not depend on the choice, "
            f"`with covector.numpy.linalg.repeated_values('finite'):`{at_user_line()}"
        )


def _quotient_shape(x, w):
    lead = broadcast_shape("quotient", [x.shape[:-2], w.shape[:-1]])
    return make_aval((*lead, *x.shape[-2:]), result_dtype(x, w))


def _adjoint_part(kind, part):
    """Antisymmetric denominators exchange the Hermitian and the skew part."""
    if part in ("whole", "phased"):
        return "whole"
    if kind != "gap":
        return part
    return "skew" if part == "hermitian" else "hermitian"


def _by_values(ans, w, kind):
    """-ans / denominators: the derivative of a quotient by its denominators."""
    return -quotient(ans, w, ans, kind=kind, part="whole", repeated=FINITE, about="")


def _quotient_vjp_w(ct, w, ans, kind):
    by = conj(_by_values(ans, w, kind)) * ct
    columns = by.sum(axis=-2)
    if kind == "scale":
        return columns
    return columns - by.sum(axis=-1) if kind == "gap" else columns + by.sum(axis=-1)


def _quotient_batch(x, w, beside, batched, size, kind, part, repeated, about):
    rank = max(x.ndim - 2 - batched[0], w.ndim - 1 - batched[1])
    if batched[0]:
        x = lift(x, rank + 3)
    if batched[1]:
        w = lift(w, rank + 2)
    if not (batched[0] or batched[1]):  # only what the checks compare with is batched
        x = broadcast_to(x, (size, *x.shape))
    if batched[2]:
        beside = lift(beside, max(rank, x.ndim - 3) + 3)
    return quotient(x, w, beside, kind=kind, part=part, repeated=repeated, about=about)


def _weighted_batch(v, c, w, batched, size):
    rank = max(v.ndim - 2 - batched[0], c.ndim - 1 - batched[1], w.ndim - 1 - batched[2])
    v = lift(v, rank + 3) if batched[0] else v
    c, w = (lift(x, rank + 2) if b else x for x, b in ((c, batched[1]), (w, batched[2])))
    return weighted(v if batched[0] or batched[1] else broadcast_to(v, (size, *v.shape)), c, w)


def _quotient_samples(rng):
    out = []
    for kind, parts in (("gap", ("hermitian", "skew", "whole")), ("sum", ("skew", "whole")), ("scale", ("whole",))):
        for part in parts:
            params = {"kind": kind, "part": part, "repeated": FINITE, "about": "vectors"}
            for shape, lead in (((3, 3), ()), ((2, 2, 2), (2,)), ((2, 2, 2), ()), ((0, 0), ())):
                x = rng.normal(size=shape)
                w = np.cumsum(rng.uniform(0.5, 1.5, (*lead, shape[-1])), axis=-1)
                out += [Sample(z, w, x, params=params) for z in (x, x + 1j * rng.normal(size=shape))]
            x = rng.normal(size=(3, 3)).astype("f4")
            out.append(Sample(x, np.arange(1, 4).astype("f4"), x, params=params))
    params = {"kind": "gap", "part": "whole", "repeated": FINITE, "about": "vectors"}
    w = np.array([1.0, 2.0, 1.0]) + 1j * np.array([0.5, -0.5, 2.0])
    x, y = rng.normal(size=(3, 3)), rng.normal(size=(4, 3))
    out.append(Sample(x + 1j * rng.normal(size=(3, 3)), w, x, params=params))
    out.append(Sample(x, np.arange(3.0), x, params=params | {"part": "phased"}))
    out.append(Sample(y, np.array([1.0, 3.0, 2.0]), y, params=params | {"kind": "scale"}))
    out.append(Sample(x, np.array([1.0, 2.0, 2.0]), x, params=params, smooth=False))
    return out


quotient = primitive(
    "quotient",  # x: (..., m, n), w: (..., n): a part of x over w_j - w_i, w_j + w_i, or w_j; 0 over 0
    # beside: what x was computed from; what is small against it counts as rounding when 0 over 0 is checked
    effects="context",
    impl=lambda xp, x, w, beside, *, kind, part, repeated, about: _quotient(
        xp, x, w, beside, kind, part, repeated, about),
    shape=_quotient_shape,
    jvp={
        "x": lambda dx, w, beside, kind, part, repeated, about: quotient(dx, w, beside, kind, part, repeated, about),
        "w": lambda dw, w, ans, kind: _by_values(ans, w, kind) * _denominators(dw, kind),
    },
    vjp={
        "x": lambda ct, w, beside, kind, part, repeated, about: quotient(
            ct, conj(w), beside, kind, _adjoint_part(kind, part), repeated, about),
        "w": _quotient_vjp_w,
    },
    linear=("x", "x, beside"),
    nondiff="beside",
    batch=_quotient_batch,
    depends=lambda x, w, ans: cores(ans.shape, 2, (x.shape, 2), (w.shape, 1)),
    blocks=2,
    lower=_lowered_quotient,
    samples=_quotient_samples,
    absent={"()": "its operands are matrices"},
)


def settled(ct, more, beside, repeated, about):
    """`ct`, the cotangent of the vectors `more`, which are any basis of a space; refused if it depends on which.

    `beside` is the cotangent of all vectors. Where `more` are not used, it alone tells what in second derivatives is
    rounding.
    """
    inner = matmul(adjoint(more), ct)
    gaps = make_aval((*more.shape[:-2], more.shape[-1]), real_dtype(inner.dtype))
    none = zeros_of(gaps, more)  # zero gaps everywhere: the quotient is 0, or refuses
    return ct + matmul(more, quotient(inner, none, beside, "gap", "skew", repeated, about))


def _weighted_samples(rng):
    out = []
    for shape in ((3, 3), (2, 4, 2), (0, 2, 2)):
        v, c = rng.normal(size=shape), rng.normal(size=(*shape[:-2], shape[-1]))
        w = np.cumsum(rng.uniform(0.5, 1.5, c.shape), axis=-1)
        out += [Sample(x, c.astype(x.dtype), w.astype(x.dtype)) for x in (v, v.astype("f4"))]
        out.append(Sample(v + 1j * rng.normal(size=shape), c, w))
    return out


weighted = primitive(
    "weighted",  # columns v: (..., m, n) times cotangents c: (..., n) of values w: (..., n), whose vectors they are
    # Where values are equal, (c_i - c_j) / (w_i - w_j) has a limit that depends on how c follows from w. So what c
    # came from gets a NaN there, which a selection that c went through leaves out.
    impl=lambda xp, v, c, w: v * c[..., None, :],
    lower=lambda v, c, w: v * c[..., None, :],
    shape=lambda v, c: make_aval(broadcast_shape("weighted", [v.shape, (*c.shape[:-1], 1, c.shape[-1])]),
                                 result_dtype(v, c)),
    nondiff="w",
    jvp={"v": lambda dv, c: dv * c[..., None, :], "c": lambda dc, v: v * dc[..., None, :]},
    vjp={"v": lambda ct, c: ct * conj(c)[..., None, :],
         "c": lambda ct, v, w: distinct_or_nan((conj(v) * ct).sum(axis=-2), matmul(adjoint(v), ct), w)},
    linear=("v", "c"),
    batch=_weighted_batch,
    samples=_weighted_samples,
    absent={"()": "its operands are matrices"},
)
