"""Lower gathers, scatters and slices to rows at static or computed indices."""

from math import prod

import numpy as np

from ...graph.equations import Literal
from ..loops.statements import KINDS, Bound, Const, Counter, Loop, Memory, Nest, Place, Step, Value, zero
from ..loops.symbols import arranged, is_uniform
from .buffer_reuse import written_over

ndarray = np.ndarray
_FEW_ROWS = 8  # elements of a row, below which the axes before the index are the outer loops


def fits(index, n):
    """Tell whether an index has a dtype that native code counts in, and is in bounds where it is known."""
    if index.aval.dtype not in KINDS or index.aval.dtype.kind != "i":
        return False
    if type(index) is not Literal:
        return True
    known = np.asarray(index.value)  # out of bounds it is NumPy's to raise, when the program runs
    return bool(known.min() >= -n and known.max() < n)


def _known(w, n):
    """The places that a literal names, counted from the start."""
    found = np.asarray(w.value, np.int64)  # in 32 bits the sum could wrap
    return np.where(found < 0, found + n, found)


def take(writer, eq):
    """`x[…, index, …]` along one axis."""
    (v, w), (axis,), out = eq.inputs, eq.params, eq.outputs[0]
    n = v.aval.shape[axis]
    if type(w) is Literal:
        _picked(writer, v, _known(w, n), axis, out)  # no test of bounds, and a view where the places are regular
        return
    source = writer.place(v)
    lead, rest = source.shape[:axis], source.shape[axis + 1 :]
    if w.aval.size == 1:
        value = _bound(writer, writer.held(w).reshape(-1)[0], n)
        part = _expanded(row_of(source, axis, value), axis, w.aval.ndim)
        if writer.few(out.aval):
            writer.values[out] = writer.loaded(part)
        elif source.memory.role in ("input", "constant"):  # a view is enough of what nobody writes to
            writer.values[out] = part
        else:  # what is written to later on
            place = writer.values[out] = writer.result(out)
            writer.copy(part, place)
        return
    place = writer.values[out] = writer.result(out)
    flat = _flat(place, lead, rest)  # one loop over all axes of the index
    _each(writer, w, n, source, flat, axis, lambda x, row: writer.copy(x, row))


def scatter_add(writer, eq):
    """Zeros of length `n` along one axis, to which rows are added in the order of their index."""
    (v, w), (axis, n), out = eq.inputs, eq.params, eq.outputs[0]
    kind = KINDS[out.aval.dtype]
    x = _in_order(writer, writer.place(v))
    place = writer.values[out] = writer.result(out)
    writer.fill(place, zero(kind))
    given = _flat(x, x.shape[:axis], x.shape[axis + w.aval.ndim :])
    _each(writer, w, n, place, given, axis, lambda row, part: added(writer, row, part))


def add_rows(writer, eq):
    """`x` with rows added at the places of an index, in its order."""
    _on_rows(writer, eq, lambda row, part: added(writer, row, part))


def put_rows(writer, eq):
    """`x` with rows at the places of an index: of equal places the last one wins."""
    _on_rows(writer, eq, lambda row, part: writer.copy(part, row))


def _on_rows(writer, eq, write):
    (v, rows, w), (axis,) = eq.inputs, eq.params
    x = _in_order(writer, writer.place(rows))
    writer.settle(w)  # before the place is chosen: it may be written over what the index is made of
    given = _flat(x, x.shape[:axis], x.shape[axis + w.aval.ndim :])
    place = written_over(writer, v, eq)
    _each(writer, w, v.aval.shape[axis], place, given, axis, write)


def counted(writer, eq):
    """Places on an axis of length `n`, negative ones counted from its end."""
    (w,), (n,), out = eq.inputs, eq.params, eq.outputs[0]
    if writer.few(out.aval):
        writer.values[out] = arranged([_bound(writer, value, n) for value in writer.held(w).reshape(-1)], w.aval.shape)
        return
    source = _line(writer, w)
    place = writer.values[out] = writer.result(out)
    flat = place.reshaped((place.size,))

    def one(counter):
        value = _bound(writer, writer.loaded(source.row(counter))[()], n)
        writer.store(_array(value), flat.row(counter))

    looped(writer, w.aval.size, one)


def last_writer(writer, eq):
    """For each place the last of the given ones that is it, or -1."""
    (w,), (n,), out = eq.inputs, eq.params, eq.outputs[0]
    place = writer.values[out] = writer.result(out)
    writer.fill(place, Const(-1, "i64"))
    order = _constant(np.arange(w.aval.size))  # written in order, so that the last one stays
    _each(writer, w, n, place, order, 0, lambda row, number: writer.copy(number, row))


def spread(writer, eq):
    """Zeros with `x` added at places of the flat array."""
    (v,), (places, _), out = eq.inputs, eq.params, eq.outputs[0]
    x = writer.place(v)
    place = writer.values[out] = writer.result(out)
    writer.fill(place, zero(place.kind))
    # Equal places would be added to at once.
    _at_places(writer, place, places.index, x, np.unique(places.index).size == places.index.size,
               lambda part, one: added(writer, part, one))


def implant(writer, eq):
    """`x` with `v` at distinct places of the flat array."""
    (v, w), (places,) = eq.inputs, eq.params
    x = writer.place(w)
    _at_places(writer, written_over(writer, v, eq), places.index, x, True, lambda part, one: writer.copy(one, part))


def _at_places(writer, place, index, x, apart, write):
    """`write(part, x)` for known places of the flat array: all at once where they are `apart` and regular, or each."""
    flat = place.reshaped((place.size,))
    part = _regular(flat, index) if apart else None
    if part is not None:
        write(part, x)
    else:
        _each(writer, Literal(index), flat.shape[0], flat, _flat(_in_order(writer, x), (), ()), 0, write)


def _picked(writer, v, known, axis, out):
    """The elements at places that are known, along an axis."""
    if writer.few(out.aval) and type(x := writer.value(v)) is ndarray and (is_uniform(x) or x.size <= known.size + 16):
        writer.values[out] = _array(np.take(x, known, axis))
        return
    source = writer.place(v)
    lead, rest = source.shape[:axis], source.shape[axis + 1 :]
    part = _regular(source, known, axis)
    if part is not None:
        writer.values[out] = part
        return
    place = writer.values[out] = writer.result(out)
    _each(writer, Literal(known), source.shape[axis], source, _flat(place, lead, rest), axis,
          lambda x, row: writer.copy(x, row))


def _each(writer, w, n, indexed, other, axis, write):
    """`write(row of indexed at the k-th index, row k of other)` for each k; axes before the index in loops, or whole.

    Args:
        w: the index, a variable or a literal in bounds.
        n: the length of the axis that it counts along.
        indexed: a Place that it indexes at `axis`.
        other: a Place with the index as one axis, at `axis`.
    """
    outer = axis if prod(indexed.shape[axis + 1 :]) < _FEW_ROWS else 0
    checked = type(w) is not Literal
    alone = writer.held(w).reshape(-1)[0] if checked and w.aval.size == 1 else None  # one index needs no memory
    source = _line(writer, w) if checked else _constant(_known(w, n).reshape(-1))

    def row(counter, x, y):
        value = alone or writer.cast([writer.loaded(source.row(counter))[()]], "i64")[0]
        value = _bound(writer, value, n) if checked else value
        write(row_of(x, axis - outer, value), row_of(y, axis - outer, counter))

    through(writer, [indexed, other], outer, lambda x, y: looped(
        writer, source.shape[0], lambda counter: row(counter, x, y)))


def through(writer, given, left, write):
    """`write(…)` for the parts of places, in loops over so many of their first axes."""
    if left:
        looped(writer, given[0].shape[0], lambda k: through(writer, [x.row(k) for x in given], left - 1, write))
    else:
        write(*given)


def looped(writer, count, write):
    """A loop whose body `write(counter)` writes."""
    counter = Counter()
    writer.add(Loop(counter, count, False, writer.inside(lambda: write(counter), count)))


def _bound(writer, value, n):
    """An index counted from the start of its axis; outside of it the function ends."""
    value = writer.cast([value], "i64")[0]
    if type(value) is Const and -n <= value.value < n:  # known already: no test, and an offset in place of a product
        return Const(value.value % n, "i64")
    found = Value("i64")
    writer.work += writer.repeat  # a test and a branch in each turn
    writer.add(Bound(found, value, n))
    return found


def pivot(writer, eq):
    """A number itself; where it is 0 the function ends."""
    (v,), out = eq.inputs, eq.outputs[0]
    x, kind = writer.held(v), KINDS[out.aval.dtype]
    is_zero = writer.computed("equal", kind, x.shape, [x, _array(Const(0.0, kind)).reshape(x.shape)], "b8")
    _bound(writer, is_zero.reshape(-1)[0], 1)  # 1 is no place on an axis of one element: the way out of bounds is taken
    writer.values[out] = x  # behind the test: what reads it cannot come before


def added(writer, place, x):
    """Add one place to another of its shape."""
    kind = place.kind
    old, new, total = Value(kind), Value(kind), Value(kind)
    writer.nest(Nest(place.shape, [(old, place), (new, x)], [Step("add", kind, [total], [[old], [new]])],
                     [(total, place)]))


def row_of(x, axis, index):
    """The place of a row along an axis: the index is a counter or a value."""
    shape, strides, step = *[t[:axis] + t[axis + 1 :] for t in (x.shape, x.strides)], x.strides[axis]
    if type(index) is Const:
        return x.laid(shape, strides, index.value * step)
    return Place(x.memory, shape, strides, x.offset, (*x.moving, (index, step)))


def _expanded(x, axis, count):
    """The place with so many axes of one element at `axis`."""
    return x.laid((*x.shape[:axis], *(1,) * count, *x.shape[axis:]),
                  (*x.strides[:axis], *(0,) * count, *x.strides[axis:]))


def _flat(place, lead, rest):
    """A place in order whose axes between `lead` and `rest` are one."""
    return place.reshaped((*lead, place.size // prod((*lead, *rest)), *rest))


def _in_order(writer, x):
    """The place, or a copy of it, with its elements in order."""
    if x.reshaped((x.size,)) is not None:
        return x
    return writer.copied(x)


def _line(writer, w):
    """An index as a place of one axis."""
    return _in_order(writer, writer.place(w)).reshaped((w.aval.size,))


def _constant(array):
    return Place(Memory(KINDS[array.dtype], array.size, "constant", 0, array), array.shape)


def _array(x):
    return x if type(x) is ndarray else arranged(x)


def _regular(x, known, axis=0):
    """The places along an axis as a view, where steps of one length each give them; else None."""
    shape = known.shape
    steps = _steps(known.reshape(-1), list(shape) if known.ndim > 1 else None)
    if steps is None:
        return None
    stride = x.strides[axis]
    lengths, strides = zip(*steps) if steps else ((), ())
    found = x.laid((*x.shape[:axis], *lengths, *x.shape[axis + 1 :]),
                   (*x.strides[:axis], *[s * stride for s in strides], *x.strides[axis + 1 :]),
                   int(known.flat[0]) * stride)
    whole = (*x.shape[:axis], *shape, *x.shape[axis + 1 :])
    return found if found.shape == whole else found.reshaped(whole)


def _steps(flat, shape):
    """`[(length, step), …]` of the axes along which flat places go on evenly; None if there are none."""
    if shape is not None:
        cube = flat.reshape(shape)
        found = []
        for k, n in enumerate(shape):
            ends = [0] * len(shape)
            ends[k] = min(1, n - 1)
            found.append((n, int(cube[tuple(ends)] - flat[0])))
    else:
        gaps = np.diff(flat)
        breaks = np.flatnonzero(gaps != gaps[:1])
        length = int(breaks[0]) + 1 if breaks.size else flat.size  # the first uneven gap ends the innermost axis
        if flat.size % length:
            return None
        rows = flat.reshape(-1, length)[:, 0]
        found = [(length, int(gaps[0]) if gaps.size else 0)]
        if rows.size > 1:
            found.insert(0, (rows.size, int(rows[1] - rows[0])))
    wanted = np.zeros((), np.int64)
    for n, step in found:
        wanted = wanted[..., None] + np.arange(n) * step
    # Steps were read off a few places alone.
    return found if np.array_equal(wanted.reshape(-1) + flat[0], flat) else None
