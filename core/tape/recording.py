"""Constructors of nodes and of the traced values that carry them. Compiled with recording.pxd beside it."""

import gc
import itertools
import sys
from collections import deque
from operator import call

from ..arrays.avals import aval_of
from ..slots import AvalSlots, Node, TracerSlots
from ..trace.tracer import Batched, Dual, Rev

# Newest first: the numbers count downwards, so that a heap of plain ints pops the newest node.
next_seq = itertools.count(0, -1).__next__
# Whether one thread runs at a time: then nothing comes between two steps of one call of C.
ONE_AT_A_TIME = getattr(sys, "_is_gil_enabled", lambda: True)()
GROWTH = 1 << 14  # nodes, between which a tape puts off what full collections would find


def make_node(rule, parents, saved):
    """Create a node with the next sequence number.

    Args:
        rule: what runs in the backward pass; None for a leaf.
        parents: the node of the one differentiated operand, or a tuple of nodes.
        saved: what `rule.back(ct, saved)` receives.
    Returns:
        the node; the backward pass visits it before every node created earlier.

    >>> from covector._engine import make_leaf, make_node
    >>> from covector.extend import REGISTRY
    >>> leaf = make_leaf(0)
    >>> make_node(REGISTRY["negative"].rule((0,)), leaf, None).parents is leaf
    True
    """
    node: Node = Node()
    node.rule = rule
    node.parents = parents
    node.saved = saved
    seq = next_seq()
    node.seq = seq
    # The sequence number is the counter that is there anyway: no check of time or memory in each operation.
    if not seq & GROWTH - 1:
        put_off_full_collection()
    return node


def traced(owner, value, aval, node):
    """A value of a reverse trace."""
    out: TracerSlots = Rev()
    out.owner = owner
    out.value = value
    out.aval = aval
    out.node = node
    return out


def dual(owner, value, aval, tangent):
    """A value of a forward trace."""
    out: TracerSlots = Dual()
    out.owner = owner
    out.value = value
    out.aval = aval
    out.tangent = tangent
    return out


def batched(owner, value, aval):
    """A value of a vmap trace; `aval` is that of one example."""
    out: TracerSlots = Batched()
    out.owner = owner
    out.value = value
    out.aval = aval
    return out


def recorded(owner, rule, parents, saved, value, like):
    """A value of a reverse trace, and its node; `like` is an aval that the value probably has."""
    known: AvalSlots = like
    # Reuse the aval of an operand where it fits: `aval_of` would look it up by shape and dtype.
    fits = known.plain and value.shape == known.shape and value.dtype is known.dtype
    return traced(owner, value, known.strong if fits else aval_of(value), make_node(rule, parents, saved))


def with_bias(x, y, v):
    """`x @ w + b` as one node in place of two: that of the product, which nobody else may need, with a third parent."""
    tx: TracerSlots = x
    ty: TracerSlots = y
    product: Node = tx.node
    parents, saved = product.parents, product.saved
    if type(parents) is not tuple:
        parents, saved = (parents,), (saved,)
    return traced(tx.owner, v, tx.aval, make_node(product.rule.biased, (*parents, ty.node), (*saved, ty.aval)))


def put_off_full_collection():
    """Count what a long tape has made so far among what is old, without looking at it.

    Python goes through everything that is alive when what is new makes up a quarter of it: for a tape, again and again,
    while none of its nodes is garbage. Of a gradient of a million operations that took a fifth of the time. Frozen and
    released at once, objects lie where a collection of the young ones would leave them, and the counts start anew; the
    young are looked at as before, in between. It changes nothing that lasts, so an exception leaves nothing behind, and
    no other thread runs between the two. What the user froze stays frozen: then nothing is done.
    """
    if ONE_AT_A_TIME and gc.isenabled() and not gc.get_freeze_count():
        deque(map(call, (gc.freeze, gc.unfreeze)), 0)
