"""Attention: averages of values, weighted by the match of their keys with the queries."""

import math

import numpy as np

from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.ops import reductions, selection
from ..core.ops.linalg import products
from ..core.ops.nn import network
from ..core.trace.device import constant
from ..numpy.surface import Array, array_of, floating


def dot_product_attention(
    query: Array, key: Array, value: Array, *, bias: Array | None = None, mask: Array | None = None,
    is_causal: bool = False, scale: float | None = None,
) -> Array:
    """Compute softmax(scale · query keyᵀ + bias) value: Vaswani et al. (2017), Attention is all you need, eq. 1.

    Args:
        query: `(…, queries, depth)`.
        key: `(…, keys, depth)`.
        value: `(…, keys, width)`.
        bias: added to the scores; broadcasts with `(…, queries, keys)`.
        mask: True where a query may attend to a key; broadcasts likewise. A query without any key outputs 0.
        is_causal: whether query i may attend to the keys 0 … i only.
        scale: 1 / √depth by default.
    Returns:
        `(…, queries, width)`.
    Raises:
        DtypeError: `mask` is not boolean.
        ShapeError: an operand has too few axes, or the shapes do not match.

    >>> import numpy as np
    >>> from covector import nn
    >>> nn.dot_product_attention(np.zeros((1, 2)), np.zeros((2, 2)), np.array([[1.0], [3.0]]))
    array([[2.]])
    """
    query, key, value = floating(query), floating(key), floating(value)
    if min(query.ndim, key.ndim, value.ndim) < 2 or not query.shape[-1]:
        raise ShapeError(f"dot_product_attention needs a query (…, queries, depth), a key (…, keys, depth) and a value "
                         f"(…, keys, width), but got shapes {query.shape}, {key.shape} and {value.shape}; add axes, "
                         f"for example with query[None]{at_user_line()}")
    scale = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    if mask is not None:
        mask = array_of(mask)
        if mask.dtype.kind != "b":
            raise DtypeError(f"dot_product_attention needs a boolean mask, True where a query may attend, but got "
                             f"{mask.dtype}; add numbers to the scores by bias=, or compare them: mask != 0"
                             f"{at_user_line()}")
    scores = products.matmul(query * scale, key.swapaxes(-1, -2))
    if bias is not None:
        scores = scores + array_of(bias)
    if is_causal:
        causal = constant(np.tril(np.ones(scores.shape[-2:], bool)), scores)
        mask = causal if mask is None else mask & causal
    if mask is not None:
        scores = selection.where(mask, scores, -math.inf)
    if mask is None and bias is None:
        return products.matmul(network.softmax(scores, scores.ndim - 1), value)
    none = reductions.reduce_max(scores, (scores.ndim - 1,), True) == -math.inf
    weights = network.softmax(selection.where(none, 0.0, scores), scores.ndim - 1)
    return products.matmul(selection.where(none, 0.0, weights), value)
