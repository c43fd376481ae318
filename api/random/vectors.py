"""Random vectors and matrices."""

from typing import Any

import numpy as np

from ..core.errors import ShapeError, at_user_line
from ..core.ops import selection
from ..core.primitive.broadcasting import broadcast_shape
from ..numpy import diagonal, einsum, linalg, sqrt, swapaxes
from ..numpy.surface import Array, floating
from .continuous import normal
from .keys import Shape, checked, float_type, full_shape, sizes


def multivariate_normal(
    key: Array, mean: Array, cov: Array, shape: Shape | None = None, dtype: Any = None, method: str = "cholesky"
) -> Array:
    """Sample vectors from a multivariate normal distribution.

    Args:
        key: a key.
        mean: `(…, n)`.
        cov: covariance matrices `(…, n, n)`, positive definite (semidefinite for "svd" and "eigh"). The output is
            differentiable with respect to `mean` and `cov`.
        shape: the shape of the output without its last axis; by default that of the broadcast parameters.
        dtype: the dtype of the output; by default that of the promoted parameters.
        method: how the root of `cov` is computed: "cholesky", "svd" or "eigh".
    Returns:
        an array of shape `(*shape, n)`.
    Raises:
        TypeError: `key` is not a key.
        ShapeError: the shapes do not match.
        ValueError: the method is unknown.

    >>> import numpy as np
    >>> from covector import random
    >>> random.multivariate_normal(random.key(0), np.zeros(2), np.array([[1.0, 0.5], [0.5, 2.0]])).round(4)
    array([-0.2058, -1.1411])
    """
    mean, cov = floating(mean), floating(cov)
    kind = float_type(np.result_type(mean.dtype, cov.dtype) if dtype is None else dtype, "multivariate_normal")
    n = mean.shape[-1] if mean.ndim else -1
    if cov.ndim < 2 or tuple(cov.shape[-2:]) != (n, n):
        raise ShapeError(f"random.multivariate_normal needs a mean of shape (…, n) and covariances of shape (…, n, n), "
                         f"but got {tuple(mean.shape)} and {tuple(cov.shape)}; use normal for numbers"
                         f"{at_user_line()}")
    if method not in ("cholesky", "svd", "eigh"):
        raise ValueError(f'random.multivariate_normal supports the methods "cholesky", "svd" and "eigh", but got '
                         f"{method!r}; choose one of them{at_user_line()}")
    mean, cov = (v if v.dtype == kind else selection.astype(v, kind) for v in (mean, cov))
    found = broadcast_shape("random.multivariate_normal", [tuple(mean.shape[:-1]), tuple(cov.shape[:-2])])
    shape = full_shape("multivariate_normal", shape, found)
    if method == "cholesky":
        root = linalg.cholesky(cov)
    elif method == "svd":
        u, s, _ = linalg.svd(cov)
        root = u * sqrt(s[..., None, :])
    else:
        w, v = linalg.eigh(cov)
        root = v * sqrt(w[..., None, :])
    return mean + einsum("...ij,...j->...i", root, normal(checked(key, "multivariate_normal"), (*shape, n), kind))


def orthogonal(key: Array, n: int, shape: Shape = (), dtype: Any = np.float64, m: int | None = None) -> Array:
    """Sample orthogonal matrices from the uniform (Haar) distribution.

    Args:
        key: a key.
        n: the number of rows.
        shape: the shape of the output without its last two axes.
        dtype: a floating or complex type.
        m: the number of columns, `n` by default; if they differ, rows or columns are orthonormal.
    Returns:
        an array of shape `(*shape, n, m)`.
    Raises:
        TypeError: `key` is not a key.

    >>> from covector import random
    >>> q = random.orthogonal(random.key(0), 3)
    >>> (q @ q.T).round(12) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    (n,), (m,) = sizes(n, "orthogonal"), sizes(n if m is None else m, "orthogonal")
    z = normal(checked(key, "orthogonal"), (*sizes(shape, "orthogonal"), max(n, m), min(n, m)), dtype)
    q, r = linalg.qr(z)
    q = q * np.sign(diagonal(r, axis1=-2, axis2=-1))[..., None, :]
    return swapaxes(q, -1, -2) if n < m else q
