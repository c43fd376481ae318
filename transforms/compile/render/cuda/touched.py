"""Read and write sets of statements: memory, and values that several statements share."""

from .....core.types import Any
from ...loops.statements import Load, Nest, Product, Step, Store, Value, places, walk


def touched(statement):
    """`(reads, writes)` of a statement and its bodies, as sets of `Memory` and `Value`."""
    reads, writes = in_order([statement])
    return set(reads), set(writes)


def in_order(statements):
    """The same of several statements, as lists in the order of the text."""
    reads: list[Any] = []
    writes: list[Any] = []
    for s in walk(statements):
        _add(s, reads, writes)
    return reads, writes


def places_written(statement):
    """The places that a statement itself writes."""
    kind = type(statement)
    if kind is Store:
        return [statement.place]
    if kind is Nest:
        return [p for _, p in statement.stores] + [p for *_, p in statement.folds]
    return [statement.out] if kind is Product else []


def _add(statement, reads, writes):
    kind = type(statement)
    written = places_written(statement)
    writes += [p.memory for p in written]
    reads += [p.memory for p in places(statement) if p not in written]
    if kind is Nest:
        reads += [p.memory for *_, p in statement.folds]
    if kind in (Load, Step):
        writes += statement.outs
    reads += _values(statement)


def _values(s):
    """The values that a statement itself reads."""
    if type(s) is Step:
        given = [v for values in s.args for v in values]
    elif type(s) is Store:
        given = s.values
    elif type(s) is Nest:
        given = [*[a[0] for step in s.steps for a in step.args], *[v for v, _ in s.stores], *[v for _, v, _ in s.folds]]
    else:
        given = []
    return [v for v in given if type(v) is Value]


def are_apart(places, others):
    """Tell whether no element lies in both of two lists of places, as far as the bounds of these tell."""
    return not any(p.memory is q.memory and _meet(p, q) for p in places for q in others)


def _meet(p, q):
    (low, high), (start, stop) = _bounds(p), _bounds(q)
    return bool(p.moving or q.moving) or low <= stop and start <= high


def _bounds(place):
    steps = [(n - 1) * s for n, s in zip(place.shape, place.strides)]
    return place.offset + sum(s for s in steps if s < 0), place.offset + sum(s for s in steps if s > 0)
