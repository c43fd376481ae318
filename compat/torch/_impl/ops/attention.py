"""Attention: plain, with dropout, and of several heads with their projections."""

import math
import warnings

import numpy as np

from ..... import nn
from ..dispatch.call import ROWS, functional, method
from ..types.dtypes import type_word
from .array_functions import cnp
from .joining import cat
from .windows import pad

linear, softmax, dropout = (ROWS[n].fun for n in ("nn.functional.linear", "softmax", "nn.functional.dropout"))


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None,
                                 enable_gqa=False):
    """Compute softmax(scale · query keyᵀ + mask) value."""
    if not dropout_p:
        return _attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
    if not 0.0 <= dropout_p <= 1.0:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        times = groups(query, key)
        key, value = (t.repeat_interleave(times, -3) for t in (key, value))
    scores = (query * (query.shape[-1] ** -0.5 if scale is None else scale)) @ key.transpose(-2, -1)
    if is_causal:
        attn_mask = scores.new_ones(scores.shape[-2:]).tril() > 0
    mask = attn_mask if attn_mask is None or attn_mask.is_floating_point() else additive(
        attn_mask.logical_not(), "attn_mask", query)
    weights = softmax(scores, -1) if mask is None else weights_or_zeros(scores + mask)
    return dropout(weights, dropout_p) @ value


def weights_or_zeros(scores):
    """Softmax of the rows of scores; zeros where all of a row is masked, as without dropout."""
    none = (scores == -math.inf).all(-1, keepdim=True)
    return softmax(scores.masked_fill(none, 0.0), -1).masked_fill(none, 0.0)


def groups(query, key):
    """The number of query heads that share a key head."""
    if query.shape[-3] % key.shape[-3]:
        raise RuntimeError("scaled_dot_product_attention: the number of query heads must be divisible by that of "
                           f"key and value heads, but got {query.shape[-3]} and {key.shape[-3]}")
    return query.shape[-3] // key.shape[-3]


@functional("scaled_dot_product_attention", front=scaled_dot_product_attention)
def _attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    if enable_gqa and query.shape[-3] != key.shape[-3]:
        times = groups(query, key)
        key, value = cnp.repeat(key, times, axis=key.ndim - 3), cnp.repeat(value, times, axis=value.ndim - 3)
    for v in (query, key, value):
        if v.ndim < 2:
            raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
                               f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead.")
        if v.dtype.kind in "biu":
            raise RuntimeError("scaled_dot_product_attention: Expected floating point tensors, but got "
                               f"{type_word(v.dtype)}")
    if not query.shape[-1]:
        return cnp.matmul(query, cnp.swapaxes(key, -1, -2)) @ value
    single, rank = query.ndim == 2, max(query.ndim, 3)
    query, key, value = (v[:, None] if single else cnp.swapaxes(v, -2, -3) for v in (query, key, value))
    if attn_mask is not None:
        attn_mask = attn_mask.reshape((1,) * (rank - attn_mask.ndim) + tuple(attn_mask.shape))
    mask = attn_mask if attn_mask is not None and attn_mask.dtype == np.bool_ else None
    out = nn.dot_product_attention(query, key, value, mask=mask, bias=attn_mask if mask is None else None,
                                   is_causal=is_causal, scale=scale)
    return out[:, 0] if single else cnp.swapaxes(out, -2, -3)


@method("nn.functional.multi_head_attention_forward", attached=False)
def multi_head_attention_forward(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn,
    dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True,
    attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None,
    static_k=None, static_v=None, average_attn_weights=True, is_causal=False,
):
    """Compute multi-head attention from given projections."""
    batched = check_axes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (t.unsqueeze(1) for t in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, size, dim = query.shape
    source = length if key is query else key.shape[0]
    padding = additive(key_padding_mask, "key_padding_mask", query, attn_mask)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                           "`generate_square_subsequent_mask` to create this mask.")
    mask = additive(attn_mask, "attn_mask", query)
    demand(dim == embed_dim_to_check, "was expecting embedding dimension of {}, but got {}", embed_dim_to_check, dim)
    head = dim // num_heads
    demand(head * num_heads == dim, "embed_dim {} not divisible by num_heads {}", dim, num_heads)
    weights = in_proj_weight, (q_proj_weight, k_proj_weight, v_proj_weight)
    q, k, v = projected((query, key, value), use_separate_proj_weight, weights, in_proj_bias)
    mask = checked_mask(mask, size * num_heads, length, source)
    if bias_k is not None or bias_v is not None:
        demand(bias_v is not None, "bias_k is set but bias_v is None")
        demand(bias_k is not None, "bias_v is set but bias_k is None")
        demand(static_k is None, "bias cannot be added to static key.")
        demand(static_v is None, "bias cannot be added to static value.")
        k, v = cat([k, bias_k.repeat(1, size, 1)]), cat([v, bias_v.repeat(1, size, 1)])
        mask, padding, source = wider(mask), wider(padding), source + 1
    q = q.view(length, size * num_heads, head).transpose(0, 1)
    k = k.view(source, size * num_heads, head).transpose(0, 1) if static_k is None else checked_static(
        "static_k", static_k, size * num_heads, head)
    v = v.view(source, size * num_heads, head).transpose(0, 1) if static_v is None else checked_static(
        "static_v", static_v, size * num_heads, head)
    if add_zero_attn:
        none = k.new_zeros((size * num_heads, 1, head))
        k, v = cat([k, none], 1), cat([v, none], 1)
        mask, padding = wider(mask), wider(padding)
    if padding is not None:
        source = k.shape[1]
        demand(padding.shape[0] == size, f"Expected key_padded_mask.shape[0] to be {size}, but got {padding.shape[0]}")
        demand(padding.shape[1] == source,
               f"Expected key_padded_mask.shape[1] to be {source}, but got {padding.shape[1]}")
        padding = padding.view(size, 1, 1, source).expand(-1, num_heads, -1, -1).reshape(size * num_heads, 1, source)
        mask = padding if mask is None else mask + padding
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        scores = (q * math.sqrt(1.0 / head)) @ k.transpose(-2, -1)
        attention = softmax(scores if mask is None else scores + mask, -1)
        attention = dropout(attention, dropout_p) if dropout_p > 0.0 else attention
        out = attention @ v
    else:  # the same in one program, whose rows are 0 where all is masked, as PyTorch's
        out = scaled_dot_product_attention(q, k, v, mask, dropout_p)
    out = linear(out.transpose(0, 1).reshape(length * size, dim), out_proj_weight, out_proj_bias)
    out = out.view(length, size, out_proj_weight.shape[0])
    shown = None
    if need_weights:
        shown = attention.view(size, num_heads, length, k.shape[1])
        shown = shown.mean(dim=1) if average_attn_weights else shown
    if not batched:
        out, shown = out.squeeze(1), None if shown is None else shown.squeeze(0)
    return out, shown


def demand(holds, words, *values):
    """torch's AssertionError where something does not hold; to write shapes takes longer than to look at them."""
    if not holds:
        raise AssertionError(words.format(*values))


def check_axes(query, key, value, padding, mask, num_heads):
    """Tell whether the operands have a batch, or torch's refusal of other numbers of axes."""
    ndim = query.dim()
    if ndim == 3 and padding is mask is None and key.dim() == value.dim() == 3:
        return True
    demand(ndim in (2, 3), "query should be unbatched 2D or batched 3D tensor but received {}-D query tensor", ndim)
    demand(key.dim() == ndim and value.dim() == ndim, _EXPECTED + "`key` and `value` to be {}-D but found {}-D and "
           "{}-D tensors respectively", *_batch_words(ndim), ndim, key.dim(), value.dim())
    demand(padding is None or padding.dim() == ndim - 1, _EXPECTED + "`key_padding_mask` to be `None` or {}-D but "
           "found {}-D tensor instead", *_batch_words(ndim), ndim - 1, padding is not None and padding.dim())
    if mask is not None:
        demand(mask.dim() in (2, 3), _EXPECTED + "`attn_mask` to be `None`, 2-D or 3-D but found {}-D tensor instead",
               *_batch_words(ndim), mask.dim())
        wanted = (num_heads, query.shape[0], key.shape[0])
        demand(ndim == 3 or mask.dim() == 2 or tuple(mask.shape) == wanted,
               "Expected `attn_mask` shape to be {} but got {}", wanted, mask.shape)
    return ndim == 3


_EXPECTED = "For {} ({}-D) `query`, expected "


def _batch_words(ndim):
    return "unbatched" if ndim == 2 else "batched", ndim


def additive(mask, name, like, other=None):
    """A mask as numbers to add: -inf where a boolean one is true."""
    if mask is None:
        return None
    floats = mask.is_floating_point()
    demand(floats or mask.dtype.category == 0, f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype != other.dtype:
        warnings.warn(f"Support for mismatched {name} and attn_mask is deprecated. Use same type for both instead.",
                      UserWarning, stacklevel=4)
    return mask if floats else mask.new_zeros(mask.shape, dtype=like.dtype).masked_fill_(mask, -np.inf)


def projected(operands, separate, weights, bias):
    """Queries, keys and values behind their projections."""
    query, key, value = operands
    if not separate and query is key is value and weights[0] is not None:
        length, size, dim = query.shape
        if dim == weights[0].shape[1]:
            whole = linear(query, weights[0], bias)
            return whole.view(length, size, 3, weights[0].shape[0] // 3).permute(2, 0, 1, 3).contiguous().unbind(0)
    dim = query.shape[-1]
    if not separate:
        demand(key.shape == value.shape, "key shape {} does not match value shape {}", key.shape, value.shape)
        demand(weights[0] is not None, "use_separate_proj_weight is False but in_proj_weight is None")
    else:
        demand(key.shape[:2] == value.shape[:2],
               f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
        for name, w in zip("qkv", weights[1]):
            demand(w is not None, f"use_separate_proj_weight is True but {name}_proj_weight is None")
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    w_q, w_k, w_v = weights[1] if separate else weights[0].chunk(3)
    b_q, b_k, b_v = biases
    if separate:
        for name, w, b, t in zip(("query", "key", "value"), weights[1], biases, operands):
            shape = dim, t.shape[-1]
            demand(tuple(w.shape) == shape, f"expecting {name} weights shape of {shape}, but got {w.shape}")
            demand(b is None or tuple(b.shape) == (dim,),
                   f"expecting {name} bias shape of {(dim,)}, but got {b is not None and b.shape}")
    return linear(query, w_q, b_q), linear(key, w_k, b_k), linear(value, w_v, b_v)


def checked_mask(mask, batches, length, source):
    """A mask with three axes, or torch's refusal of its shape."""
    if mask is None:
        return None
    wanted = (length, source) if mask.dim() == 2 else (batches, length, source)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted}.")
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def checked_static(name, static, batches, head):
    """Keys or values that are given as they are."""
    for axis, wanted in ((0, batches), (2, head)):
        demand(static.size(axis) == wanted, f"expecting {name}.size({axis}) of {wanted}, but got {static.size(axis)}")
    return static


def wider(mask):
    """A mask with one more column, of zeros."""
    return None if mask is None else pad(mask, (0, 1))
