"""Lower searches in rows, running and scattered extremes and products of integers to loops."""

from math import prod

from ..loops.define import within
from ..loops.statements import KINDS, Const, Place

_ORDERED = ("f64", "f32", "i64", "i32")


def of_one_kind(eq, is_body=None):
    """Tell whether operands are strong numbers of one dtype, which loops can put in order."""
    avals = [v.aval for v in eq.inputs]
    return (len({a.dtype for a in avals}) == 1 and not any(a.weak for a in avals)
            and KINDS.get(avals[0].dtype) in _ORDERED)


def searchsorted(writer, eq):
    """The place of each element of `v` in its row of `x`: of halves the one where it lies, again and again."""
    (x, v), (side,), out = eq.inputs, eq.params, eq.outputs[0]
    n, count = x.aval.shape[-1], prod(x.aval.shape[:-1])
    rows, wanted = _flat(writer, x, (count, n)), _flat(writer, v, (count, v.aval.size // count))
    (place, found), body = _result(writer, out, wanted.shape), within(writer)
    for t in body.range(count):
        row = rows.row(t.value)
        for j in body.range(wanted.shape[1]):
            value, low = body.load(_at(wanted, t, j)), body.cell(0, "i64")
            rest = n
            while rest:  # branches would be guessed wrong each other time: all elements take the same steps
                half = rest + 1 >> 1
                other = body.load(_at(row, low.get() + (half - 1)))
                before = _before(other, value) if side == "left" else _before(value, other).equals(False)
                low.set(low.get() + body.where(before, body.scalar(half, "i64"), 0))
                rest -= half
            body.store(low.get(), _at(found, t, j))
    writer.work += writer.repeat * v.aval.size * n.bit_length()
    _give(writer, out, place, found)


def _before(x, y):
    """The order of a sort: NaN is behind all numbers."""
    return (x < y) | (y.differs(y) & x.equals(x)) if x.kind[0] == "f" else x < y


def running_place(no_better):
    """Lower the place of the best element up to each: of equal ones the first, NaN before all.

    Args:
        no_better: a test `(new, old)`, which does not hold of NaN.
    """
    def write(writer, eq):
        (v,), (axis,), out = eq.inputs, eq.params, eq.outputs[0]
        shape = prod(v.aval.shape[:axis]), v.aval.shape[axis], prod(v.aval.shape[axis + 1 :])
        x, (place, found), body = _flat(writer, v, shape), _result(writer, out, shape), within(writer)
        for p in body.range(shape[0]):
            for b in body.range(shape[2]):
                best, at = body.cell(body.load(_at(x, p, 0, b)), x.kind), body.cell(0, "i64")
                for j in body.range(shape[1]):
                    new, old = body.load(_at(x, p, j, b)), best.get()
                    taken = no_better(new, old).equals(False)
                    if x.kind[0] == "f":
                        taken = taken & old.equals(old)
                    best.set(body.where(taken, new, old))
                    at.set(body.where(taken, j, at.get()))
                    body.store(at.get(), _at(found, p, j, b))
        writer.work += writer.repeat * v.aval.size
        _give(writer, out, place, found)

    return write


def is_product_of_integers(eq):
    """Tell whether matrices, or stacks of equally many, of one kind of integer are multiplied."""
    x, y = (v.aval for v in eq.inputs)
    return (of_one_kind(eq) and x.dtype.kind == "i" and x.dtype == eq.outputs[0].aval.dtype and x.ndim == y.ndim > 1
            and x.shape[:-2] == y.shape[:-2])


def product_of_integers(writer, eq):
    """Rows of the result as sums of multiples of rows, which lie side by side."""
    (x, y), out = eq.inputs, eq.outputs[0]
    (n, k), m, count = x.aval.shape[-2:], y.aval.shape[-1], prod(x.aval.shape[:-2])
    left, right = _flat(writer, x, (count, n, k)), _flat(writer, y, (count, k, m))
    (place, found), body = _result(writer, out, (count, n, m)), within(writer)
    for t in body.range(count):
        for i in body.range(n):
            for j in body.range(m, vectors=True):
                body.store(body.scalar(0, found.kind), _at(found, t, i, j))
            for s in body.range(k):
                factor = body.load(_at(left, t, i, s))
                for j in body.range(m, vectors=True):
                    here = _at(found, t, i, j)
                    body.store(body.load(here) + factor * body.load(_at(right, t, s, j)), here)
    writer.work += writer.repeat * count * n * k * m // 8
    _give(writer, out, place, found)


def is_scattered(eq, is_body):
    """Tell whether elements of one kind are written to places."""
    x, src, index = (v.aval for v in eq.inputs)
    return (x.dtype == src.dtype and KINDS.get(x.dtype) in _ORDERED and KINDS.get(index.dtype) in ("i64", "i32")
            and not any(v.aval.weak for v in eq.inputs))


def scattered_extreme(writer, eq):
    """The better of what is at a place and of each element that is written there; NaN before all."""
    (v, given, index), (axis, fresh, largest), out = eq.inputs, eq.params, eq.outputs[0]
    before, n, behind = prod(v.aval.shape[:axis]), v.aval.shape[axis], prod(v.aval.shape[axis + 1 :])
    shape = before, given.aval.shape[axis], behind
    x, src, where = _flat(writer, v, (before, n, behind)), _flat(writer, given, shape), _flat(writer, index, shape)
    (place, found), body = _result(writer, out, (before, n, behind)), within(writer)
    writer.copy(x, found)
    begun = writer.new(found.shape, "b8")
    writer.fill(begun, Const(not fresh, "b8"))
    for p in body.range(before):
        for j in body.range(shape[1]):
            for b in body.range(behind):
                at = body.cast(body.load(_at(where, p, j, b)), "i64")
                body.refuse(body.run("is_place", at, n).equals(False))  # NumPy's way words the error
                new, old, first = body.load(_at(src, p, j, b)), body.load(_at(found, p, at, b)), _at(begun, p, at, b)
                taken = (new > old if largest else new < old) | body.load(first).equals(False)
                if new.kind[0] == "f":
                    taken = taken | new.differs(new)
                body.store(body.where(taken, new, old), _at(found, p, at, b))
                body.store(body.scalar(True, "b8"), first)
    writer.work += writer.repeat * given.aval.size
    _give(writer, out, place, found)


def _at(place, *counters):
    """The element at counters of loops, or at numbers."""
    for c in counters:
        place = place.laid(place.shape[1:], place.strides[1:], c * place.strides[0]) if type(c) is int else (
            place.row(c.value))
    return place


def _flat(writer, v, shape):
    """The place of a variable under another shape, copied where no strides give it."""
    place = writer.place(v)
    found = place.reshaped(shape)
    return writer.copied(place).reshaped(shape) if found is None else found


def _result(writer, out, shape):
    """`(place, found)`: that of a result, and the same under another shape, or memory of its own if none gives it."""
    place = writer.result(out)
    found = place.reshaped(shape)
    return place, writer.new(shape, place.kind) if found is None else found


def _give(writer, out, place, found):
    if found.memory is not place.memory:
        writer.copy(Place(found.memory, out.aval.shape), place)
    writer.values[out] = place
