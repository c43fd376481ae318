"""Lower cumulative sums and products along an axis."""

from math import prod

from ..loops.constants import start_of
from ..loops.kinds import KINDS
from ..loops.statements import Const, Memory, Nest, Place, Step, Store, Value
from .indexing import looped, row_of, through

_SHORT = 8  # elements behind the axis, below which it is the innermost loop


def running(name):
    """A rule that writes `out[k] = name(out[k - 1], x[k])` along one axis."""
    def rule(writer, eq):
        (v,), (axis,), out = eq.inputs, eq.params, eq.outputs[0]
        kind = KINDS[out.aval.dtype]
        x = writer.place(v)
        place = writer.values[out] = writer.result(out)
        if prod(x.shape[axis + 1 :]) < _SHORT:
            through(writer, [x, place], axis, lambda x, place: _columns(writer, name, kind, x, place))
        else:
            _row_by_row(writer, name, kind, x, place, axis)

    return rule


def _columns(writer, name, kind, x, place):
    last = len(x.shape) - 1
    if last:
        looped(writer, x.shape[last], lambda k: _columns(
            writer, name, kind, row_of(x, last, k), row_of(place, last, k)))
    else:
        _line(writer, name, kind, x, place)


def _line(writer, name, kind, x, place):
    total = Place(Memory(kind, 1, "cell"), ())  # in a register: memory would add its delay to each step
    writer.add(Store([Const(start_of(name, kind), kind)], total))

    def one(k):
        found = Value(kind)
        given = writer.cast([writer.loaded(x.row(k))[()]], kind)
        writer.add(Step(name, kind, [found], [[writer.loaded(total)[()]], given]))
        writer.add(Store([found], total))
        writer.add(Store([found], place.row(k)))

    looped(writer, x.shape[0], one)


def _row_by_row(writer, name, kind, x, place, axis):
    def at(p, index, k=None):
        p = p.laid(p.shape, p.strides, index * p.strides[axis])
        return row_of(p, axis, Const(0, "i64") if k is None else k)

    writer.copy(at(x, 0), at(place, 0))  # no row is before it

    def one(k):
        old, new, total = Value(kind), Value(kind), Value(kind)
        here = at(place, 1, k)
        writer.nest(Nest(here.shape, [(old, at(place, 0, k)), (new, at(x, 1, k))],
                         [Step(name, kind, [total], [[old], [new]])], [(total, here)]))

    if x.shape[axis] > 1:  # a loop has a turn at least
        looped(writer, x.shape[axis] - 1, one)
