"""Products of matrices and tensors."""

import copy
from functools import lru_cache
from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.axes import normal_axis
from ...arrays.dtypes import result_dtype
from ...arrays.sums import shaped
from ...errors import ShapeError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.call_lanes import general_lane
from ...primitive.families import primitive
from ...primitive.primitive import Formula, Rules
from ...tape.tape import compile_rule
from ...tape.unbroadcast import conj
from ...trace.tracer import Tracer
from ..dependence import outer_of, product_of, subscripted
from ..float_loops import are_halves, through_singles
from ..samples import arrays, together
from ..selection import as_array

ndarray = np.ndarray


def _check_product(x, y):
    """Raise unless matrices or vectors of the shapes `x` and `y` have a product."""
    if not x or not y:
        raise ShapeError(f"matmul needs operands of at least one axis, but got shapes {x} and {y}; use *"
                         f"{at_user_line()}")
    if x[-1] != y[-2 if len(y) > 1 else 0]:
        raise ShapeError(f"matmul cannot contract shapes {x} and {y}: the last axis of the first ({x[-1]}) must equal "
                         f"the last but one of the second ({y[-2 if len(y) > 1 else 0]}); transpose or reshape one "
                         f"of them{at_user_line()}")


def _matmul_shape(x, y):
    _check_product(x.shape, y.shape)
    lead = broadcast_shape("matmul", [x.shape[:-2], y.shape[:-2]])
    return make_aval(lead + x.shape[-2:-1] + y.shape[-1:] * (y.ndim > 1), result_dtype(x, y))


def product(x, y):
    """`x @ y` of vectors and matrices. NumPy's `dot` gives the same 0.5 us sooner, but fills the output with zeros
    before: 2 % of a large product, a quarter of one with few columns."""
    if type(x) is ndarray and type(y) is ndarray:
        if x.itemsize == 2 and are_halves(x, y) and x.size * y.shape[-1] >= _WIDENED:
            return through_singles(product, x, y)
        if x.size < FILLED or x.shape[-1] == 1:  # @ has no BLAS for one
            return x.dot(y)
    return x @ y


FILLED = 1 << 13  # elements
_WIDENED = 1 << 9  # products, from which halves are faster in float32


def through(ct, y):
    """`ct @ y.T` of matrices."""
    return product(ct, y.T)


def _matmul(xp, x, y):
    if type(x) is ndarray and type(y) is ndarray and 0 < x.ndim and 0 < y.ndim < 3:
        if x.ndim < 3:
            return product(x, y)
        if y.ndim == 2 and x.size:  # the rows of all matrices in one product: NumPy's takes one after the other
            return shaped(product(x.reshape(-1, x.shape[-1]), y), (*x.shape[:-1], y.shape[1]))
    return through_singles(np.matmul, x, y) if are_halves(x, y) else xp.matmul(x, y)


def _mT(x):
    return x.T if x.ndim == 2 else x.swapaxes(-1, -2)


def _matmul_vjp_x(ct, x_aval, y):
    """Giles (2008), section 2.2.2: x̄ = c̄ yᴴ; the family sums over axes that were broadcast."""
    y = conj(y)
    if y.ndim == 1:
        return outer(ct, y) if ct.ndim else ct * y
    if x_aval.ndim == 1:
        if y.ndim == 2:
            return matmul(y, ct)
        out = matmul(y, ct[..., None])
        return out.reshape(out.shape[:-1])
    return matmul(ct, _mT(y))


def _matmul_vjp_y(ct, x, y_aval):
    """Giles (2008), section 2.2.2: ȳ = xᴴ c̄."""
    x = conj(x)
    if y_aval.ndim == 1:
        if x.ndim == 1:
            return ct * x
        if x.ndim == 2:
            return matmul(ct, x)
        return (ct[..., None] * x).sum(axis=-2)
    if x.ndim == 1:
        return outer(x, ct)
    if x.ndim > 2 and y_aval.ndim == 2:  # one GEMM over all leading axes
        rows = prod(x.shape[:-1])  # -1 says nothing where another length is 0
        return matmul(x.reshape((rows, x.shape[-1])).T, ct.reshape((rows, ct.shape[-1])))
    return matmul(_mT(x), ct)


def _product_vjp_x(ct, y):
    """The same for real vectors and matrices, where the ranks tell the case."""
    if y.ndim == 2:
        return through(ct, y) if ct.ndim == 2 else product(y, ct)
    return _outer(ct, y) if ct.ndim else ct * y


def _product_vjp_y(ct, x):
    """As for x."""
    if x.ndim == 2:
        return product(x.T, ct) if ct.ndim == 2 else product(ct, x)
    return _outer(x, ct) if ct.ndim else ct * x


def _product_basis_x(ct, y):
    """The cotangents of x for the unit cotangents of real vectors and matrices: columns of y, each in one row of x."""
    if ct.ndim == 1 and y.ndim == 2:
        return y.T
    if not ct.ndim:
        return y[None]
    if type(y) is not ndarray or not ct.complete:
        return None
    count = ct.shape[0]
    out = np.zeros((count, ct.size // count if count else 0, count, y.shape[0]), y.dtype)
    out[np.arange(count), :, np.arange(count)] = y.T
    return out.reshape((ct.size, count, y.shape[0]))


def _product_basis_y(ct, x):
    """As for x: rows of x, each in one column of y."""
    if ct.ndim == 1 and x.ndim == 2:
        return x
    if not ct.ndim:
        return x[None]
    if type(x) is not ndarray or not ct.complete:
        return None
    count = ct.shape[-1]
    out = np.zeros((ct.size // count if count else 0, count, x.shape[-1], count), x.dtype)
    out[:, np.arange(count), :, np.arange(count)] = x
    return out.reshape((ct.size, x.shape[-1], count))


def _gram(rows, factor, matrix):
    """`(rows * factor) @ matrix` if the rows are the columns of the matrix; None where that is not cheaper.

    Hessians of functions of `matrix @ p` are such products, XᵀDX. With the square root of a factor of one sign they are
    products of a matrix with its own transpose, of which BLAS computes one half alone (dsyrk).
    """
    if type(rows) is not ndarray or type(matrix) is not ndarray or type(factor) is not ndarray or factor.ndim != 1:
        return None
    if matrix.ndim != 2 or matrix.dtype != factor.dtype or matrix.size < _GRAM or matrix.shape[1] < 8:
        return None
    here, there = rows.__array_interface__, matrix.T.__array_interface__
    if here["data"] != there["data"] or rows.strides != matrix.T.strides or rows.shape != matrix.T.shape:
        return None
    low, high = factor.min(), factor.max()
    if not (low >= 0.0 or high <= 0.0):
        return None
    half = matrix * np.sqrt(np.abs(factor))[:, None]
    out = half.T @ half
    return out if low >= 0.0 else np.negative(out, out)


_GRAM = 1 << 14  # elements: below them the tests and the root cost more than half of a product


def _product_of_units(values, batched, units):
    """The products of all unit vectors with a matrix: its rows, or its columns; None where no product is of them."""
    at = 0 if batched[0] else 1
    other = values[1 - at]
    if all(batched) or values[at] is not units or getattr(other, "ndim", 0) != 2:
        return None
    if other.dtype != units.dtype or other.shape[at] != units.shape[0]:
        return None
    if isinstance(other, Tracer):
        return (other if at == 0 else other.T) * 1  # apart from it, and cheaper than a product
    if type(other) is not ndarray:
        return None
    return np.array(other if at == 0 else other.T, order="C")


def _outer(x, y):
    """`outer` of two vectors; of plain ones at once."""
    return x[:, None].dot(y[None]) if type(x) is ndarray and type(y) is ndarray else outer(x, y)


def _matmul_batch(x, y, batched, size):
    _check_product(x.shape[1:] if batched[0] else x.shape, y.shape[1:] if batched[1] else y.shape)
    if not batched[1]:
        if y.ndim == 1:
            return matmul(x, y)
        if x.ndim == 2:
            return matmul(x, y) if y.ndim == 2 else _squeeze_row(matmul(_row(x, y.ndim - 2), y))
        if y.ndim == 2:  # (B, …, n, k) @ (k, m) as one GEMM
            rows = x.reshape((-1, x.shape[-1])) if x.size else None
            if rows is None:
                return matmul(x, y)
            return matmul(rows, y).reshape((*x.shape[:-1], y.shape[-1]))
        return matmul(lift(x, y.ndim + 1), y)
    if not batched[0]:
        if y.ndim == 2:  # x @ vectors
            if x.ndim == 1:
                return matmul(y, x)
            return matmul(y, x.T) if x.ndim == 2 else _squeeze_column(matmul(x, _column(y, x.ndim - 2)))
        if x.ndim == 1:
            return matmul(x, y)
        return matmul(x, lift(y, x.ndim + 1))
    if x.ndim == 2 and y.ndim == 2:
        if x.dtype.kind in "fc" or y.dtype.kind in "fc":
            return (x * y).sum(axis=1)
        return matmul(_row(x, 1), _column(y, 1)).reshape((size,))  # a sum would widen small integers
    if x.ndim == 2:
        return _squeeze_row(matmul(_row(x, y.ndim - 3), y))
    if y.ndim == 2:
        return _squeeze_column(matmul(x, _column(y, x.ndim - 3)))
    rank = max(x.ndim, y.ndim)
    return matmul(lift(x, rank), lift(y, rank))


def lift(x, rank):
    """New axes behind the batch axis, up to `rank`."""
    return x if x.ndim >= rank else x.reshape((x.shape[0],) + (1,) * (rank - x.ndim) + tuple(x.shape[1:]))


def _row(x, lead):
    return x.reshape((x.shape[0],) + (1,) * lead + (1, x.shape[1]))


def _column(x, lead):
    return x.reshape((x.shape[0],) + (1,) * lead + (x.shape[1], 1))


def _squeeze_row(x):
    return x.reshape((*x.shape[:-2], x.shape[-1]))


def _squeeze_column(x):
    return x.reshape(x.shape[:-1])


matmul = primitive(
    "matmul",
    impl=_matmul,
    shape=_matmul_shape,
    jvp={"x": lambda dx, y: matmul(dx, y), "y": lambda dy, x: matmul(x, dy)},
    vjp={"x": _matmul_vjp_x, "y": _matmul_vjp_y},
    real_vjp={"x": _product_vjp_x, "y": _product_vjp_y},
    basis={"x": _product_basis_x, "y": _product_basis_y},
    gram=_gram,
    of_units=_product_of_units,
    batch=_matmul_batch,
    broadcasts=True,
    product="matrices",
    linear=("x", "y"),
    depends=product_of,
    samples=together(*[arrays(*s) for s in (
        ((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((5, 2, 3), (3, 2)), ((5, 2, 3), (5, 3, 1)),
        ((2, 3), (4, 3, 2)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
        ((2, 1, 2, 3), (4, 3, 2)), ((5, 2, 0), (0, 3)), ((5, 2, 3), (3, 0)))]),
)


def times(a, x):
    """Matrices times vectors, over any leading axes."""
    if x.ndim == 1:
        return matmul(a, x)
    out = matmul(a, x.reshape((*x.shape, 1)))
    return out.reshape(out.shape[:-1])


def _outer_shape(x, y):
    if not x.ndim or not y.ndim:
        raise ShapeError(f"outer needs operands of at least one axis, but got shapes {x.shape} and {y.shape}; use *"
                         f"{at_user_line()}")
    lead = broadcast_shape("outer", [x.shape[:-1], y.shape[:-1]])
    return make_aval((*lead, x.shape[-1], y.shape[-1]), result_dtype(x, y))


def _outer_batch(x, y, batched):
    if not batched[1] and y.ndim == 1 and x.dtype.kind in "fc":  # 35 us for 77 at 6400 x 20
        return matmul(x.reshape((-1, 1)), y[None]).reshape((*x.shape, y.shape[0]))
    lead = 1 + max(x.ndim - 1 - batched[0], y.ndim - 1 - batched[1])
    return outer(lift(x, lead + 1) if batched[0] else x, lift(y, lead + 1) if batched[1] else y)


# Broadcasting gives it, too; as a primitive its derivatives are products with vectors, not sums over products.
outer = primitive(
    "outer",  # x: (..., n), y: (..., m) -> (..., n, m)
    lies="order",
    impl=lambda xp, x, y: x[..., None] * y[..., None, :],
    lower=lambda x, y: x.reshape((*x.shape, 1)) * y.reshape((*y.shape[:-1], 1, y.shape[-1])),
    shape=_outer_shape,
    jvp={"x": lambda dx, y: outer(dx, y), "y": lambda dy, x: outer(x, dy)},
    vjp={"x": lambda ct, y: times(ct, conj(y)), "y": lambda ct, x: times(_mT(ct), conj(x))},
    batch=_outer_batch,
    linear=("x", "y"),
    lane=general_lane,  # leading axes broadcast, also those of matrices
    depends=lambda x, y, ans: outer_of(x.shape, y.shape, ans.shape),
    samples=together(*[arrays(*s) for s in (((3,), (2,)), ((2, 3), (2, 4)), ((2, 1), (3,)), ((3,), (2, 2)),
                                             ((2, 1, 3), (4, 2)), ((0,), (3,)))]),
)


def vecdot(x, y, axis=-1):
    """`np.vecdot`: the products of the vectors along `axis`, the first one conjugated."""
    x, y = _operands("vecdot", x, y, 1, 1)
    normal_axis(axis, min(x.ndim, y.ndim))
    if x.shape[axis] != y.shape[axis]:
        raise ShapeError(f"vecdot needs vectors of one length along axis {axis}, but got shapes {x.shape} and "
                         f"{y.shape}; slice or pad one of them{at_user_line()}")
    if axis != -1:
        x, y = (v.swapaxes(normal_axis(axis, v.ndim), -1) if v.ndim < 3 else _last(v, axis) for v in (x, y))
    return matmul(conj(x)[..., None, :], y[..., None])[..., 0, 0]


def _last(x, axis):
    axis = normal_axis(axis, x.ndim)
    return x.transpose((*[k for k in range(x.ndim) if k != axis], axis))


def matvec(x, y):
    """`np.matvec`: the products of matrices with vectors."""
    x, y = _operands("matvec", x, y, 2, 1)
    return matmul(x, y[..., None])[..., 0]


def vecmat(x, y):
    """`np.vecmat`: the products of vectors, conjugated, with matrices."""
    x, y = _operands("vecmat", x, y, 1, 2)
    return matmul(conj(x)[..., None, :], y)[..., 0, :]


def _operands(name, x, y, rank_x, rank_y):
    """Both operands as arrays or tracers, with at least so many axes."""
    x, y = (v if hasattr(v, "dtype") else np.asarray(v) for v in (x, y))
    if x.ndim < rank_x or y.ndim < rank_y:
        axes = {1: "one axis", 2: "two axes"}
        raise ShapeError(f"{name} needs operands of at least {axes[rank_x]} and {axes[rank_y]}, but got shapes "
                         f"{x.shape} and {y.shape}; reshape them{at_user_line()}")
    return x, y


def dot(x, y):
    """`np.dot`: a product of numbers, vectors, matrices, or the last axis with the last but one."""
    x, y = map(as_array, (x, y))
    x_ndim, y_ndim = x.ndim, y.ndim
    if not x_ndim or not y_ndim:
        return x * y
    if x_ndim <= 2 and y_ndim <= 2 or y_ndim == 1:
        return matmul(x, y)
    letters = "abcdefghijklmnopqrstuvwxy"
    left, right = letters[: x_ndim - 1], letters[x_ndim - 1 : x_ndim + y_ndim - 2]
    return einsum(x, y, subscripts=f"{left}z,{right[:-1]}z{right[-1:]}->{left}{right}")


# The contraction of two operands by subscripts: einsum, as one product of matrices.


@lru_cache(maxsize=1024)
def _contraction(subscripts):
    """The single matmul of a clean two-operand einsum: letters of batch, left, right and contracted axes."""
    terms, out = subscripts.split("->")
    left, right = terms.split(",")
    batch = [c for c in out if c in left and c in right]
    summed = [c for c in left if c in right and c not in out]
    only_left = [c for c in left if c not in right]
    only_right = [c for c in right if c not in left]
    moved = "".join(batch + only_left + only_right)
    return (
        tuple(left.index(c) for c in batch + only_left + summed),
        tuple(right.index(c) for c in batch + summed + only_right),
        len(batch), len(only_left), len(summed),
        tuple(moved.index(c) for c in out),
    )  # fmt: skip


def _einsum(xp, x, y, subscripts):
    left, right, batch, rows, summed, out = _contraction(subscripts)
    x = x.transpose(left)
    y = y.transpose(right)
    if not summed and not batch and not rows:
        return (x * y).transpose(out)
    head = x.shape[:batch]
    n = x.shape[batch : batch + rows]
    m = y.shape[batch + summed :]
    k = prod(x.shape[batch + rows :])
    x, y = x.reshape((*head, prod(n), k)), y.reshape((*head, k, prod(m)))
    answer = through_singles(xp.matmul, x, y) if are_halves(x, y) else xp.matmul(x, y)
    return answer.reshape((*head, *n, *m)).transpose(out)


def _einsum_shape(x, y, subscripts):
    terms, out = subscripts.split("->")
    sizes = {}
    for letters, aval in zip(terms.split(","), (x, y)):
        if len(letters) != aval.ndim:
            raise ShapeError(f"einsum term {letters!r} names {len(letters)} axes, but its operand has shape "
                             f"{aval.shape}; name each of its axes once{at_user_line()}")
        for c, n in zip(letters, aval.shape):
            if sizes.setdefault(c, n) != n:
                raise ShapeError(f"einsum index {c!r} has length {sizes[c]} in one operand and {n} in the other"
                                 f"; give equal lengths one letter{at_user_line()}")
    return make_aval(tuple(sizes[c] for c in out), result_dtype(x, y))


def _terms(subscripts):
    terms, out = subscripts.split("->")
    return (*terms.split(","), out)


def _einsum_vjp_x(ct, y, subscripts):
    """A sum of products is linear in each factor: its adjoint contracts c̄ with the other, conjugated."""
    x_term, y_term, out = _terms(subscripts)
    return einsum(ct, conj(y), subscripts=f"{out},{y_term}->{x_term}")


def _einsum_vjp_y(ct, x, subscripts):
    """As for x."""
    x_term, y_term, out = _terms(subscripts)
    return einsum(conj(x), ct, subscripts=f"{x_term},{out}->{y_term}")


def _einsum_batch(x, y, subscripts, batched):
    x_term, y_term, out = _terms(subscripts)
    fresh = next(c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in subscripts)
    return einsum(x, y, subscripts=f"{fresh * batched[0]}{x_term},{fresh * batched[1]}{y_term}->{fresh}{out}")


einsum = primitive(
    "einsum",  # two operands; each index occurs once an operand, and in the output or in both operands
    impl=lambda xp, x, y, *, subscripts: _einsum(xp, x, y, subscripts),
    shape=_einsum_shape,
    jvp={
        "x": lambda dx, y, subscripts: einsum(dx, y, subscripts),
        "y": lambda dy, x, subscripts: einsum(x, dy, subscripts),
    },
    vjp={"x": _einsum_vjp_x, "y": _einsum_vjp_y},
    batch=_einsum_batch,
    product="subscripts",
    linear=("x", "y"),
    depends=lambda x, y, ans, subscripts: subscripted(x.shape, y.shape, ans.shape, subscripts),
    samples=together(
        arrays((2, 3), (3, 4), subscripts="ij,jk->ik"),
        arrays((2, 3), (2, 3), subscripts="ij,ij->i"),
        arrays((2, 3), (2, 4), subscripts="bi,bj->jbi"),
        arrays((2,), (3,), subscripts="i,j->ji"),
        arrays((), (3,), subscripts=",j->j"),
        arrays((2, 3, 4), (4, 3), subscripts="abc,cb->a"),
        arrays((0, 3), (3,), subscripts="ij,j->i"),
    ),
)


# Derivative rules of products with a column-major matrix, such as a transposed weight.


def _first_by_columns(ct, y):
    """`ct @ y.T`, or the outer product of a vector and one, which lies column by column: see below."""
    return product(y, ct.T).T if ct.ndim == 2 else outer(y, ct).T


def _second_by_columns(ct, x):
    """`x.T @ ct`, which lies column by column: what is transposed again then needs no copy."""
    return product(ct.T, x).T if ct.ndim == 2 else outer(ct, x).T


_TURNED = Formula(_first_by_columns, ("y",), (0,)), Formula(_second_by_columns, ("x",), (1,))


def column_rule(prim, active, turned=(1,)):
    """The plain reverse rule of `matmul` or `affine` where the operands `turned` are matrices that lie column by
    column: so do their cotangents. The other operand is a matrix, or a vector."""
    changed = copy.copy(prim)
    changed.vjp = Rules(prim.vjp, {**prim.vjp.real, **{i: _TURNED[i] for i in turned}})
    rule = compile_rule(changed, active, True, ())
    rule.prim = prim
    return rule
