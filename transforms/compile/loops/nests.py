"""Canonicalize loop nests: merge axes that are contiguous in all operands, split long reductions."""

from typing import Any

import numpy as np

from .statements import Const, Nest, Step, Value, places, values

_MANY_ROWS = 32
_SHORT = frozenset({2, 3, 4, 5, 6, 7, 9})  # elements of rows of which many are taken at once: they fill no vectors
_WRITTEN = 96  # loads and steps of such a nest
_PIECE = 4096  # elements that are added up before they are added to the rest


def add_nest(statements, nest):
    """Add a nest to a list of statements."""
    statements += in_pieces(by_rows(collapsed(nest)))


def given(nests):
    """The values that nests take from outside."""
    found = {}
    for s in nests:
        made = {v for v, _ in s.loads} | {out for step in s.steps for out in step.outs}
        found.update(dict.fromkeys([v for v in values(s) if v not in made]))
    return list(found)


def pattern(nest):
    """The key that nests share which differ in addresses, and in values from outside, alone."""
    numbers = {}

    def number(v):
        return (v.kind, repr(v.value)) if type(v) is Const else (v.kind, numbers.setdefault(v, len(numbers)))

    return (nest.shape, tuple([(number(v), p.kind, p.strides) for v, p in nest.loads]),
            tuple([(s.name, s.kind, *map(number, s.outs), *[number(a[0]) for a in s.args]) for s in nest.steps]),
            tuple([(number(v), p.kind, p.strides) for v, p in nest.stores]),
            tuple([(name, number(v), p.kind, p.strides) for name, v, p in nest.folds]))


def changed(nest, shape, change):
    """The nest over another shape, with each place as `change(place)` gives it."""
    return Nest(shape, [(v, change(p)) for v, p in nest.loads], nest.steps, [(v, change(p)) for v, p in nest.stores],
                [(name, v, change(p)) for name, v, p in nest.folds])


def collapsed(nest):
    """The nest with axes of one element left out, and neighbours merged where every place has one stride for both."""
    shape = nest.shape
    kept = [k for k, n in enumerate(shape) if n != 1]
    strides = {id(p): [p.strides[k] for k in kept] for p in places(nest)}
    shape = [shape[k] for k in kept]
    k = len(shape) - 2
    while k >= 0:
        n = shape[k + 1]
        if all(s[k] == s[k + 1] * n for s in strides.values()):
            for s in strides.values():
                del s[k]
            shape[k : k + 2] = [shape[k] * n]
        k -= 1
    order = _order(shape, strides.values(), [strides[id(p)] for *_, p in nest.folds])
    shape = tuple(shape[k] for k in order)
    return changed(nest, shape, lambda p: p.laid(shape, [strides[id(p)][k] for k in order]))


def by_rows(nest):
    """A nest over many rows of a few elements, as one over the rows: each element of a row is a value of its own.

    Vectors of rows are full where those along a row would be short, and sums over the rows stay in registers.
    """
    shape = nest.shape
    if len(shape) < 2 or shape[0] < _MANY_ROWS or shape[-1] not in _SHORT:
        return nest
    indices = list(np.ndindex(shape[1:]))
    if len(indices) * (len(nest.loads) + len(nest.steps)) > _WRITTEN:
        return nest
    found = Nest(shape[:1])
    known: dict[Any, Any] = {}  # (value, index) -> the value there; the index is None for one that is the same in a row

    def at(v, index):
        return v if type(v) is Const else known.get((v, None)) or known.get((v, index)) or v

    def column(p, offset):
        return p.laid(shape[:1], p.strides[:1], offset)

    for v, p in nest.loads:
        for index in indices if any(p.strides[1:]) else [None]:
            known[v, index] = Value(v.kind)
            found.loads.append((known[v, index], column(p, _moved(p, index))))
    for step in nest.steps:
        same = all((a[0], index) not in known for a in step.args for index in indices[:1])
        for index in [None] if same else indices:
            outs = [Value(v.kind) for v in step.outs]
            known.update(zip([(v, index) for v in step.outs], outs))
            args = [[at(a[0], index)] for a in step.args]
            found.steps.append(Step(step.name, step.kind, outs, args))
    for v, p in nest.stores:
        for index in indices:
            found.stores.append((at(v, index), column(p, _moved(p, index))))
    for name, v, p in nest.folds:
        totals: dict[int, Any] = {}
        for index in indices:
            x, offset = at(v, index), _moved(p, index)
            totals[offset] = _joined(found, name, totals[offset], x) if offset in totals else x
        for offset, x in totals.items():
            place = column(p, offset)
            if not p.strides[0] or p.kind != v.kind:
                found.folds.append((name, x, place))
                continue
            old = Value(p.kind)
            found.loads.append((old, place))
            found.stores.append((_joined(found, name, old, x), place))
    return found


def _moved(place, index):
    """The offset of an element of a row from its first one."""
    return sum(i * s for i, s in zip(index or (), place.strides[1:]))


def _joined(nest, name, x, y):
    """Two values as one, by a step of a nest."""
    out = Value(y.kind)
    nest.steps.append(Step(name, y.kind, [out], [[x], [y]]))
    return out


def order_of(places):
    """The axes, longest steps first, of those `places` that cover all of their shape; None where they do not agree."""
    orders = {tuple(sorted(range(len(p.shape)), key=lambda k: -p.strides[k])) for p in places
              if all(s > 0 or n == 1 for n, s in zip(p.shape, p.strides))}
    return orders.pop() if len(orders) == 1 else None


def strides_in(order, shape):
    """The strides of an array whose axes lie in an order, without gaps."""
    found, step = [0] * len(shape), 1
    for k in reversed(order or range(len(shape))):
        found[k] = step
        step *= shape[k]
    return tuple(found)


def _order(shape, strides, folds):
    """The order of axes that has the one with unit strides last."""
    order = list(range(len(shape)))
    if len(shape) > 1:
        steps = [sum(s[k] not in (0, 1) for s in strides) for k in order]
        best = min(order, key=lambda k: (steps[k], -k))
        if steps[best] < steps[-1] and shape[best] >= 4:
            order.remove(best)
            order.append(best)
    return order


def in_pieces(nest):
    """The nest cut along its last axis, where long sums end in it."""
    if not nest.folds or not nest.shape:
        return [nest]
    n = nest.shape[-1]
    if n < 2 * _PIECE or all(p.strides[-1] for *_, p in nest.folds):
        return [nest]
    pieces = n // _PIECE
    main = changed(nest, (*nest.shape[:-1], pieces, _PIECE), lambda p: p.laid(
        (*p.shape[:-1], pieces, _PIECE), (*p.strides[:-1], p.strides[-1] * _PIECE, p.strides[-1])))
    done = pieces * _PIECE
    if done == n:
        return [main]
    rest = changed(nest, (*nest.shape[:-1], n - done), lambda p: p.laid(
        (*p.shape[:-1], n - done), p.strides, done * p.strides[-1]))
    return [main, rest]
