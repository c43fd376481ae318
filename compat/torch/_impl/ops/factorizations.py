"""Orthogonal factors, singular values, eigenvalues, pseudo-inverses, ranks, least squares."""

import numpy as np

from .....extend import REGISTRY, constant
from ..dispatch.call import ROWS, attach, operation
from ..dispatch.host_ops import hosted, primal_of, recorded
from ..dispatch.layouts import by_columns_of
from ..types import output_tuples
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from .array_functions import cnp
from .matrices import _linalg, adjoint, lapack, of_triangle, square

matmul = REGISTRY["matmul"].fun


@operation("qr", **lapack(0, 1))
def qr(input, some=True):
    """Compute the QR factorization, reduced if `some`; returns Q and R."""
    return output_tuples.legacy_qr(*ROWS["linalg.qr"].body(input, "reduced" if some else "complete"))


def two_axes(name, a):
    """torch's refusal of vectors and integers."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if a.dtype.kind not in "fc":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {type_word(a.dtype)}")
    return a


def complexed(a):
    """A matrix in complex numbers, in which torch's eigenvalues always are."""
    return a if a.dtype.kind == "c" else a.astype(np.result_type(a.dtype, np.complex64))


_linalg("svd", lambda A, full_matrices=True, *, driver=None: output_tuples.svd(
    *cnp.linalg.svd(two_axes("linalg.svd", A), full_matrices)), **lapack(0, 2))
_linalg("svdvals", lambda A, *, driver=None: cnp.linalg.svdvals(two_axes("linalg.svdvals", A)))
_linalg("eig", lambda A: output_tuples.eig(*map(complexed, cnp.linalg.eig(square("linalg.eig", A)))), **lapack(1))
_linalg("eigvals", lambda A: complexed(cnp.linalg.eigvals(square("linalg.eigvals", A))))


@operation("linalg.pinv", method=False)
def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    """Compute the pseudo-inverse; singular values below the tolerance count as 0."""
    for v in (rcond, atol, rtol):
        if getattr(getattr(v, "dtype", None), "kind", None) == "c":
            raise RuntimeError(f"torch.linalg.pinv: {'rtol' if rcond is None else 'rcond'} tensor of complex type is "
                               f"not supported. Got {type_word(v.dtype)}")
    return _pinv("linalg.pinv", A, atol, rtol if rcond is None else rcond, hermitian)


def _tolerance(a, largest, atol, rtol):
    """The size below which a singular value counts as zero."""
    if rtol is None:
        rtol = 0.0 if atol is not None else max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
    least = 0.0 if atol is None else atol
    return cnp.maximum(_each(least, largest), largest * _each(rtol, largest))


def _each(tolerance, like):
    """A number for each matrix, with an axis for its singular values."""
    tolerance = constant(cnp.asarray(primal_of(tolerance), like.dtype), like)
    return cnp.expand_dims(tolerance, -1) if tolerance.ndim else tolerance


def _pinv(name, a, atol, rtol, hermitian):
    two_axes(name, a)
    if not a.size:
        return cnp.conj(cnp.swapaxes(a, -1, -2))
    if hermitian:
        a = of_triangle(square(name, a), False)
    if atol is None:
        return cnp.linalg.pinv(a, rcond=max(a.shape[-2:]) * float(np.finfo(a.dtype).eps) if rtol is None else rtol)
    s = primal_of(cnp.linalg.svdvals(a))
    cut = _tolerance(a, s[..., :1], atol, rtol)[..., 0]
    return cnp.linalg.pinv(a, rcond=cut / cnp.where(s[..., 0] == 0, 1, s[..., 0]))


@operation("pinverse")
def pinverse(input, rcond=1e-15):
    """Compute the pseudo-inverse; singular values below `rcond` times the largest count as 0."""
    return _pinv("linalg.pinv", input, None, rcond, False)


@operation("svd", **lapack(0, rows=(2,)))
def svd(input, some=True, compute_uv=True):
    """Compute U, S and V with `A = U diag(S) Vᴴ`, reduced if `some`."""
    two_axes("linalg.svd", input)
    if not compute_uv:
        m, n = input.shape[-2:]
        lead = tuple(input.shape[:-2])
        return output_tuples.legacy_svd(np.zeros((*lead, m, m), input.dtype), cnp.linalg.svdvals(input),
                                       np.zeros((*lead, n, n), input.dtype))
    u, s, vh = cnp.linalg.svd(input, not some)
    return output_tuples.legacy_svd(u, s, adjoint(vh))


@operation("linalg.matrix_rank", method=False)
def matrix_rank(A, tol=None, *, atol=None, rtol=None, hermitian=False):
    """Count the singular values above the tolerance; not differentiable."""
    two_axes("linalg.matrix_rank", A)
    if tol is not None:
        atol, rtol = tol, 0.0
    if rtol is None:
        rtol = max(A.shape[-2:]) * float(np.finfo(A.dtype).eps) if atol is None else 0.0
    atol, rtol = (np.asarray(0.0 if v is None else v) if not hasattr(v, "shape") else v for v in (atol, rtol))

    def rank(a, atol, rtol):
        s = np.abs(np.linalg.eigvalsh(a)) if hermitian else np.linalg.svd(a, compute_uv=False)
        largest = s.max(-1, keepdims=True, initial=0)
        return (s > np.maximum(atol[..., None], rtol[..., None] * largest)).sum(-1)

    shape = np.broadcast_shapes(A.shape[:-2], atol.shape, rtol.shape)
    return hosted(rank, shape, np.int64, A, atol, rtol)


@operation("linalg.lstsq", method=False)
def lstsq(input, B, rcond=None, *, driver=None):
    """Compute a least-squares solution, the residuals, the rank and the singular values."""
    two_axes("torch.linalg.lstsq", input)
    vector = B.ndim == 1 or B.ndim == input.ndim - 1 and tuple(B.shape) == tuple(input.shape[:-1])
    b = cnp.expand_dims(B, -1) if vector else B
    m, n = input.shape[-2:]
    if b.shape[-2] != m:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)" if not vector else
                           "torch.linalg.lstsq: input.size(-2) should match other.size(-1)")
    driver = driver or "gelsy"
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    x = matmul(_pinv("torch.linalg.lstsq", input, None, rcond, False), b)
    residuals = cnp.real(cnp.reshape(x, (-1,))[:0])
    ranks = matrix_rank.row.body(input, rtol=rcond) if driver != "gels" else np.empty(0, np.int64)
    plain = primal_of(ranks)
    unknown = type(plain) not in ARRAYS
    if m > n and driver != "gelsy" and (driver == "gels" or unknown or (plain == n).all()):
        gap = matmul(input, x) - b
        residuals = cnp.sum(cnp.real(gap * cnp.conj(gap)) if gap.dtype.kind == "c" else gap * gap, axis=-2)
        if unknown and driver != "gels":  # which of the examples have full rank is not known: NaN for others
            residuals = cnp.where(cnp.expand_dims(ranks == n, -1), residuals, np.nan)
    values = (primal_of(cnp.linalg.svdvals(input)) if driver in ("gelsd", "gelss") else np.empty(0, input.real.dtype))
    x = by_columns_of(x, max(m, n))
    return output_tuples.lstsq(cnp.squeeze(x, -1) if vector else x, residuals, ranks, values)


# Products of Householder reflections, and the reflections of a QR factorization.


@operation("linalg.householder_product", method=False, **lapack(0))
def householder_product(A, tau):
    """Compute the first columns of a product of Householder reflections."""
    if A.ndim < 2:
        raise RuntimeError("torch.linalg.householder_product: input must have at least 2 dimensions.")
    m, n = A.shape[-2:]
    if m < n:
        raise RuntimeError("torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
                           "input.shape[-1]")
    if tau.shape[-1] > n:
        raise RuntimeError("torch.linalg.householder_product: input.shape[-1] must be greater than or equal to "
                           "tau.shape[-1]")
    q = np.eye(m, n, dtype=A.dtype)
    if not tau.shape[-1]:
        return cnp.where(False, A, q)  # of slope 0
    return _reflected(A, tau, cnp.broadcast_to(q, (*A.shape[:-2], m, n)), range(tau.shape[-1])[::-1], False)


def _reflected(a, tau, x, order, conjugate):
    """Reflections applied to `x` from the left, in an order; `conjugate` for their adjoints."""
    m = a.shape[-2]
    for i in order:
        first = np.zeros((m, 1), a.dtype)
        first[i] = 1
        v = a[..., :, i : i + 1] * (np.arange(m) > i).astype(a.dtype)[:, None] + first
        t = tau[..., i : i + 1, None]
        t = cnp.conj(t) if conjugate and t.dtype.kind == "c" else t
        x = x - t * matmul(v, matmul(adjoint(v), x))
    return x


ROWS["orgqr"] = ROWS["linalg.householder_product"]
attach("orgqr", householder_product)


@operation("ormqr", **lapack(0))
def ormqr(input, tau, other, left=True, transpose=False):
    """Multiply a matrix by a product of Householder reflections."""
    for name, v in (("input", input), ("other", other)):
        if v.ndim < 2:
            raise RuntimeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    k, rows = tau.shape[-1] if tau.ndim else 1, other.shape[-2 if left else -1]
    if rows < k or rows != input.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{-2 if left else -1}] must be equal to input.shape[-2], and not "
                           f"less than tau.shape[-1], but got {rows}, {input.shape[-2]} and {k}")
    if k != min(rows, input.shape[-1]) or tau.ndim != input.ndim - 1 or other.ndim != input.ndim or not (
            input.shape[:-2] == tau.shape[:-1] == other.shape[:-2]):
        raise RuntimeError("torch.ormqr: tau must have one dimension less than input, as many elements as it has "
                           "columns, and with other its batches, but the shapes are "
                           f"{list(input.shape)}, {list(tau.shape)} and {list(other.shape)}")
    if left:
        return _reflected(input, tau, other, range(k) if transpose else range(k)[::-1], transpose)
    turned = _reflected(input, tau, adjoint(other), range(k)[::-1] if transpose else range(k), not transpose)
    return adjoint(turned)


@operation("geqrf", **lapack(0))
def geqrf(input):
    """Compute the Householder reflections of a QR factorization."""
    if recorded(input):
        raise NotImplementedError("geqrf() has no derivative (nor has it in PyTorch); use linalg.qr, or detach()")
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    m, n = input.shape[-2:]
    k = min(m, n)
    h = hosted(lambda a: np.swapaxes(np.linalg.qr(a, "raw")[0], -1, -2), input.shape, input.dtype, input)
    tau = hosted(lambda a: np.linalg.qr(a, "raw")[1], (*input.shape[:-2], k), input.dtype, input)
    return output_tuples.geqrf(h, tau)
