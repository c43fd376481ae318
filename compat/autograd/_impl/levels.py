"""Traces that the rule of a primitive is applied for, taken off values that its function or rule met otherwise."""

from .... import tree
from ...._engine import Buffer, Dual, Rev
from ....extend import Batched, Tracer

NONE: frozenset = frozenset()


def levels(leaves):
    """The differentiating traces of some values."""
    found = set()
    for x in leaves:
        while isinstance(x, Tracer):
            if isinstance(x, Rev | Dual):
                found.add(x.owner)
            x = x.read() if type(x) is Buffer else x.value
    return found


def without(x, owners):
    """A value, or a pytree, whose derivatives in the traces `owners` are dropped: a rule stands for them.

    An object may hold a traced value that is an argument, too. What a function or its rule computes from there is a
    constant to these traces, as in autograd.

    Raises:
        ValueError: such a trace lies below one that is none of them.
    """
    if not isinstance(x, Tracer):
        return tree.map(lambda v: without(v, owners), x) if owners and isinstance(x, tuple | list | dict) else x
    if type(x) is Buffer:
        return without(x.read(), owners)
    if x.owner in owners:
        return without(x.value, owners)
    if owners.isdisjoint(levels([x])):
        return x
    if isinstance(x, Batched):
        return x.owner.box(without(x.value, owners))
    raise ValueError(
        f"a primitive computed with a traced value ({x.aval!r}) that an object holds, which depends on its arguments "
        "and on what they do not; pass the value itself as an argument and give it a rule")
