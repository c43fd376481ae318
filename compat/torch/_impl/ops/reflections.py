"""Products of Householder reflections, and the reflections of a QR factorization."""

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import ROWS, attach, operation
from ..dispatch.host_ops import hosted, recorded
from ..types import output_tuples
from .array_functions import cnp
from .matrices import adjoint, lapack

matmul = REGISTRY["matmul"].fun


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
