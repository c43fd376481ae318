"""Singular values of low rank by random vectors: Halko, Martinsson and Tropp (2011), algorithms 4.4 and 5.1."""

from ..public_names import torch


def svd_lowrank(A, q=6, niter=2, M=None):  # noqa: N803 (torch's names)
    """The `q` largest singular values of `A - M`, nearly, with their vectors: U, S, V.

    Args:
        A: `(*, m, n)`, or a sparse matrix.
        q: a little more than the rank; random vectors that are multiplied.
        niter: how often `A` and its adjoint are applied to them again.
        M: subtracted from `A` in products, so that a sparse `A` stays so.

    >>> import covector.compat.torch as torch
    >>> U, S, V = torch.svd_lowrank(torch.ones(4, 3), q=2)
    >>> torch.allclose(U * S @ V.mH, torch.ones(4, 3))
    True
    """
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    wide = A.shape[-2] < A.shape[-1]
    M = None if M is None else M.broadcast_to(A.shape)  # noqa: N806
    if wide:
        A, M = A.mH, None if M is None else M.mH  # noqa: N806

    def product(x, adjoint=False):
        y = (A.mH if adjoint else A) @ x
        return y if M is None else y - (M.mH if adjoint else M) @ x

    Q = torch.linalg.qr(product(torch.randn(A.shape[-1], q, dtype=A.dtype, device=A.device)))[0]  # noqa: N806
    for _ in range(niter):
        Q = torch.linalg.qr(product(Q, adjoint=True))[0]  # noqa: N806
        Q = torch.linalg.qr(product(Q))[0]  # noqa: N806
    U, S, Vh = torch.linalg.svd(product(Q, adjoint=True).mH, full_matrices=False)  # noqa: N806
    U, V = Q @ U, Vh.mH  # noqa: N806
    return (V, S, U) if wide else (U, S, V)


def pca_lowrank(A, q=None, center=True, niter=2):  # noqa: N803 (torch's names)
    """The `q` largest singular values of the rows of `A`, nearly, and their vectors: U, S, V.

    Args:
        A: `(*, m, n)`: m samples of n features.
        center: whether the mean of the rows is subtracted.
        q, niter: as for `svd_lowrank`; q is at most 6 by default.
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not center:
        return svd_lowrank(A, q, niter)
    if A.is_sparse:
        mean = A.sum(-2).to_dense().unsqueeze(-2) / m
        return svd_lowrank(A, q, niter, M=mean)
    return svd_lowrank(A - A.mean(-2, keepdim=True), q, niter)
