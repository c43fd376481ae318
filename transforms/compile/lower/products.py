"""Lower products of vectors and matrices: unrolled where small, calls of BLAS where large."""

from math import prod

import numpy as np

from ....core.arrays.avals import make_aval
from ....core.types import Any
from ...graph.equations import Var
from ..loops.nests import add_nest
from ..loops.statements import KINDS, Const, Counter, Loop, Memory, Nest, Place, Product, Step, Value, compact_strides

_SMALL = 1 << 12  # products of numbers in one product of matrices, up to which loops do without a library
_OFTEN = 8  # turns of a loop, from which its matrices are copied to lie as a product takes them best
_COPIED = 1 << 20  # elements of such a matrix, at most
_WRITTEN_OUT = 128  # products of numbers that are written one by one


def is_small(x, y):
    """Tell whether a product of arrays of these avals needs no library."""
    return few_products(x.shape[-2] if x.ndim > 1 else 1, x.shape[-1], y.shape[-1] if y.ndim > 1 else 1)


def few_products(n, k, m):
    """Tell whether loops do a product of such matrices: it is small, or of one column with one row."""
    return n * k * m <= _SMALL or k == 1 or n == m == 1


def matmul(writer, eq):
    """`x @ y` of vectors, matrices and stacks of matrices."""
    (v, w), out = eq.inputs, eq.outputs[0]
    kind = KINDS[out.aval.dtype]
    n, k = (1, *v.aval.shape)[-2:]
    m = w.aval.shape[-1] if w.aval.ndim > 1 else 1
    if writer.few(out.aval) and out.aval.size * k <= _WRITTEN_OUT and writer.few(v.aval) and writer.few(w.aval):
        writer.values[out] = _written_out(writer, writer.held(v), writer.held(w), out.aval, kind)
        return
    if k == 1 and n * m > 1:  # a product over one element is elementwise, and joins a nest
        _spread(writer, v, w, out, kind)
        return
    x, y = writer.place(v), writer.place(w)
    place = writer.values[out] = writer.result(out)
    a = x if len(x.shape) > 1 else x.seen(lambda t: t[None])
    b = y if len(y.shape) > 1 else y.seen(lambda t: t[:, None])
    c = place
    if len(y.shape) == 1:
        c = c.seen(lambda t: t[..., None])
    if len(x.shape) == 1:
        c = c.seen(lambda t: t[..., None, :])
    lead = c.shape[:-2]
    multiplied(writer, a.spread((*lead, n, k)), b.spread((*lead, k, m)), c)


def multiplied(writer, a, b, c):
    """Write `c = a @ b` for places of as many axes."""
    *lead, n, k = a.shape
    m = b.shape[-1]
    if few_products(n, k, m):
        _by_loops(writer, a, b, c, (*lead, n, k, m), a.kind)
        return
    a, b = _laid_before(writer, a), _laid_before(writer, b)
    if not writer.library:
        _by_loops(writer, a, b, c, (*lead, n, k, m), a.kind)
        return
    a, b = _in_lines(writer, a), _in_lines(writer, b)
    writer.work += writer.repeat * prod(lead) * n * k * m / 4
    statements: list[Any] = []
    counters = [Counter() for _ in lead]
    for counter in counters:
        a, b, c = a.row(counter), b.row(counter), c.row(counter)
    statements.append(Product(a, b, c))  # a call of the library for each matrix of the stack
    for counter, count in zip(reversed(counters), reversed(lead)):
        statements = [Loop(counter, count, False, statements)]
    writer.statements += statements


def contraction(subscripts):
    """The axes of both operands as (batch, rows, summed) and (batch, summed, columns), how many of each there are, and
    the axes of the result in terms of (batch, rows, columns)."""
    terms, out = subscripts.split("->")
    left, right = terms.split(",")
    batch = [c for c in out if c in left and c in right]
    summed = [c for c in left if c in right and c not in out]
    rows, columns = [c for c in left if c not in right], [c for c in right if c not in left]
    moved = [*batch, *rows, *columns]
    return (tuple([left.index(c) for c in (*batch, *rows, *summed)]),
            tuple([right.index(c) for c in (*batch, *summed, *columns)]), len(batch), len(rows), len(summed),
            tuple([moved.index(c) for c in out]))


def sizes(eq):
    """The rows, summed elements and columns of the products of matrices that an einsum comes down to."""
    left, right, batch, rows, summed, _ = contraction(eq.params[0])
    x, y = [[v.aval.shape[k] for k in order] for v, order in zip(eq.inputs, (left, right))]
    return prod(x[batch : batch + rows]), prod(x[batch + rows :]), prod(y[batch + summed :])


def einsum(writer, eq):
    """A contraction of two operands, as a stack of products of matrices."""
    (v, w), out = eq.inputs, eq.outputs[0]
    left, right, batch, rows, summed, order = contraction(eq.params[0])
    n, k, m = sizes(eq)
    x_shape = [v.aval.shape[axis] for axis in left]
    y_shape = [w.aval.shape[axis] for axis in right]
    head, inner, across = tuple(x_shape[:batch]), x_shape[batch : batch + rows], y_shape[batch + summed :]
    if k == 1:
        ones = (1,) * len(across)
        x = _seen(writer, v, lambda a: a.transpose(left)[(..., *(0,) * summed, *(None,) * len(ones))].transpose(order))
        y = _seen(writer, w, lambda a: a.transpose(right)[
            (*(slice(None),) * batch, *(0,) * summed, *(None,) * rows, Ellipsis)].transpose(order))
        writer.step("multiply", KINDS[out.aval.dtype], out, [x, y])
        return
    # Straight-line code, in registers.
    if all(map(writer.few, (v.aval, w.aval, out.aval))) and out.aval.size * k <= _WRITTEN_OUT:
        x = writer.held(v).transpose(left).reshape((*head, n, k))
        y = writer.held(w).transpose(right).reshape((*head, k, m))
        found = _written_out(writer, x, y, make_aval((*head, *inner, *across), out.aval.dtype), KINDS[out.aval.dtype])
        writer.values[out] = found.transpose(order)
        return
    a = merged(writer, writer.place(v).seen(lambda t: t.transpose(left)), (*head, n, k))
    b = merged(writer, writer.place(w).seen(lambda t: t.transpose(right)), (*head, k, m))
    turned = None
    if batch and out not in writer.targets:  # its matrices one after the other
        turned = writer.new((*head, *inner, *across), KINDS[out.aval.dtype])
    # The order of axes costs nothing as strides.
    place = writer.result(out) if turned is None else turned.seen(lambda t: t.transpose(order))
    turned = turned or place.seen(lambda t: t.transpose(np.argsort(order)))
    c = turned.reshaped((*head, n, m))
    if c is None or not few_products(n, k, m) and not _lies_in_lines(c):
        c = writer.new((*head, n, m), place.kind)  # a library writes rows or columns; the copy orders them
    multiplied(writer, a, b, c)
    if c.memory is not place.memory:
        writer.copy(c.reshaped(turned.shape), turned)
    writer.values[out] = place


def merged(writer, x, shape):
    """A place in another shape, or a copy that is."""
    found = x.reshaped(shape)
    return writer.copied(x).reshaped(shape) if found is None else found


def _spread(writer, v, w, out, kind):
    """A product over one element."""
    x = _seen(writer, v, (lambda a: a[..., 0]) if w.aval.ndim == 1 else (lambda a: a))
    first = (lambda a: a[0]) if w.aval.ndim == 1 else (lambda a: a[..., 0, :])
    y = _seen(writer, w, first if v.aval.ndim == 1 else (lambda a: a))
    writer.step("multiply", kind, out, [x, y])


def _seen(writer, v, change):
    """A variable for a view of another."""
    found = writer.value(v)
    found = found.seen(change) if type(found) is Place else np.asarray(change(found), object)
    view = Var(make_aval(tuple(found.shape), v.aval.dtype))
    writer.values[view] = found
    return view


def _written_out(writer, x, y, aval, kind):
    a = x if x.ndim > 1 else x[None]
    b = y if y.ndim > 1 else y[:, None]
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, k, m = a.shape[-2], a.shape[-1], b.shape[-1]
    a, b = np.broadcast_to(a, (*lead, n, k)), np.broadcast_to(b, (*lead, k, m))
    shape = (*lead, n, m)
    total: Any = None  # in the order of the sum: rounded as a loop would
    for j in range(k):
        part = writer.computed("multiply", kind, shape, [np.broadcast_to(a[..., j : j + 1], shape),
                                                         np.broadcast_to(b[..., j : j + 1, :], shape)], kind)
        total = part if total is None else writer.computed("add", kind, shape, [total, part], kind)
    return total.reshape(aval.shape)


def _by_loops(writer, a, b, c, shape, kind):
    writer.fill(c, Const(0.0, kind))  # nests fold into what a place holds
    x, y, xy = Value(kind), Value(kind), Value(kind)
    lead = shape[:-3]
    over = len(lead)
    writer.nest(Nest(
        shape,
        [(x, a.laid(shape, (*a.strides, 0))), (y, b.laid(shape, (*b.strides[:over], 0, *b.strides[over:])))],
        [Step("multiply", kind, [xy], [[x], [y]])], [],
        [("add", xy, c.laid(shape, (*c.strides[: over + 1], 0, c.strides[-1])))]))


def _laid_before(writer, x):
    """A matrix that a loop is given, with unit stride along its rows: for one that is not, a copy before the loop.

    Products of few rows with a transposed matrix take half as long again.
    """
    (n, m), (down, right) = x.shape[-2:], x.strides[-2:]
    # A copy pays over many turns.
    if writer.repeat < _OFTEN or not 2 <= min(n, m) <= n * m <= _COPIED or right == 1 or down != 1:
        return x
    if x.memory in writer.local or x.moving or any(x.strides[:-2]):  # it changes from turn to turn
        return x
    statements, copies = writer.around
    key = x.memory, x.offset, x.shape[-2:], x.strides[-2:]  # two products with one matrix share its copy
    if key not in copies:
        place = copies[key] = Place(Memory(x.kind, n * m), (n, m))
        value = Value(x.kind)
        add_nest(statements, Nest((n, m), [(value, Place(x.memory, (n, m), (down, right), x.offset))], [], [
            (value, place)]))
    copy = copies[key]
    return Place(copy.memory, x.shape, (*x.strides[:-2], *copy.strides))


def _lies_in_lines(x):
    (n, m), (down, right) = x.shape[-2:], x.strides[-2:]
    return (right == 1 or m == 1) and (down >= m or n == 1) or (down == 1 or n == 1) and (right >= n or m == 1)


def _in_lines(writer, x):
    """Matrices with unit stride along rows or columns, as the library takes them."""
    if _lies_in_lines(x):
        return x
    shape = tuple(1 if not s else n for n, s in zip(x.shape[:-2], x.strides)) + x.shape[-2:]
    place = writer.copied(x.laid(shape, x.strides))
    strides = compact_strides(shape)
    return Place(place.memory, x.shape, [0 if n == 1 else s for n, s in zip(shape, strides)])
