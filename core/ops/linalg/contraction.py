"""The contraction of two operands by subscripts: einsum, as one product of matrices."""

from functools import lru_cache
from math import prod

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ..dependence import subscripted
from ..half_loops import are_halves, through_singles
from ..samples import arrays, together


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

