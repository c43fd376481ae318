"""Products of matrices beyond the everyday ones, exponentials, tensor equations, condition numbers, powers."""

import functools
import math

import numpy as np

from .....extend import REGISTRY, constant, unwrap
from ..dispatch.call import ROWS, attach, method, operation, promote, to
from ..dispatch.layouts import IN_ORDER, LIKE_FIRST, by_columns
from ..types import dtypes
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import wrap_dim
from .matrices import _linalg, blended, expandable, square
from .strided import diagonal

matmul = REGISTRY["matmul"].fun


@operation("addbmm", inplace_form=True)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """Compute `beta * input + alpha * sum(batch1 @ batch2)`, the sum over the batch."""
    expandable(input, ((batch1, 1), (batch2, 2)))
    return blended(input, cnp.sum(ROWS["bmm"].body(batch1, batch2), axis=0).astype(batch1.dtype), beta, alpha)


@operation("addr", inplace_form=True, layout=LIKE_FIRST)
def addr(input, vec1, vec2, *, beta=1, alpha=1):
    """Compute `beta * input + alpha * outer(vec1, vec2)`."""
    for i, v in enumerate((vec1, vec2), 1):
        if v.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument vec{i}, but got {v.ndim}-D")
    expandable(input, ((vec1, 0), (vec2, 0)))
    kinds = [dtypes.of_numpy(v.dtype) for v in (input, vec1, vec2)]  # that of a 0-d tensor counts here
    input, vec1, vec2 = (to(v, functools.reduce(dtypes.promote_types, kinds).numpy) for v in (input, vec1, vec2))
    return blended(input, cnp.outer(vec1, vec2), beta, alpha)


_linalg("vecdot", lambda x, y, *, dim=-1: cnp.sum((cnp.conj(x) if x.dtype.kind == "c" else x) * y, axis=dim))


@operation("linalg.cross", method=False, layout=IN_ORDER)
def linalg_cross(input, other, *, dim=-1):
    """Compute the cross product of vectors of length 3 along an axis."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = wrap_dim(dim, input.ndim)
    if input.shape[d] != 3 or other.shape[d] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[d]} and "
                           f"{other.shape[d]}")
    x, y = cnp.broadcast_arrays(*promote(input, other))
    return cnp.cross(x, y, axis=d)


@method("linalg.diagonal", attached=False)
def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """Return the diagonal of the last two axes, or of two given ones, as a view."""
    return diagonal(A, offset, dim1, dim2)


def _tensorinv(A, ind=2):
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    first, last = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    if math.prod(first) != math.prod(last):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), "
                           f"but got {math.prod(last)} != {math.prod(first)}")
    return cnp.reshape(by_columns(cnp.linalg.inv(cnp.reshape(A, (math.prod(first), -1)))), (*last, *first))


def _tensorsolve(A, B, dims=None):
    if dims is not None:
        moved = tuple(d % A.ndim for d in dims)
        A = cnp.transpose(A, [d for d in range(A.ndim) if d not in moved] + list(moved))
    rest = tuple(A.shape[B.ndim :])
    size = math.prod(rest)
    if size != math.prod(B.shape):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                           f"prod(self.shape[:other.ndim]), but got {size} != {math.prod(B.shape)}")
    out = cnp.linalg.solve(cnp.reshape(A, (-1, size)), cnp.reshape(B, (-1, 1)))
    return cnp.reshape(out, rest)


_linalg("tensorinv", _tensorinv)
_linalg("tensorsolve", _tensorsolve)

# Higham (2005), The scaling and squaring method for the matrix exponential revisited, tables 2.3 and 10.4.
_PADE = (64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
         670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1)
_THETA = 5.371920351148152


@operation("linalg.matrix_exp", method=False)
def matrix_exp(A):
    """Compute the matrix exponential."""
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise RuntimeError("linalg.matrix_exp: A must be batches of square matrices, but they are "
                           f"{A.shape[-2]} by {A.shape[-1]} matrices" if A.ndim > 1 else
                           "linalg.matrix_exp: The input tensor A must have at least 2 dimensions.")
    if A.dtype.kind not in "fc":
        raise RuntimeError("linalg.matrix_exp: Expected a floating point or complex tensor as input. Got "
                           f"{type_word(A.dtype)}")
    if A.dtype == np.float16:
        return matrix_exp.row.body(A.astype(np.float32)).astype(np.float16)
    n = A.shape[-1]
    plain = unwrap(A)  # with vmap's axes in front: one scale serves all
    size = float(np.max(np.sum(np.abs(plain), axis=-2))) if plain.size else 0.0
    halvings = max(0, math.ceil(math.log2(size / _THETA))) if size > 0 and math.isfinite(size) else 0
    x = A * 2.0**-halvings
    eye = constant(np.eye(n, dtype=A.dtype), A)
    x2 = matmul(x, x)
    x4 = matmul(x2, x2)
    x6 = matmul(x4, x2)
    b = _PADE
    odd = matmul(x, matmul(x6, x6 * b[13] + x4 * b[11] + x2 * b[9]) + x6 * b[7] + x4 * b[5] + x2 * b[3] + eye * b[1])
    even = matmul(x6, x6 * b[12] + x4 * b[10] + x2 * b[8]) + x6 * b[6] + x4 * b[4] + x2 * b[2] + eye * b[0]
    out = cnp.linalg.solve(even - odd, 2 * odd) + eye  # a sum saves nothing: the output may be written to
    for _ in range(halvings):
        out = matmul(out, out)
    return out


ROWS["matrix_exp"] = ROWS["linalg.matrix_exp"]
attach("matrix_exp", matrix_exp)


@operation("linalg.cond", method=False)
def cond(A, p=None):
    """Compute the condition number with respect to a matrix norm."""
    if A.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if not A.size:
        return np.zeros(A.shape[:-2], A.real.dtype)
    if p is None or p in (2, -2):
        s = cnp.linalg.svdvals(A)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return cnp.linalg.norm(A, p, axis=(-2, -1)) * cnp.linalg.norm(cnp.linalg.inv(square("linalg.cond", A)), p,
                                                                  axis=(-2, -1))


def vander(x, N=None, increasing=False):  # noqa: N803 (torch's name)
    """Build a Vandermonde matrix from the powers of a vector."""
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    out = _vander(x, count)
    return out if increasing else out.flip(1)


@operation("_vander", method=False, register=False, node="CumprodBackward0")
def _vander(x, count):
    if x.dtype.kind in "biu":
        x = x.astype(np.int64)
    columns, power = [], cnp.ones_like(x)
    for _ in range(count):
        columns.append(power)
        power = power * x
    return cnp.stack(columns, axis=-1) if columns else np.empty((*x.shape, 0), x.dtype)


@operation("linalg.vander", method=False)
def _linalg_vander(x, *, N=None):  # noqa: N803
    """Build Vandermonde matrices, with increasing powers along a new last axis."""
    x = x if x.ndim else cnp.reshape(x, (1,))
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    return _vander.row.body(x, count)


PLAIN = {"vander": vander}
