"""Running sums and products, products of rows, and triangles of matrices, as loops."""

import numpy as np

from ..arrays.sums import shaped
from ..primitive.kernels import LEAST, Loops, stripes

ndarray = np.ndarray


def _rows(x, axis):
    """An array as (before, along the axis, behind); None for what NumPy does."""
    if x.dtype.kind != "f":
        return None
    lead, n = x.shape[:axis], x.shape[axis]
    before = int(np.prod(lead))
    return (x.reshape(before, n, x.size // (before * n)),)


def _running(name):
    def define(k, x):
        """NumPy's additions in NumPy's order: several rows at a time, or all that lie side by side."""
        before, n, behind = x.shape
        out = k.output(x.kind, (before, n, behind))
        lost = k.cell(0, x.kind)  # NaN where something is not finite, which NumPy may warn of
        combine = (lambda a, b: a + b) if name == "cumsum" else (lambda a, b: a * b)

        def step(at, j, b):
            total = combine(out[at, j - 1, b], x[at, j, b])
            out[at, j, b] = total
            lost.add(total - total)

        for _ in k.when(behind.equals(1)):
            for rows in stripes(k, before):
                totals = [k.cell(x[i, 0, 0], x.kind) for i in rows]
                for i, total in zip(rows, totals):
                    out[i, 0, 0] = total.get()
                for j in k.range(n, 1):
                    for i, total in zip(rows, totals):
                        total.set(combine(total.get(), x[i, j, 0]))
                        out[i, j, 0] = total.get()
                for total in totals:  # what is not finite stays so, or becomes NaN
                    lost.add(total.get() - total.get())
        for _ in k.when(behind.differs(1)):
            for i in k.range(before):
                for b in k.range(behind, vectors=True):
                    out[i, 0, b] = x[i, 0, b]
                for j in k.range(n, 1):
                    for b in k.range(behind, vectors=True):
                        step(i, j, b)
        k.refuse(lost.get().differs(0))

    return Loops(define, _rows, lambda out, x, axis: shaped(out, x.shape), LEAST)


RUNNING_SUMS = _running("cumsum")
_RUNNING_PRODUCTS = _running("cumprod").runner("cumprod")


def running_products(xp, x, axis):
    """The product of all elements up to each."""
    out = _RUNNING_PRODUCTS(x, axis) if type(x) is ndarray and x.size >= LEAST else None
    return xp.cumprod(x, axis=axis) if out is None else out


def _recurrence(k, a, b):
    """`z[j] = a[j] z[j - 1] + b[j]`."""
    before, n, behind = b.shape
    k.require(a.shape[0].equals(before), a.shape[1].equals(n), a.shape[2].equals(behind))
    out = k.output(b.kind, (before, n, behind))
    lost = k.cell(0, b.kind)
    for i in k.range(before):
        for c in k.range(behind, vectors=True):
            out[i, 0, c] = b[i, 0, c]
        for _ in k.when(behind.equals(1)):
            z = k.cell(b[i, 0, 0], b.kind)
            for j in k.range(n, 1):
                z.set(a[i, j, 0] * z.get() + b[i, j, 0])
                out[i, j, 0] = z.get()
            lost.add(z.get() - z.get())
        for _ in k.when(behind.differs(1)):
            for j in k.range(n, 1):
                for c in k.range(behind, vectors=True):
                    z = a[i, j, c] * out[i, j - 1, c] + b[i, j, c]
                    out[i, j, c] = z
                    lost.add(z - z)
    k.refuse(lost.get().differs(0))


_FEW = 1 << 8  # elements, below which NumPy's steps cost less than a compilation


def _pair(a, b, axis):
    if type(a) is not ndarray or a.shape != b.shape or b.size < _FEW:
        return None
    found = _rows(b, axis)
    return None if found is None else (a.reshape(found[0].shape), *found)


RECURRENCE = Loops(_recurrence, _pair, lambda out, a, b, axis: shaped(out, b.shape)).runner("recurrence")


def _others(k, x):
    """The product of all elements before each along an axis, times that of all behind it."""
    before, n, behind = x.shape
    out = k.output(x.kind, (before, n, behind))
    rest = k.scratch(x.kind, (behind,))

    for _ in k.when(behind.equals(1)):
        for rows in stripes(k, before):
            totals = [k.cell(1, x.kind) for _ in rows]
            for j in k.range(n):
                for i, total in zip(rows, totals):
                    out[i, j, 0] = total.get()
                    total.set(total.get() * x[i, j, 0])
            for total in totals:
                total.set(1)
            for turned in k.range(n):
                j = n - 1 - turned
                for i, total in zip(rows, totals):
                    out[i, j, 0] = out[i, j, 0] * total.get()
                    total.set(total.get() * x[i, j, 0])
    for _ in k.when(behind.differs(1)):
        for i in k.range(before):
            for b in k.range(behind, vectors=True):
                out[i, 0, b] = 1
                rest[b] = 1
            for j in k.range(n, 1):
                for b in k.range(behind, vectors=True):
                    out[i, j, b] = out[i, j - 1, b] * x[i, j - 1, b]
            for turned in k.range(n):
                j = n - 1 - turned
                for b in k.range(behind, vectors=True):
                    out[i, j, b] = out[i, j, b] * rest[b]
                    rest[b] = rest[b] * x[i, j, b]


def _side_by_side(x, axes):
    """An array as (before, along axes that follow each other, behind); None for what is done in steps."""
    if x.dtype.kind != "f" or x.size < _FEW or tuple(axes) != tuple(range(axes[0], axes[0] + len(axes))):
        return None
    behind = int(np.prod(x.shape[axes[-1] + 1 :]))
    n = int(np.prod([x.shape[a] for a in axes]))
    return (x.reshape(-1, n, behind),)


OTHERS = Loops(_others, _side_by_side, lambda out, x, axes: shaped(out, x.shape)).runner("products of others")


def _products(k, x):
    """One number a row, multiplied in another order than NumPy's, which has no vectors for it."""
    m, n = x.shape
    out = k.output(x.kind, (m,))
    for i in k.range(m):
        total = k.cell(1, x.kind)
        for j in k.range(n, vectors=True):
            total.multiply(x[i, j])
        found = total.get()
        k.refuse((found - found).differs(0) | found.equals(0))  # in NumPy's order it may neither over- nor underflow
        out[i] = found


def _whole_rows(x, axes, keepdims):
    """The rows over the last axes; None for what NumPy does."""
    if x.dtype.kind != "f" or not axes:
        return None
    first = x.ndim - len(axes)
    if tuple(axes) != tuple(range(first, x.ndim)) or not x.flags.c_contiguous:
        return None
    return (x.reshape(int(np.prod(x.shape[:first])), -1),)


def _reshaped(out, x, axes, keepdims):
    first = x.ndim - len(axes)
    if not first and not keepdims:
        return out[0]
    return shaped(out, x.shape[:first] + (1,) * (keepdims * len(axes)))


PRODUCTS = Loops(_products, _whole_rows, _reshaped, LEAST)


def _parts(k, x, diagonal, upper):
    """Rows of matrices (b, m, n): up to a column, or from it on."""
    b, m, n = x.shape
    out = k.output(x.kind, (b, m, n))
    for i in k.range(b):
        for j in k.range(m):
            end = j + diagonal + 1 - upper
            end = k.where(end < 0, k.scalar(0, "i64"), k.where(end > n, n, end))
            for _ in k.when(upper.equals(0)):
                for c in k.range(end, vectors=True):
                    out[i, j, c] = x[i, j, c]
                for c in k.range(n, end, vectors=True):
                    out[i, j, c] = 0
            for _ in k.when(upper.equals(1)):
                for c in k.range(end, vectors=True):
                    out[i, j, c] = 0
                for c in k.range(n, end, vectors=True):
                    out[i, j, c] = x[i, j, c]


def _matrices(x, k, upper):
    return x.reshape(-1, *x.shape[-2:]), k, int(upper)


TRIANGLE = Loops(_parts, _matrices, lambda out, x, k, upper: shaped(out, x.shape), LEAST)
