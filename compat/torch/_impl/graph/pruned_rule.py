"""The rule of a node without the operands that lead nowhere: what they alone need is not checked for writes.

And the rule for the operands whose cotangents a sweep needs: those of the others are not computed.
"""

import functools

from .node_names import NamedRule, name_of


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

    def back(self, ct, saved, bare, strong=False):
        """The cotangents of all operands, None for those that lead nowhere; with strong zeros or without."""
        items = [saved if bare else saved[k] for k in self.positions]
        back = self.rule.strong if strong else self.rule.back
        found = back(ct, None if not items else items[0] if len(items) == 1 else tuple(items))
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
    return part_of(rule, tuple(places))


def rule_for(node, needed):
    """The rule of a node that gives None for operands which a sweep does not need; its own where it needs all."""
    rule, parents = node.rule, node.parents
    if type(parents) is not tuple or rule.prim is None:
        return rule
    places = tuple([k for k, p in enumerate(parents) if p.seq in needed])
    return needed_rule(rule, places) if 0 < len(places) < len(parents) else rule


@functools.lru_cache(1024)
def needed_rule(rule, places):
    """A rule of all operands, whose values have a history, that computes the cotangents of some."""
    part = None if rule.prim.variadic else part_of(rule, places)
    if part is None:
        return rule
    named = type(rule) is NamedRule
    made = NamedRule(rule, rule.title if named else name_of(rule), None, None, named and rule.ties)
    bare = len(rule.names) == 1
    made.back = lambda ct, saved: part.back(ct, saved, bare)
    made.strong = lambda ct, saved: part.back(ct, saved, bare, True)
    made.again = None
    return made


def part_of(rule, places):
    """The `Narrowed` rule of some operands, or None where it needs what the whole rule does not save."""
    if rule.part is None:
        return None
    part = rule.part(tuple([rule.active[k] for k in places]))
    if not set(part.names) <= set(rule.names):
        return None
    return Narrowed(part, [rule.names.index(name) for name in part.names], places, len(rule.active))
