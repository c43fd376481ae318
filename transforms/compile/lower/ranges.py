"""Partition large loop nests into parallel ranges, independent of the number of threads."""

from math import prod

from ..loops.constants import start_of
from ..loops.nests import changed, collapsed, places_of
from ..loops.statements import Const, Counter, Nest, Place, Ranges, Value, compact_strides
from ..machine.engine import RANGES

_LARGE = 2e6  # operations on elements, from which a nest is cut


def in_ranges(writer, nest):
    """Write a nest in ranges; False where it is too small, or adds up too much for each of them."""
    size = prod(nest.shape)
    if writer.repeat != 1 or size * (1 + len(nest.steps)) < _LARGE or any(p.moving for p in places_of(nest)):
        return False
    nest = collapsed(nest)  # merged axes are longer, and cut more evenly
    found = [(_kept(nest, k), k) for k, n in enumerate(nest.shape) if n >= RANGES]
    if not found or min(found)[0] * RANGES * 8 > size:  # partial sums of each range must be few beside the work
        return False
    _cut(writer, nest, min(found)[1])
    return True


def _kept(nest, axis):
    """The number of elements left by the folds over an axis."""
    return sum(prod([n for n, s in zip(p.shape, p.strides) if s]) for *_, p in nest.folds if not p.strides[axis])


def _cut(writer, nest, axis):
    counter = Counter()
    rows = nest.shape[axis] // RANGES
    whole = rows * RANGES
    shape = (*nest.shape[:axis], rows, *nest.shape[axis + 1 :])

    def part(p):
        return Place(p.memory, shape, p.strides, p.offset, ((counter, rows * p.strides[axis]),))

    folds, parts = [], []
    for name, value, p in nest.folds:
        if p.strides[axis]:
            folds.append((name, value, part(p)))
            continue
        kept = tuple([n if s else 1 for n, s in zip(p.shape, p.strides)])
        each = writer.new((RANGES, *kept), p.kind)
        writer.fill(each, Const(start_of(name, p.kind), p.kind))
        steps = tuple([s if n > 1 else 0 for n, s in zip(kept, compact_strides(kept))])
        folds.append((name, value, Place(each.memory, shape, steps, 0, ((counter, each.strides[0]),))))
        parts.append((name, each, Place(p.memory, each.shape, (0, *p.strides), p.offset)))
    body = Nest(shape, [(v, part(p)) for v, p in nest.loads], nest.steps, [(v, part(p)) for v, p in nest.stores], folds)
    writer.repeat = RANGES  # so that the body is not cut again
    writer.add(Ranges(counter, RANGES, writer.inside(lambda: writer.nest(body))))
    writer.repeat = 1
    for name, each, place in parts:
        x = Value(each.kind)
        writer.nest(Nest(each.shape, [(x, each)], [], [], [(name, x, place)]))
    if whole < nest.shape[axis]:
        rest = (*nest.shape[:axis], nest.shape[axis] - whole, *nest.shape[axis + 1 :])
        writer.nest(changed(nest, rest, lambda p: p.laid(rest, p.strides, whole * p.strides[axis])))
