"""Gaussian elimination: the triangular factors of a matrix whose rows are in their final order."""

import numpy as np

from ...arrays.avals import make_aval
from ...primitive.families import primitive
from ...trace.device import constant
from ..samples import Sample
from .decompositions import adjoint, check_square, float_dtype, solve
from .products import matmul


def _eliminate(xp, a):
    """L and U of square matrices, a column at a time; a pivot of zero leaves its column as it is."""
    a = xp.array(a, dtype=float_dtype(a.dtype))
    n = a.shape[-1]
    for k in range(n - 1):
        pivot = a[..., k, k, None]
        column = xp.where(pivot == 0, 0, a[..., k + 1 :, k] / xp.where(pivot == 0, 1, pivot))
        a[..., k + 1 :, k] = column
        a[..., k + 1 :, k + 1 :] -= column[..., :, None] * a[..., k, None, k + 1 :]
    below = xp.tril(a, -1)
    return below + xp.eye(n, dtype=a.dtype), a - below


def _shape(a):
    check_square(a, "eliminate")
    aval = make_aval(a.shape, float_dtype(a.dtype))
    return aval, aval


def _lower(x):
    return x * constant(np.tri(x.shape[-1], k=-1, dtype=x.dtype), x)


def _upper(x):
    return x * constant(np.tri(x.shape[-1], dtype=x.dtype).T, x)


def _jvp(da, ans):
    """From dA = dL U + L dU: with F = L⁻¹ dA U⁻¹, dL = L tril(F, -1) and dU = triu(F) U."""
    low, up = ans
    inner = adjoint(solve(adjoint(up), adjoint(solve(low, da))))
    return matmul(low, _lower(inner)), matmul(_upper(inner), up)


def _vjp(ct, ans):
    """The adjoint: L⁻ᴴ (tril(Lᴴ L̄, -1) + triu(Ū Uᴴ)) U⁻ᴴ."""
    low, up = ans
    ct_low, ct_up = ct
    inner = None if ct_low is None else _lower(matmul(adjoint(low), ct_low))
    if ct_up is not None:
        part = _upper(matmul(ct_up, adjoint(up)))
        inner = part if inner is None else inner + part
    return adjoint(solve(up, adjoint(solve(adjoint(low), inner))))


def _samples(rng):
    out = []
    for shape in ((3, 3), (2, 3, 3), (1, 1), (0, 2, 2)):
        a = rng.normal(size=shape) * 0.3 + 2 * np.eye(shape[-1])
        out += [Sample(a, tol=1e-5), Sample(a.astype(np.float32)),
                Sample(a + 0.3j * rng.normal(size=shape), tol=1e-5)]
    return out


eliminate = primitive(
    "eliminate",  # a: (..., n, n) = L U, with ones on the diagonal of L; rows are not exchanged
    impl=_eliminate,
    outputs=2,
    accepts_none=True,
    shape=_shape,
    jvp={"a": _jvp},
    vjp={"a": _vjp},
    batch=lambda a: eliminate(a),
    blocks=2,
    samples=_samples,
)
