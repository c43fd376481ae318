"""Flatten small nested tuples, lists and dicts as optree does, without loading optree."""

from itertools import count

import numpy as np

from ...core.arrays.avals import WEAK
from ...core.lazy import is_loaded
from ...core.trace.tracer import Tracer
from ...core.types import Any
from .trees import NAMESPACE, optree

BARE = frozenset({np.ndarray, np.float64, np.float32, *WEAK})  # types of leaves, beside those of tracers
_NAMES = frozenset({str})


_FEW = 200  # uses of nests in a process before optree, which is quicker, is loaded for them
_NEXT_USE = count().__next__


def is_early():
    """Tell whether nests are taken apart here: optree is not loaded, which takes 7 ms, and a program may have few."""
    return not is_loaded(optree) and _NEXT_USE() < _FEW


class _Other(Exception):  # noqa: N818 (no error: optree knows what it is)
    """Something that is no plain container, number or array."""


def nest_of(tree, leaves):
    """A `Nest` of the tree, whose leaves it adds to a list; None where optree has to look."""
    try:
        return Nest(_places(tree, leaves), len(leaves))
    except _Other:
        return None


def _places(tree, leaves):
    """The tree with the places of leaves in place of them, dicts in the order of their names."""
    kind = type(tree)
    if kind in BARE or isinstance(tree, Tracer | np.generic):
        leaves.append(tree)
        return len(leaves) - 1
    if tree is None:
        return None
    if kind is tuple or kind is list:
        return kind([_places(part, leaves) for part in tree])
    if kind is dict and _NAMES.issuperset(map(type, tree)):
        places = {name: _places(tree[name], leaves) for name in sorted(tree)}
        return {name: places[name] for name in tree}
    raise _Other


class Form:
    """The structure of a pytree, which puts leaves back; equal ones are found by their number of leaves."""

    __slots__ = ()
    spec: Any
    count: Any

    def __eq__(self, other):
        return isinstance(other, Form) and self.spec == other.spec

    def __hash__(self):
        return hash((Form, self.count))


class Nest(Form):
    """That of a nest of plain tuples, lists and dicts: the nest, with places in it."""

    __slots__ = ("places", "count")

    def __init__(self, places, count):
        self.places = places
        self.count = count

    def __call__(self, leaves):
        return _filled(self.places, leaves)

    def __eq__(self, other):
        return self.places == other.places if type(other) is Nest else Form.__eq__(self, other)

    __hash__ = Form.__hash__

    @property
    def spec(self):
        """The name by which optree calls it."""
        return optree.tree_structure(self([0.0] * self.count), namespace=NAMESPACE)


def _filled(places, leaves):
    kind = type(places)
    if kind is int:
        return leaves[places]
    if places is None:
        return None
    if kind is dict:
        return {name: _filled(part, leaves) for name, part in places.items()}
    return kind([_filled(part, leaves) for part in places])


class Rebuild(Form):
    """That of any pytree, as optree has it."""

    __slots__ = ("spec",)

    def __init__(self, spec):
        self.spec = spec

    def __call__(self, leaves):
        return optree.tree_unflatten(self.spec, leaves)

    @property
    def count(self):
        """Of leaves."""
        return self.spec.num_leaves
