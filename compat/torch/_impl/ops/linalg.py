"""Products of matrices and vectors."""

import numpy as np

from .....extend import REGISTRY, Batched
from ..dispatch.call import ROWS, attach, operation, otherwise, promote, to
from ..dispatch.host_ops import insist_there, recorded
from ..dispatch.layouts import IN_ORDER, matrices
from ..dispatch.out_argument import BY_COLUMNS
from ..fastpath.lanes import OPERANDS
from ..fastpath.level_lanes import of_tensors, product
from ..modes.warnings import first, tell
from ..types import dtypes, output_tuples
from ..types.dtypes import c_type, type_word
from .array_functions import cnp
from .axes import wrap_dim
from .matrices import _linalg, blended, expandable, lapack, matrix_norm, norm, square


def same_dtype(name, a, b):
    """torch's refusal of products of two dtypes."""
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_type(a.dtype)} != "
                           f"{c_type(b.dtype)}")


def _ranks(name, test):
    """A rule of naming by the ranks of the two operands."""
    def fits(given, named):
        return test(given[0].ndim, given[1].ndim if len(given) > 1 else named["other"].ndim)

    return {fits: name}


_PRODUCTS = {
    **_ranks("DotBackward0", lambda a, b: a == b == 1),
    **_ranks("MvBackward0", lambda a, b: a == 2 and b == 1),
    **_ranks("SqueezeBackward4", lambda a, b: a == 1 and b == 2),
    **_ranks("MmBackward0", lambda a, b: a == b == 2),
    otherwise: "UnsafeViewBackward0",
}


@operation("matmul", node=_PRODUCTS, lane=product)
def matmul(input, other):
    """Compute the product of matrices, vectors or batches of matrices."""
    same_dtype("matmul", input, other)
    if not input.ndim or not other.ndim:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {input.ndim}D and "
                           f"{other.ndim}D")
    k = other.shape[-2] if other.ndim > 1 else other.shape[0]
    if input.shape[-1] != k:
        raise RuntimeError(mismatch(input.shape, other.shape))
    return REGISTRY["matmul"].fun(input, other)


def mismatch(a, b):
    """torch's message for shapes that do not multiply."""
    if len(a) == 1 and len(b) == 1:
        return (f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of "
                f"elements, but got {a[0]} and {b[0]} elements respectively")
    if len(b) == 1:
        return f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})"
    if len(a) == 1:
        a = (1, *a)
    return f"mat1 and mat2 shapes cannot be multiplied ({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"


attach("__matmul__", lambda self, other: matmul(self, other) if type(other) is not np.ndarray else NotImplemented)
attach("__rmatmul__", lambda self, other: matmul(other, self) if isinstance(other, OPERANDS) else NotImplemented)


@operation("mm", lane=product)
def mm(input, mat2):
    """Compute the product of two matrices."""
    if input.ndim != 2 or mat2.ndim != 2:
        words = "self must be a matrix" if input.ndim != 2 else "mat2 must be a matrix"
        raise RuntimeError(wrong_ranks("mm", words, input, mat2, 2, 2))
    return matmul.row.body(input, mat2)


def wrong_ranks(name, words, a, b, first, second):
    """The message for operands of a product with other numbers of axes; PyTorch's batching rules have their own."""
    if not any(isinstance(x, Batched) for x in (a, b)):
        return words
    return (f"Shape mismatch: Got incorrect dims for {name}(a, b). a has dim {a.ndim} and b has dim {b.ndim} but "
            f"expected them to have dim {first} and dim {second}")


def _affine_shapes(b, x, w):
    return len(x) == len(w) == 2 and x[1] == w[0] and (not b or b == w[1:] or b == (x[0], w[1]))


@operation("addmm", inplace_form=True, lane=of_tensors(
    "affine", "AddmmBackward0", _affine_shapes, (2, 0, 1), matrices=True))
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """Compute `beta * input + alpha * (mat1 @ mat2)`."""
    if mat1.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {mat1.ndim}-D tensor" if mat1.ndim != 2 else
                           f"mat2 must be a matrix, got {mat2.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(mismatch(mat1.shape, mat2.shape))
    for words, x in (("self", input), ("mat1", mat1)):
        if x.dtype != mat2.dtype:
            raise RuntimeError(f"{words} and mat2 must have the same dtype, but got {type_word(x.dtype)} and "
                               f"{type_word(mat2.dtype)}")
    shape = (mat1.shape[0], mat2.shape[1])
    for back, (n, k) in enumerate(zip(shape[::-1], input.shape[::-1])):
        if k not in (1, n):
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size ({k}) at "
                               f"non-singleton dimension {1 - back}.  Target sizes: {list(shape)}.  Tensor sizes: "
                               f"{list(input.shape)}")
    if input.ndim > 2:
        raise RuntimeError(f"expand(torch.{c_type(input.dtype).capitalize()}Tensor{{{list(input.shape)}}}, "
                           f"size={list(shape)}): the number of sizes provided (2) must be greater or equal to the "
                           f"number of dimensions in the tensor ({input.ndim})")
    if alpha == 1 and beta == 1:
        return REGISTRY["affine"].fun(mat1, mat2, input)
    return blended(input, REGISTRY["matmul"].fun(mat1, mat2), beta, alpha)


@operation("dot")
def dot(input, tensor):
    """Compute the inner product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if input.shape != tensor.shape:
        raise RuntimeError(mismatch(input.shape, tensor.shape))
    if input.dtype != tensor.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {type_word(input.dtype)} and "
                           f"{type_word(tensor.dtype)}")
    total = cnp.sum(input * tensor)
    return total if total.dtype == input.dtype else total.astype(input.dtype)


@operation("mv")
def mv(input, vec):
    """Compute the product of a matrix and a vector."""
    if input.ndim != 2 or vec.ndim != 1:
        words = f"vector + matrix @ vector expected, got {vec.ndim}, {input.ndim}, {vec.ndim}"
        raise RuntimeError(wrong_ranks("mv", words, input, vec, 2, 1))
    if input.shape[1] != vec.shape[0]:
        raise RuntimeError(mismatch(input.shape, vec.shape))
    return matmul.row.body(input, vec)


@operation("bmm")
def bmm(input, mat2):
    """Compute the products of two batches of matrices."""
    if input.ndim != 3 or mat2.ndim != 3:
        words = "batch1 must be a 3D tensor" if input.ndim != 3 else "batch2 must be a 3D tensor"
        raise RuntimeError(wrong_ranks("bmm", words, input, mat2, 3, 3))
    if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{input.shape[0]}, "
                           f"{input.shape[2]}] but got: [{mat2.shape[0]}, {mat2.shape[1]}].")
    return matmul.row.body(input, mat2)


@operation("outer")
def outer(input, vec2):
    """Compute the outer product of two vectors."""
    if input.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input.ndim}-D" if input.ndim != 1 else
                           f"outer: Expected 1-D argument vec2, but got {vec2.ndim}-D")
    return cnp.outer(*promote(input, vec2))


ROWS["ger"] = ROWS["outer"]
attach("ger", outer)


@operation("inner")
def inner(input, other):
    """Compute inner products over the last axes."""
    if not input.ndim or not other.ndim:
        return cnp.multiply(*promote(input, other))
    if input.dtype != other.dtype:
        words = " and ".join(sorted(type_word(v.dtype) for v in (input, other)))
        raise RuntimeError(f"inner(): expected all tensors to have the same dtype, but got {words}")
    return cnp.inner(input, other)


@operation("vdot")
def vdot(input, other):
    """Compute the inner product of two vectors, with the first one conjugated."""
    return cnp.vdot(input, other)


@operation("kron")
def kron(input, other):
    """Compute the Kronecker product."""
    dtype = dtypes.promote_types(dtypes.of_numpy(input.dtype), dtypes.of_numpy(other.dtype)).numpy
    return cnp.kron(to(input, dtype), to(other, dtype))  # of as many axes: none counts as a number


@operation("tensordot", method=False, node=None)
def tensordot(a, b, dims=2):
    """Contract several axes of two tensors."""
    if isinstance(dims, int) and not isinstance(dims, bool):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = tuple(range(-dims, 0)), tuple(range(dims))
    if not isinstance(dims, tuple | list):
        raise RuntimeError("tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
                           f"containing two lists, but got dims={dims}")
    dims, dtype = tuple([tuple(d) for d in dims]), a.dtype
    for d, e in zip(*dims):  # an axis of length 1 stands for any: the other one is summed
        m, n = a.shape[d], b.shape[e]
        if 1 != m != n != 1:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {m} in dim {d} and second has "
                               f"size {n} in dim {e}")
        a = cnp.sum(a, axis=d, keepdims=True) if n == 1 != m else a
        b = cnp.sum(b, axis=e, keepdims=True) if m == 1 != n else b
    return to(cnp.tensordot(a, b, axes=dims), dtype)


@operation("baddbmm", inplace_form=True)
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """Compute `beta * input + alpha * (batch1 @ batch2)`."""
    expandable(input, ((batch1, 0), (batch1, 1), (batch2, 2)))
    return blended(input, bmm.row.body(batch1, batch2), beta, alpha)


@operation("addmv", inplace_form=True)
def addmv(input, mat, vec, *, beta=1, alpha=1):
    """Compute `beta * input + alpha * (mat @ vec)`."""
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
    return blended(input, matmul.row.body(mat, vec), beta, alpha)


@operation("cross", layout=IN_ORDER)
def cross(input, other, dim=None):
    """Compute the cross product of vectors of length 3 along an axis."""
    if dim is None and first("cross"):
        tell("Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly "
             "or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of "
             "linalg.cross in a future release.")
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = dim if dim is not None else next((i for i, n in enumerate(input.shape) if n == 3), None)
    if d is None:
        raise RuntimeError("no dimension of size 3 in input")
    d = wrap_dim(d, input.ndim)
    if input.shape[d] != 3 or other.shape[d] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {d} must have length 3. Got {input.shape[d]} and "
                           f"{other.shape[d]}")
    return cnp.cross(input, other, axis=d)


@operation("cdist", method=False, out=False, layout=IN_ORDER)
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Compute the pairwise distances between two sets of vectors."""
    for place, x in enumerate((x1, x2), 1):
        if x.dtype.kind != "f":
            raise RuntimeError(f"cdist only supports floating-point dtypes, X{place} got: {type_word(x.dtype)}")
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{place} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    many = max(x1.shape[-2], x2.shape[-2]) > 25 and compute_mode != "donot_use_mm_for_euclid_dist"
    if p == 2 and x1.dtype == x2.dtype and (many or compute_mode == "use_mm_for_euclid_dist"):  # as in PyTorch
        return _distances(x1, x2)
    if p in (1, np.inf) and x1.shape[:-2] == x2.shape[:-2] and x1.dtype == x2.dtype and x1.dtype.itemsize > 2:
        found = REGISTRY["pair_distances"].fun(x1, x2, 1 if p == 1 else p, False)
        return cnp.reshape(found, (*x1.shape[:-1], x2.shape[-2]))
    return ROWS["linalg.vector_norm"].body(cnp.expand_dims(x1, -2) - cnp.expand_dims(x2, -3), p, -1)


def _distances(x, y):
    """√(|x|² + |y|² - 2 x·y), whose slope is 0 where it is."""
    square = cnp.sum(x * x, axis=-1, keepdims=True) - 2 * cnp.matmul(x, cnp.swapaxes(y, -1, -2))
    square = square + cnp.swapaxes(cnp.sum(y * y, axis=-1, keepdims=True), -1, -2)
    none = square <= 0
    return cnp.where(none, np.zeros((), x.dtype), cnp.sqrt(cnp.where(none, np.ones((), x.dtype), square)))


def _of_solutions(value, tensors, args=(), named=None):
    """LAPACK's matrices, but in order from the right, where they are its transposed."""
    return (IN_ORDER if named and named.get("left") is False else matrices(0))(value, tensors)


def plane(name, a):
    """A value of matrices, or torch's refusal."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    return a


def chained(tensors):
    """The factors of `multi_dot`, or torch's refusal of those with other numbers of axes, and of other dtypes."""
    tensors = list(tensors)
    for i, t in enumerate(tensors):
        outer = i in (0, len(tensors) - 1)
        if t.ndim != 2 and not (outer and t.ndim == 1) and len(tensors) > 1:
            which = f"the {'last' if i else 'first'} tensor must be 1D or 2D" if outer else f"tensor {i} must be 2D"
            raise RuntimeError(f"multi_dot(): {which} but got {t.ndim}D")
        if t.dtype != tensors[0].dtype:
            raise RuntimeError("multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                               f"{c_type(tensors[0].dtype)} and tensor {i} {c_type(t.dtype)}")
    return tensors


_linalg("inv", lambda A: cnp.linalg.inv(square("linalg.inv", A)), **lapack(0))
_linalg("det", lambda A: cnp.linalg.det(square("linalg.det", A)))
_linalg("cholesky", lambda A, *, upper=False: _finite(_cholesky(square("linalg.cholesky", A), upper)), **lapack(0))
_linalg("solve", lambda A, B, *, left=True: _solve(A, B, left), layout=_of_solutions,
        out=BY_COLUMNS)
_linalg("eigh", lambda A, UPLO="L": output_tuples.eigh(*cnp.linalg.eigh(*_triangle_of("eigh", A, UPLO))), **lapack(1))
_linalg("eigvalsh", lambda A, UPLO="L": _eigvalsh(*_triangle_of("eigvalsh", A, UPLO)))
_linalg("qr", lambda A, mode="reduced": output_tuples.qr(*_qr(plane("linalg.qr", A), mode)), **lapack(0, 1))
_linalg("slogdet", lambda A: output_tuples.slogdet(*cnp.linalg.slogdet(square("linalg.slogdet", A))))
_linalg("matrix_power", lambda A, n: _power(plane("linalg.matrix_power", A), n))
_linalg("multi_dot", lambda tensors: cnp.linalg.multi_dot(chained(tensors)))
_linalg("matrix_norm", matrix_norm)
_linalg("norm", norm)
ROWS["inverse"] = ROWS["linalg.inv"]
attach("inverse", ROWS["linalg.inv"].fun)
ROWS["det"] = ROWS["linalg.det"]
attach("det", ROWS["linalg.det"].fun)
ROWS["slogdet"] = ROWS["linalg.slogdet"]
attach("slogdet", ROWS["linalg.slogdet"].fun)
ROWS["logdet"] = operation("logdet")(lambda input: _logdet(input)).row
ROWS["matrix_power"] = ROWS["linalg.matrix_power"]
attach("matrix_power", ROWS["linalg.matrix_power"].fun)


def _logdet(x):
    square("logdet", x)
    sign, size = cnp.linalg.slogdet(x)
    if x.dtype.kind == "c":
        return cnp.log(sign) + size
    return cnp.where(sign >= 0, size, np.nan)


def _cholesky(x, upper):
    return cnp.linalg.cholesky(x, upper=True) if upper else REGISTRY["cholesky"].fun(x, True)


def _finite(factor):
    """A factor, or LAPACK's refusal of a matrix with NaN: each that it reads makes one of all later pivots."""
    insist_there(_whole, factor)
    return factor


def _whole(factor):
    if factor.size:
        last = factor[..., -1, -1]
        if last != last if last.ndim == 0 else np.isnan(last).any():
            raise np.linalg.LinAlgError("the matrix has NaN")


def _power(a, n):
    """A power of matrices; that of order 0 has a history, too."""
    out = cnp.linalg.matrix_power(a, n)
    return out if n else cnp.where(False, a, out)


def _triangle_of(name, x, uplo):
    """Square matrices, and which triangle of them is read."""
    if str(uplo).upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    return square(f"linalg.{name}", x), str(uplo).upper()


def _eigvalsh(a, uplo):
    """Eigenvalues; with the vectors that the gradient takes, where there is one to come."""
    return cnp.linalg.eigh(a, uplo)[0] if recorded(a) else cnp.linalg.eigvalsh(a, uplo)


def _solve(a, b, left):
    if a.ndim < 2:
        raise RuntimeError("linalg.solve: The input tensor A must have at least 2 dimensions.")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise RuntimeError(f"linalg.solve: A must be batches of square matrices, but they are {a.shape[-2]} by "
                           f"{a.shape[-1]} matrices")
    vector = b.ndim == 1 or b.ndim == a.ndim - 1 and tuple(b.shape) == tuple(a.shape[:-1])
    if not b.ndim:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    m, n = (b.shape[-1], 1) if vector else b.shape[-2:]
    if (m if left else n) != a.shape[-1]:
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B"
                           f" ({a.shape[-2]}x{a.shape[-1]} and {m}x{n})")
    if not left and not vector:
        return cnp.swapaxes(_solve(cnp.swapaxes(a, -1, -2), cnp.swapaxes(b, -1, -2), True), -1, -2)
    if vector:
        return cnp.squeeze(cnp.linalg.solve(a, cnp.expand_dims(b, -1)), -1)
    return cnp.linalg.solve(a, b)


def _qr(A, mode):
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           "'complete'")
    out = cnp.linalg.qr(A, mode)
    return (np.empty(0, A.dtype), out) if mode == "r" else out
