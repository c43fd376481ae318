"""Arrays that are zeros to which parts are added one after the other: as reverse mode makes them of what was read.

`zeros.at[i].add(x).at[j].add(y)` for parts that do not meet is one array of two parts, each computed where it belongs.
A part that is made so itself, and is not read as anything else, lies in the array from the start.
"""

from types import SimpleNamespace

import numpy as np

from ...graph.equations import Equation, Literal, Var
from ..ir.constants import FEW
from ..ir.kinds import KINDS
from ..ir.statements import Const, Nest, Place, Step, Value
from .in_place import add_zero_into

_PRIM = SimpleNamespace(name="assemble", handlers=None)


def with_assemblies(equations, outputs, apart):
    """Equations of a block with `assemble` in place of several additions to an array that was zero.

    Those in `apart` are written in another way.

    `assemble[boxes] v1 v2 …` adds `v1` at the first box, and so on; a box is the start and the length on each axis.
    """
    readers = {}
    for eq in equations:
        for v in eq.inputs:
            if type(v) is Var:
                readers.setdefault(v, []).append(eq)
    leaving = set(outputs)
    found, gone = {}, set()
    for eq in equations:
        if id(eq) in gone or id(eq) in apart or not _is_start(eq):
            continue
        chain, out = [eq], eq.outputs[0]
        while out not in leaving and len(next_ones := readers.get(out, ())) == 1 and _is_addition(next_ones[0]) and (
                next_ones[0].inputs[0] is out and id(next_ones[0]) not in apart):
            chain.append(next_ones[0])
            out = chain[-1].outputs[0]
        if len(chain) > 1:
            gone.update(map(id, chain))
            found[id(chain[-1])] = Equation(_PRIM, [e.inputs[1] for e in chain], tuple([
                _box(e.params[0], out.aval.shape) for e in chain]), [out], eq.quiet, eq.place)
    return [found.get(id(eq), eq) for eq in equations if id(eq) in found or id(eq) not in gone]


def _is_start(eq):
    """Whether an equation adds a part to zeros."""
    return _is_addition(eq) and eq.outputs[0].aval.size > FEW and type(eq.inputs[0]) is Literal and (
        not np.any(eq.inputs[0].value))


def _is_addition(eq):
    """Whether an equation adds an array of the same dtype to a box of another."""
    if eq.prim.name != "index_update" or not eq.params[1]:
        return False
    (x, v), out = eq.inputs, eq.outputs[0].aval
    box = _box(eq.params[0], out.shape)
    return box is not None and type(v) is Var and x.aval.dtype == v.aval.dtype == out.dtype and (
        v.aval.shape == _shape(eq.params[0], box))


def _box(index, shape):
    """`((start, length), …)` of what a basic index takes; None where that is no box, or has new axes."""
    index = index if type(index) is tuple else (index,)
    if any(type(i) not in (int, slice) for i in index):
        return None
    box = []
    for i, n in zip((*index, *[slice(None)] * (len(shape) - len(index))), shape):
        start, stop, step = i.indices(n) if type(i) is slice else (i % n, i % n + 1, 1)
        if step != 1 or stop <= start:
            return None
        box.append((start, stop - start))
    return tuple(box)


def _shape(index, box):
    """The shape of what an index takes: integers leave their axes out."""
    index = index if type(index) is tuple else (index,)
    return tuple([n for k, (_, n) in enumerate(box) if k >= len(index) or type(index[k]) is slice])


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
        once = eq.inputs.count(v) == 1
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
        _begin(writer, whole[0])
        place = _part(writer.early[whole[0].outputs[0]], whole[1], out.aval.shape)
    writer.early[out] = place
    if sum(eq.inputs[k].aval.size for k in _first(eq.params)) < place.size:
        writer.fill(place, Const(0.0 if place.kind[0] == "f" else 0, place.kind))


def _add(writer, v, part, kind, fresh):
    """Add a variable to a part; to zeros, which are not read, if it is `fresh`."""
    given = writer.place(v) if type(writer.value(v)) is Place or part.size > FEW else writer.stored(writer.held(v))
    new, total = Value(kind), Value(kind)
    old = Const(0.0 if kind[0] == "f" else 0, kind) if fresh else Value(kind)
    loads = [(new, given)] if fresh else [(old, part), (new, given)]
    writer.nest(Nest(part.shape, loads, [Step("add", kind, [total], [[old], [new]])], [(total, part)]))


def _part(place, box, shape):
    """The part of a place in a box, in the shape that the index gives it."""
    whole = place.seen(lambda a: a[(*[slice(i, i + n) for i, n in box],)])
    return whole.reshaped(shape)


def nested(equations, outputs):
    """`{assembly: (the equation of the one that it is a part of, its box)}` of those that need not be copied there."""
    made = {eq.outputs[0] for eq in equations if eq.prim is _PRIM and eq.outputs[0].aval.dtype.kind == "f"}
    found = {}
    for eq in equations:
        if eq.prim is not _PRIM:
            continue
        for k, (v, box) in enumerate(zip(eq.inputs, eq.params)):
            alone = not any(_meet(box, other) for j, other in enumerate(eq.params) if j != k)
            if v in made and v not in found and v not in outputs and alone and v.aval.ndim == len(box):
                found[v] = eq, box
    return found
