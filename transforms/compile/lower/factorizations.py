"""Lower systems of equations and inverses of matrices of up to 16 rows to loops: elimination with partial pivoting."""

import numpy as np

from ....core.ops.linalg.small_solves import SMALL
from ...graph.equations import Literal
from ..loops.define import Array, Body
from ..loops.kinds import KINDS
from ..loops.statements import Bound, Value

_ROWS = 16  # of larger matrices LAPACK's blocks are faster


def is_system(eq, is_body, rank):
    """Tell whether an equation solves one system of few equations with few right sides, of one kind of float and not
    of stacks, but not one that elimination in registers takes."""
    a, out = eq.inputs[0].aval, eq.outputs[0].aval
    return (a.ndim == 2 and a.shape[0] <= _ROWS and SMALL * SMALL < max(a.size, out.size) <= _ROWS * _ROWS
            and a.dtype.kind == "f" and eq.inputs[-1].aval.ndim == out.ndim == rank and all(
                v.aval.dtype == a.dtype and not v.aval.weak for v in (*eq.inputs, *eq.outputs)))


def solve(writer, eq):
    """`x` with `a @ x = b`, or the inverse of `a`."""
    a, out = eq.inputs[0], eq.outputs[0]
    n, count = a.aval.shape[0], out.aval.size // a.aval.shape[0]
    kind = KINDS[out.aval.dtype]
    beside = eq.inputs[1] if len(eq.inputs) > 1 else Literal(np.eye(n, dtype=out.aval.dtype))
    left, right = writer.new(a.aval.shape, kind), writer.new(out.aval.shape, kind)
    writer.copy(a, left)
    writer.copy(beside, right)
    body = Body(0)
    body.statements = writer.statements
    _eliminate(body, Array(body, left.memory, (n, n)), Array(body, right.memory, (n, count)))
    writer.work += writer.repeat * n * n * (n + count)
    place = writer.result(out)
    writer.copy(right, place)
    writer.values[out] = place


def _eliminate(body, a, b):
    """Turn `b` into the solution; where a pivot is 0 the function ends."""
    (n, m), kind = b.shape, a.kind
    for k in body.range(n):
        best, at = body.cell(body.run("absolute", a[k, k]), kind), body.cell(k, "i64")
        for i in body.range(n, k + 1):
            size = body.run("absolute", a[i, k])
            for _ in body.when(size > best.get()):
                best.set(size)
                at.set(i)
        other = at.get()
        for x, columns in ((a, n), (b, m)):
            for j in body.range(columns):
                x[k, j], x[other, j] = x[other, j], x[k, j]
        top = a[k, k]
        # 1 is no place on an axis of one element: the way out of bounds is taken.
        body.statements.append(Bound(Value("i64"), body.cast(top.equals(0.0), "i64").value, 1))
        for i in body.range(n, k + 1):
            factor = a[i, k] / top
            for j in body.range(n, k + 1):
                a[i, j] = a[i, j] - factor * a[k, j]
            for j in body.range(m):
                b[i, j] = b[i, j] - factor * b[k, j]
    for t in body.range(n):
        k = n - 1 - t
        for j in body.range(m):
            b[k, j] = b[k, j] / a[k, k]
        for i in body.range(k):
            for j in body.range(m):
                b[i, j] = b[i, j] - a[i, k] * b[k, j]
