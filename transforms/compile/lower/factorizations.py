"""Lower systems, inverses and factorizations of matrices of up to 16 rows to loops."""

from math import prod

import numpy as np

from ....core.ops.linalg.small_solves import SMALL
from ...graph.equations import Literal
from ..loops.define import Array, Part, Stack
from ..loops.statements import Bound, Nest, Place, Step, UfuncCall, Value, axes_of
from ..machine.blas import lapack_loop

_ROWS = 16  # of larger matrices LAPACK's blocks are faster


def _of_one_kind(eq):
    a = eq.inputs[0].aval
    return (a.ndim > 1 and 0 < a.size and a.shape[-2] <= _ROWS and a.dtype.kind == "f" and all(
        v is None or v.aval.dtype == a.dtype and not v.aval.weak for v in (*eq.inputs, *eq.outputs)))


def is_system(eq, is_body, rank):
    """Tell whether an equation solves systems of few equations with few right sides, of one kind of float, but not one
    that elimination in registers takes."""
    a, beside, out = (v.aval for v in (eq.inputs[0], eq.inputs[-1], eq.outputs[0]))
    lead = a.shape[:-2]
    least = 0 if lead else SMALL * SMALL
    return (_of_one_kind(eq) and lead == out.shape[: out.ndim - rank]
            and beside.shape == out.shape[out.ndim - beside.ndim :] and beside.ndim >= rank
            and least < max(a.shape[-1] ** 2, out.size // prod(lead)) <= _ROWS * _ROWS)


def solve(writer, eq):
    """`x` with `a @ x = b`, or the inverse of `a`."""
    a, out = eq.inputs[0], eq.outputs[0]
    n = a.aval.shape[-1]
    work = Stack(writer, a, 2)
    beside = eq.inputs[1] if len(eq.inputs) > 1 else Literal(np.eye(n, dtype=out.aval.dtype))
    left = work.copy(a, (n, n))
    right = work.copy(beside, (n, out.aval.size // (n * work.count)), out.aval.shape)
    for t in work.each():
        _eliminate(work.body, Part(left, t), Part(right, t))
    writer.work += writer.repeat * work.count * n * (n * n + right.shape[2])
    work.give(out, right)


def is_substituted(eq, is_body):
    """Tell whether an equation solves few triangular equations with few right sides, of one kind of float."""
    a, b, out = (v.aval for v in (*eq.inputs, *eq.outputs))
    return (_of_one_kind(eq) and b.shape == out.shape and a.shape[:-2] in ((), out.shape[:-2]) and out.size > 0
            and out.shape[-2] * out.shape[-1] <= _ROWS * _ROWS)


def substitute(writer, eq):
    """The solution of triangular equations, one unknown after the other."""
    (a, b), (lower, trans, unit), out = eq.inputs, eq.params, eq.outputs[0]
    *lead, n, m = out.aval.shape
    work = Stack(writer, out, 2)
    body, left, right = work.body, work.copy(a, (n, n), (*lead, n, n)), work.copy(b, (n, m))
    down = lower != bool(trans)
    for t in work.each():
        x, y = Part(left, t), Part(right, t)
        for turn in body.range(n):
            k = turn if down else n - 1 - turn
            if not unit:
                _require(body, x[k, k].differs(0.0))
                for j in body.range(m):
                    y[k, j] = y[k, j] / x[k, k]
            for i in body.range(n, k + 1) if down else body.range(k):
                factor = x[k, i] if trans else x[i, k]
                for j in body.range(m):
                    y[i, j] = y[i, j] - factor * y[k, j]
    writer.work += writer.repeat * work.count * n * n * m
    work.give(out, right)


def is_factorized(eq, is_body):
    """Tell whether an equation factorizes matrices of few rows, of one kind of float."""
    return _of_one_kind(eq)


def cholesky(writer, eq):
    """The lower triangular factor, row by row (Higham (2002), algorithm 10.2)."""
    a, out = eq.inputs[0], eq.outputs[0]
    n = a.aval.shape[-1]
    work = Stack(writer, a, 2)
    body, given, factors = work.body, work.copy(a, (n, n)), work.new((n, n))
    for t in work.each():
        x, factor = Part(given, t), Part(factors, t)
        for i in body.range(n):
            for j in body.range(i + 1):
                total = body.cell(x[i, j] if eq.params[0] else (x[i, j] + x[j, i]) * 0.5, work.kind)
                for k in body.range(j):
                    total.set(total.get() - factor[i, k] * factor[j, k])
                for _ in body.when(j < i):
                    factor[i, j] = total.get() / factor[j, j]
                    factor[j, i] = 0.0
                for _ in body.when(j.equals(i)):
                    _require(body, total.get() > 0.0)
                    factor[i, i] = body.run("sqrt", total.get())
    writer.work += writer.repeat * work.count * (n**3 // 3 + n)
    work.give(out, factors)


def qr(writer, eq):
    """Q and R by reflections (Higham (2002), section 19.2), with LAPACK's signs."""
    a, (q, r) = eq.inputs[0], eq.outputs
    m, n = a.aval.shape[-2:]
    columns = m if eq.params[0] else n
    work = Stack(writer, a, 2)
    body, kind, given = work.body, work.kind, work.copy(a, (m, n))
    first, second, factors = map(work.new, ((m, columns), (n, n), (n,)))
    for t in work.each():
        x, upper, turned, scale = (Part(v, t) for v in (given, second, first, factors))
        for k in body.range(n):
            scale[k,] = _reflection(body, x, k)
            for j in body.range(n, k + 1):
                _reflect(body, x, k, scale[k,], x, j)
        for i in body.range(n):
            for j in body.range(n):
                upper[i, j] = body.where(j < i, body.scalar(0.0, kind), x[i, j])
        if q is None:
            continue
        for i in body.range(m):
            for j in body.range(columns):
                turned[i, j] = body.where(j.equals(i), body.scalar(1.0, kind), body.scalar(0.0, kind))
        for back in body.range(n):
            k = n - 1 - back
            for j in body.range(columns, k):
                _reflect(body, x, k, scale[k,], turned, j)
    writer.work += writer.repeat * work.count * 4 * m * n * n
    for out, found in ((q, first), (r, second)):
        if out is not None:
            work.give(out, found)


# What LAPACK does better, and what is not written here: NumPy's own calls of it.

_NEVER_FAIL = ("slogdet", "det")


def lapack_of(eq):
    """The loop of LAPACK that an equation is, and its signature; None where it is of no kind that this has."""
    avals = [v.aval for v in (*eq.inputs, *eq.outputs) if v is not None]
    if any(a.dtype != avals[0].dtype or a.weak or not a.size for a in avals) or avals[0].ndim < 2:
        return None
    found = lapack_loop(eq.prim.lapack(*eq.params)[0]) if avals[0].dtype.kind == "f" else None
    if found is None:
        return None
    lead = avals[0].shape[:-2]
    for k, (v, part) in enumerate(zip((*eq.inputs, *eq.outputs), axes_of(found[1]), strict=True)):
        if v is not None:  # as many results as matrices
            one = v.aval.shape[: v.aval.ndim - len(part)]
            if one != lead and (one or k >= len(eq.inputs)):
                return None
    return found


def call_lapack(writer, eq):
    """Call LAPACK as NumPy does; where it fails, the function ends, and NumPy says why."""
    loop, signature = lapack_of(eq)
    parts = axes_of(signature)
    work = Stack(writer, eq.inputs[0], 2)
    body, places, found = work.body, [], []
    for v, part in zip(eq.inputs, parts):
        rank = len(part)
        places.append(work.copy(v, v.aval.shape[v.aval.ndim - rank :], (*eq.inputs[0].aval.shape[:-2],
                                                                     *v.aval.shape[v.aval.ndim - rank :])))
    a = places[0]
    if eq.prim.lapack(*eq.params)[1]:
        for t in work.each():
            matrix = Part(a, t)
            for i in body.range(matrix.shape[0]):
                for j in body.range(i):
                    matrix[i, j] = (matrix[i, j] + matrix[j, i]) * 0.5
                    matrix[j, i] = matrix[i, j]
    avals = eq.prim.shape([v.aval for v in eq.inputs], eq.params)
    for aval, part in zip(avals if eq.prim.outputs else (avals,), parts[len(eq.inputs) :], strict=True):
        shape = work.count, *aval.shape[aval.ndim - len(part) :]
        found.append(Array(body, writer.new(shape, "f64").memory, shape))
    places = [_in_kind(writer, x, "f64") for x in places]  # NumPy computes so in single precision, too
    writer.add(UfuncCall(loop, signature, [Place(x.memory, x.shape) for x in (*places, *found)]))
    if loop.name not in _NEVER_FAIL:
        for t in work.each():
            first = found[-1][t, *[0] * (len(found[-1].shape) - 1)]
            _require(body, first.equals(first))
    writer.work += writer.repeat * work.count * 8 * a.shape[1] * a.shape[1] * a.shape[2]
    for out, x in zip(eq.outputs, found):
        if out is not None:
            work.give(out, _in_kind(writer, x, work.kind))


def _in_kind(writer, x, kind):
    """An array, or a copy of it in another kind."""
    if x.kind == kind:
        return x
    old, new, memory = Value(x.kind), Value(kind), writer.new(x.shape, kind).memory
    writer.nest(Nest(x.shape, [(old, Place(x.memory, x.shape))], [Step("cast", kind, [new], [[old]])],
                     [(new, Place(memory, x.shape))]))
    return Array(x.body, memory, x.shape)


def _reflection(body, x, k):
    """Turn column k of `x` from row k on into the vector of a reflection, its first element 1 not stored, and give its
    factor: 0 where what is below the diagonal is 0 already."""
    m, kind = x.shape[0], x.kind
    size = body.cell(0.0, kind)
    for i in body.range(m, k + 1):
        size.set(body.maximum(size.get(), body.run("absolute", x[i, k])))
    factor = body.cell(0.0, kind)
    for _ in body.when(size.get().differs(0.0)):  # NaN goes on
        top = x[k, k]
        largest = body.maximum(size.get(), body.run("absolute", top))  # squares of quotients do not overflow
        part = top / largest
        total = body.cell(part * part, kind)
        for i in body.range(m, k + 1):
            part = x[i, k] / largest
            total.set(total.get() + part * part)
        length = -body.run("copysign", largest * body.run("sqrt", total.get()), top)
        factor.set((length - top) / length)
        for i in body.range(m, k + 1):
            x[i, k] = x[i, k] / (top - length)
        x[k, k] = length
    return factor.get()


def _reflect(body, x, k, factor, y, j):
    """Reflect column j of `y` by the vector in column k of `x`."""
    m = x.shape[0]
    total = body.cell(y[k, j], x.kind)
    for i in body.range(m, k + 1):
        total.set(total.get() + x[i, k] * y[i, j])
    step = factor * total.get()
    y[k, j] = y[k, j] - step
    for i in body.range(m, k + 1):
        y[i, j] = y[i, j] - x[i, k] * step


def _require(body, holds):
    """End the function where a condition does not hold: NumPy then runs, and says why."""
    # 1 is no place on an axis of one element: the way out of bounds is taken.
    body.statements.append(Bound(Value("i64"), (1 - body.cast(holds, "i64")).value, 1))


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
        _require(body, top.differs(0.0))
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
