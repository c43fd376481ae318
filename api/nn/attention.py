"""Attention: averages of values, weighted by the match of their keys with the queries."""

import math
from typing import Any

import numpy as np

from ..core.arrays.dtypes import is_half, widened
from ..core.checks import whole
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.ops import reductions, selection
from ..core.ops.linalg import products
from ..core.ops.nn import classification
from ..core.ops.shaping import broadcast_to
from ..core.trace.device import constant
from ..numpy.surface import Array, array_of, floating


def dot_product_attention(
    query: Array, key: Array, value: Array, bias: Array | None = None, mask: Array | None = None, *,
    scale: float | None = None, is_causal: bool = False, query_seq_lengths: Array | None = None,
    key_value_seq_lengths: Array | None = None, local_window_size: int | tuple[int, int] | None = None,
) -> Array:
    """Compute softmax(scale · query keyᵀ + bias) value: Vaswani et al. (2017), Attention is all you need, eq. 1.

    The layout is that of `jax.nn.dot_product_attention`: heads stand behind the positions, as they do after a
    projection is reshaped. (PyTorch's `scaled_dot_product_attention` has them in front: `np.swapaxes(x, -2, -3)`.)

    Args:
        query: `(…, queries, heads, depth)`; for one head add its axis: `x[:, None, :]`.
        key: `(…, keys, heads, depth)`, or with fewer heads that divide those of the query, each for a group of them.
        value: `(…, keys, heads, width)`, with the heads of `key`.
        bias: added to the scores; has the axes `(…, heads, queries, keys)`, each of its length or 1.
        mask: True where a query may attend to a key; axes likewise. A query without keys gives 0.
        scale: by default 1 / √depth.
        is_causal: whether query i may attend to the keys 0 … i only.
        query_seq_lengths: integers `(…)`, how many queries of each example count; the output of others is 0.
        key_value_seq_lengths: the same of keys and values.
        local_window_size: how many keys before and behind its own place a query may attend to; a number for both.
    Returns:
        `(…, queries, heads, width)`.
    Raises:
        DtypeError: `mask` is not of booleans, or lengths are not integers.
        ShapeError: an operand has not the axes it needs, or they do not fit.

    >>> import numpy as np
    >>> from covector import nn
    >>> nn.dot_product_attention(np.zeros((1, 1, 2)), np.zeros((2, 1, 2)), np.array([[[1.0]], [[3.0]]]))
    array([[[2.]]])
    """
    query, key, value = floating(query), floating(key), floating(value)
    rank = query.ndim
    if min(rank, key.ndim, value.ndim) < 3 or not query.shape[-1]:
        raise ShapeError("dot_product_attention needs a query (…, queries, heads, depth), a key (…, keys, heads, "
                         f"depth) and a value (…, keys, heads, width), but got shapes {tuple(query.shape)}, "
                         f"{tuple(key.shape)} and {tuple(value.shape)}; add axes, for one head with query[:, None, :]"
                         f"{at_user_line()}")
    half = query.dtype if is_half(query.dtype) else None
    query, key, value = (widened(x).swapaxes(-2, -3) for x in (query, key, value))
    key, value = (_grouped(x, query.shape[-3]) for x in (key, value))
    scores = products.matmul(query * (1.0 / math.sqrt(query.shape[-1]) if scale is None else scale),
                           key.swapaxes(-1, -2))
    if bias is not None:
        scores = scores + _axes_of_scores(array_of(bias), scores, "bias")
    allowed = _allowed(scores, is_causal, query_seq_lengths, key_value_seq_lengths, local_window_size)
    if mask is not None:
        mask = _axes_of_scores(array_of(mask), scores, "mask")
        if mask.dtype.kind != "b":
            raise DtypeError(f"dot_product_attention needs a boolean mask, True where a query may attend, but got "
                             f"{mask.dtype}; add numbers to the scores by bias=, or compare them: mask != 0"
                             f"{at_user_line()}")
        allowed.append(mask)
    for part in allowed:
        scores = selection.where(part, scores, -math.inf)
    last = scores.ndim - 1
    others = bias, mask, query_seq_lengths, key_value_seq_lengths, local_window_size
    if key.shape[-2] and all(x is None for x in others):  # each query has a key: the first one, if it is causal
        out = products.matmul(classification.softmax(scores, last), value)
    else:
        none = reductions.reduce_max(scores, (last,), True) == -math.inf
        weights = classification.softmax(selection.where(none, 0.0, scores), last)
        out = products.matmul(selection.where(none, 0.0, weights), value)
    out = out.swapaxes(-2, -3)
    return out if half is None else selection.astype(out, half)


def _grouped(x: Array, heads: int) -> Array:
    """Keys or values (…, heads, keys, depth), each head repeated for its group of heads of the query."""
    own = x.shape[-3]
    if own == heads or own == 1:
        return x
    if not own or heads % own:
        raise ShapeError(f"dot_product_attention needs a number of heads of key and value that divides that of the "
                         f"query, {heads}, but got {own}; axes are (…, positions, heads, depth): move them with "
                         f"np.swapaxes(x, -2, -3){at_user_line()}")
    *lead, _, size, depth = x.shape
    spread = x.reshape((*lead, own, 1, size, depth))
    return broadcast_to(spread, (*lead, own, heads // own, size, depth)).reshape((*lead, heads, size, depth))


def _axes_of_scores(x: Array, scores: Array, name: str) -> Array:
    """A bias or mask, which is told from one with axes in another order by having all of them."""
    if x.ndim != scores.ndim or any(n not in (1, m) for n, m in zip(x.shape, scores.shape)):
        raise ShapeError(f"dot_product_attention needs a {name} with the axes (…, heads, queries, keys) of the scores, "
                         f"{tuple(scores.shape)}, each of its length or 1, but got shape {tuple(x.shape)}; reshape it, "
                         f"for example with {name}[None, None]{at_user_line()}")
    return x


def _allowed(scores: Array, is_causal: bool, queries: Any, keys: Any, window: Any) -> list[Array]:
    """Masks of what a query may attend to, but for the one that the user gives."""
    size, many = scores.shape[-2:]
    rows, columns = np.arange(size)[:, None], np.arange(many)
    out = []
    if is_causal:
        out.append(constant(rows >= columns, scores))
    if window is not None:
        before, after = (window, window) if isinstance(window, int) else window
        near = (columns >= rows - whole(before, "local_window_size", 0)) & (
            columns <= rows + whole(after, "local_window_size", 0))
        out.append(constant(near, scores))
    for lengths, places, name in ((queries, rows, "query_seq_lengths"), (keys, columns, "key_value_seq_lengths")):
        if lengths is not None:
            lengths = array_of(lengths)
            if lengths.dtype.kind not in "iu":
                raise DtypeError(f"dot_product_attention needs {name} of integers, but got {lengths.dtype}; cast them: "
                                 f".astype(int){at_user_line()}")
            if tuple(lengths.shape) != tuple(scores.shape[:-3]):
                raise ShapeError(f"dot_product_attention needs {name} of shape {tuple(scores.shape[:-3])}, one for "
                                 f"each example, but got {tuple(lengths.shape)}; reshape them{at_user_line()}")
            lengths = constant(lengths, scores) if isinstance(lengths, np.ndarray) else lengths
            out.append(constant(places, scores) < lengths.reshape((*lengths.shape, 1, 1, 1)))
    return out
