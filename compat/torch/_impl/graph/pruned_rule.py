"""The rule of a node without the operands that lead nowhere: what they alone need is not checked for writes."""


class Narrowed:
    """A rule for fewer operands of a node, on what the whole rule saved.

    `positions` says which of the saved items it takes.
    """

    __slots__ = ("count", "places", "positions", "rule")

    def __init__(self, rule, positions, places, count):
        self.rule = rule
        self.positions = positions
        self.places = places
        self.count = count

    def back(self, ct, saved, bare):
        """The cotangents of all operands, None for those that lead nowhere."""
        items = [saved if bare else saved[k] for k in self.positions]
        found = self.rule.back(ct, None if not items else items[0] if len(items) == 1 else tuple(items))
        out = [None] * self.count
        for place, c in zip(self.places, found if len(self.places) > 1 else (found,)):
            out[place] = c
        return tuple(out)


def narrowed(node):
    """The `Narrowed` rule of a node, or None where all its operands lead somewhere."""
    rule, parents = node.rule, node.parents
    if type(parents) is not tuple or rule.prim is None or rule.prim.variadic:
        return None
    places = [k for k, p in enumerate(parents) if not p.lost]
    if len(places) in (0, len(parents)):
        return None
    prim = rule.prim
    key = next((key for key, made in list(prim.rules.items()) if made.back is rule.back), None)
    if key is None:
        return None
    _, plain, fixes = key
    active = tuple([rule.active[k] for k in places])
    part = prim.rule(active, plain, None if fixes is None else tuple([i for i in fixes if i in active]))
    if not set(part.names) <= set(rule.names):
        return None
    return Narrowed(part, [rule.names.index(name) for name in part.names], places, len(parents))
