"""Concatenation by update: write the parts added to an array of zeros directly to their positions.

A part that is made so itself, and is not read as anything else, lies in the array from the start.
"""

from ..loops.statements import FEW, KINDS, Nest, Place, Step, Value, zero
from ..rules.indexing import ASSEMBLE
from .buffer_reuse import add_zero_into


def _meet(a, b):
    return all(i < j + m and j < i + n for (i, n), (j, m) in zip(a, b))


def assemble(writer, eq):
    """Write an assembly: what no part covers is zero, parts that meet others before them are added to these."""
    out, boxes = eq.outputs[0], eq.params
    kind = KINDS[out.aval.dtype]
    _begin(writer, eq)
    place = writer.values[out] = writer.early.pop(out)
    first, later = _first(boxes), []
    for k, (v, box) in enumerate(zip(eq.inputs, boxes)):
        whole = writer.assemblies.get(v)
        if whole is not None and whole[0] is eq:  # it lies there
            continue
        part = _part(place, box, v.aval.shape)
        once = eq.inputs.count(v) == 1  # of two parts that are one array the second has nothing to wait for
        total = add_zero_into(writer, eq, v, part) if k in first and kind[0] == "f" and once else None
        later.append((k, v, part, total))  # parts that wait in one nest are written by it
    for k, v, part, total in later:
        writer.settle(v if total is None else total)
        if total is None:
            _add(writer, v, part, kind, k in first)


def _first(boxes):
    """The parts that meet none before them."""
    return {k for k, box in enumerate(boxes) if not any(_meet(box, other) for other in boxes[:k])}


def _begin(writer, eq):
    """Give an assembly its place, that of its part of another one if it has one, with zeros where no part will be."""
    out = eq.outputs[0]
    if out in writer.early:
        return
    whole = writer.assemblies.get(out)
    if whole is None:
        place = writer.result(out)
    else:
        _begin(writer, whole[0])  # from the outermost one inwards: only that has memory of its own
        place = _part(writer.early[whole[0].outputs[0]], whole[1], out.aval.shape)
    writer.early[out] = place
    if sum(eq.inputs[k].aval.size for k in _first(eq.params)) < place.size:  # parts that cover all need no zeros below
        writer.fill(place, zero(place.kind))


def _add(writer, v, part, kind, fresh):
    """Add a variable to a part; to zeros, which are not read, if it is `fresh`."""
    given = writer.place(v) if type(writer.value(v)) is Place or part.size > FEW else writer.stored(writer.held(v))
    new, total = Value(kind), Value(kind)
    old = zero(kind) if fresh else Value(kind)
    loads = [(new, given)] if fresh else [(old, part), (new, given)]
    writer.nest(Nest(part.shape, loads, [Step("add", kind, [total], [[old], [new]])], [(total, part)]))


def _part(place, box, shape):
    """The part of a place in a box, in the shape that the index gives it."""
    whole = place.seen(lambda a: a[(*[slice(i, i + n) for i, n in box],)])
    return whole.reshaped(shape)


def nested(equations, outputs):
    """`{assembly: (the equation of the one that it is a part of, its box)}` of those that need not be copied there."""
    made = {eq.outputs[0] for eq in equations if eq.prim is ASSEMBLE and eq.outputs[0].aval.dtype.kind == "f"}
    found = {}
    for eq in equations:
        if eq.prim is not ASSEMBLE:
            continue
        for k, (v, box) in enumerate(zip(eq.inputs, eq.params)):
            # What meets others is added to them, so it cannot lie there first.
            alone = not any(_meet(box, other) for j, other in enumerate(eq.params) if j != k)
            if v in made and v not in found and v not in outputs and alone and v.aval.ndim == len(box):
                found[v] = eq, box
    return found
