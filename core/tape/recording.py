"""The nodes that fast paths record, with the values that carry them."""

from ..arrays.avals import aval_of
from ..trace.tracer import Rev
from .node_pool import SPARE, take_spare
from .tape import new_node, next_seq


def with_bias(x, y, v):
    """`x @ w + b` as one node in place of two: that of the product, which nobody else may need, with a third parent."""
    product = x.node
    node = take_spare() if SPARE else new_node()
    node.rule = product.rule.biased
    parents = product.parents
    if type(parents) is tuple:
        node.parents = (*parents, y.node)
        node.saved = (*product.saved, y.aval)
    else:
        node.parents = (parents, y.node)
        node.saved = (product.saved, y.aval)
    node.seq = next_seq()
    out = Rev()
    out.owner = x.owner
    out.value = v
    out.aval = x.aval
    out.node = node
    return out


def recorded(owner, rule, parents, saved, value, like):
    """A new Rev and its node; `like` is an aval that the value probably has."""
    node = take_spare() if SPARE else new_node()
    node.rule = rule
    node.parents = parents
    node.saved = saved
    node.seq = next_seq()
    out = Rev()
    out.owner = owner
    out.value = value
    out.aval = like.strong if like.plain and value.shape == like.shape and value.dtype is like.dtype else aval_of(value)
    out.node = node
    return out
