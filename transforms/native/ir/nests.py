"""Loop nests before they are printed: axes that all operands walk in one go are one, long sums are cut in pieces."""

from .statements import Const, Nest, Place, inner

_PIECE = 4096  # elements that are added up before they are added to the rest


def add_nest(statements, nest):
    """Add a nest to a list of statements."""
    statements += in_pieces(collapsed(nest))


def places_of(nest):
    """The places of a nest."""
    return [p for _, p in nest.loads] + [p for _, p in nest.stores] + [p for *_, p in nest.folds]


def given(nests):
    """The values that nests take from outside."""
    found = {}
    for s in nests:
        made = {v for v, _ in s.loads} | {out for step in s.steps for out in step.outs}
        read = [a[0] for step in s.steps for a in step.args] + [v for v, _ in s.stores] + [v for _, v, _ in s.folds]
        found.update(dict.fromkeys([v for v in read if type(v) is not Const and v not in made]))
    return list(found)


def nests_of(statements):
    """All nests, those inside of loops included."""
    found = []
    for s in statements:
        found += [s] if type(s) is Nest else [n for part in inner(s) for n in nests_of(part)]
    return found


def pattern(nest):
    """What nests have in common that differ in addresses, and in values from outside, alone."""
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
    strides = {id(p): [p.strides[k] for k in kept] for p in places_of(nest)}
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
    return changed(nest, shape, lambda p: Place(
        p.memory, shape, [strides[id(p)][k] for k in order], p.offset, p.moving))


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
    main = changed(nest, (*nest.shape[:-1], pieces, _PIECE), lambda p: Place(
        p.memory, (*p.shape[:-1], pieces, _PIECE), (*p.strides[:-1], p.strides[-1] * _PIECE, p.strides[-1]), p.offset,
        p.moving))
    done = pieces * _PIECE
    if done == n:
        return [main]
    rest = changed(nest, (*nest.shape[:-1], n - done), lambda p: Place(
        p.memory, (*p.shape[:-1], n - done), p.strides, p.offset + done * p.strides[-1], p.moving))
    return [main, rest]
