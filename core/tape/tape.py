"""The tape: nodes that point to their parents, and the lazy cotangents that meet in them."""

from copy import copy

import numpy as np

from ..slots import Node
from ..trace.tracer import Late, Tracer
from ..types import Any, Callable
from .recording import make_node

ndarray = np.ndarray

class Rule:
    """The reverse rule of a primitive for one set of differentiated operands, compiled once.

    `back(ct, saved)` gives the cotangent(s) of the parents; `strong` is the same with strong zeros for `singular`
    rules (0 · inf = 0), and the same function otherwise. `origins[k]` tells where saved item k came from: an operand
    index, -1 for the output, None for a parameter or aval; `keeps` says whether any is a value. `lazy` rules take an
    undensified cotangent. `biased` is the rule of a product with a row added, None where the output is no product.
    `pointwise` rules may be run on a block of the elements alone; `programs` is what they come to then, a cache.
    `basis(ct, saved)` gives the parents' cotangents for each unit cotangent, or None; it is None itself where the
    primitive does not know them. `moves` says that the pullback moves or repeats elements and at most adds some that
    meet.
    `masks` says that its pullback may put structural zeros into what arrives at the parents; `masking` is the same
    rule that says so, a cache.
    `again` is what the stateful layer knows of rules whose runs are recorded, a cache.
    `part(active)` is the rule for some of its operands, which saves nothing else.
    `once` rules call bodies of the user's: what they do is not recorded on the tape of the stateful layer.
    """

    __slots__ = ("prim", "back", "strong", "names", "origins", "keeps", "active", "lazy", "collect", "biased",
                 "pointwise", "programs", "again", "basis", "moves", "masks", "masking",
                 "once", "chooses", "part")

    prim: Any
    back: Callable[..., Any]
    strong: Callable[..., Any]
    names: tuple[str, ...]
    origins: tuple[int | None, ...]
    keeps: bool
    active: tuple[int, ...]
    lazy: bool
    collect: Any
    biased: Any
    programs: Any
    again: Any
    basis: Any
    part: Any

    def __init__(self):
        self.biased = None
        self.pointwise = False
        self.programs = self.again = self.part = self.masking = None
        self.basis = None
        self.moves = False
        self.masks = True
        self.once = self.chooses = False

    def __repr__(self):
        return f"Rule({self.prim.name}, saves {', '.join(self.names) or 'nothing'})"


def note_zeros(ct):
    """Note on the node of a cotangent which is recorded in turn that its factors may have structural zeros."""
    while isinstance(ct, Tracer) and ct.owner is not None:
        if ct.owner.kind == "jvp":
            note_zeros(ct.tangent)
            if type(ct) is Late and ct.node is not None:
                return  # nobody asked for its value yet
        elif ct.owner.kind == "grad" and ct.node is not None:
            rule = ct.node.rule
            if rule is not None and not rule.masks:
                if rule.masking is None:
                    rule.masking = copy(rule)
                    rule.masking.masks = True
                ct.node.rule = rule.masking
        ct = ct.value


def make_leaf(index: Any) -> Node:
    """Create the node of an input; its cotangent is result `index` of the backward pass.

    Args:
        index: a position, or the key of a backward pass that fills a dict.
    Returns:
        a node without rule and parents.

    >>> from covector._engine import make_leaf
    >>> make_leaf(0).saved
    0
    """
    return make_node(None, None, index)


_READY = 64


def _leaf_of_all(index):
    leaf = make_leaf(index)
    leaf.seq = index + 1  # nodes count downwards from 0: it comes after all that is ever recorded
    return leaf


_LEAVES = [_leaf_of_all(i) for i in range(_READY)]


def ready_leaf(index):
    """The node of input `index`, one for all sweeps: a leaf knows nothing but its index."""
    return _LEAVES[index] if index < _READY else make_leaf(index)


class Partial:
    """Lazy cotangent of a multi-output node: the cotangents that have arrived so far.

    It belongs to one pending node, so what arrives later is put into it: n outputs cost O(n), not O(n²).
    """

    __slots__ = ("count", "piece", "parts")
    __array_ufunc__ = None

    def __init__(self, count, index, ct):
        self.count = count
        self.piece = index, ct
        self.parts = None

    def plus(self, other):
        """Add another one, in place."""
        if type(other) is not Partial:  # a cotangent that carries nothing, which adds itself
            return NotImplemented
        parts = self.parts or self._gathered()
        for k, ct in (other.piece,) if other.parts is None else enumerate(other.parts):
            if ct is not None:
                parts[k] = ct if parts[k] is None else parts[k] + ct
        return self

    __add__ = plus

    def dense(self):
        return tuple(self._gathered())

    def _gathered(self):
        if self.parts is None:
            self.parts = [None] * self.count
            index, ct = self.piece
            self.parts[index] = ct
        return self.parts


class Freed:
    """The placeholder in `saved` after its sweep."""

    __slots__ = ()

    def __repr__(self):
        return "FREED"


FREED = Freed()
