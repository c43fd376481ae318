"""Attention with dropout, and of several heads: projections of their own, biases of keys, masks, and refusals."""

import pytest

import covector.compat.torch as compat
from covector.compat.torch.nn.attention import SDPBackend, sdpa_kernel
from harness import attempt, normal, slopes


def heads(torch, **more):
    """The arguments of attention of two heads of two numbers each, others replaced."""
    given = {
        "query": normal(torch, 3, 2, 4), "key": normal(torch, 5, 2, 4, seed=1), "value": normal(torch, 5, 2, 4, seed=2),
        "embed_dim_to_check": 4, "num_heads": 2, "in_proj_weight": normal(torch, 12, 4, seed=3),
        "in_proj_bias": normal(torch, 12, seed=4), "bias_k": None, "bias_v": None, "add_zero_attn": False,
        "dropout_p": 0.0, "out_proj_weight": normal(torch, 4, 4, seed=5), "out_proj_bias": normal(torch, 4, seed=6),
    } | more
    return torch.nn.functional.multi_head_attention_forward(**given)


def separate(torch):
    """Keys and values of other widths than the queries, with projections of their own."""
    return {"key": normal(torch, 5, 2, 3, seed=1), "value": normal(torch, 5, 2, 6, seed=2),
            "use_separate_proj_weight": True, "in_proj_weight": None, "q_proj_weight": normal(torch, 4, 4, seed=7),
            "k_proj_weight": normal(torch, 4, 3, seed=8), "v_proj_weight": normal(torch, 4, 6, seed=9)}


def script_heads_with_projections_of_their_own(torch):
    own = separate(torch)
    return [*heads(torch, **own), *heads(torch, **own, need_weights=False),
            slopes(torch, lambda w, v: heads(torch, **own | {"k_proj_weight": w, "value": v})[0],
                   own["k_proj_weight"], own["value"])]


def script_heads_without_a_bias_with_masks_and_more_keys(torch):
    late = torch.ones(3, 5, dtype=torch.bool).triu(1)
    hidden = torch.tensor([[False] * 5, [False, True, False, True, False]])
    return [*heads(torch, in_proj_bias=None), *heads(torch, attn_mask=late, key_padding_mask=hidden),
            *heads(torch, bias_k=normal(torch, 1, 1, 4), bias_v=normal(torch, 1, 1, 4, seed=1), add_zero_attn=True,
                   attn_mask=late, key_padding_mask=hidden, average_attn_weights=False),
            *heads(torch, query=normal(torch, 3, 4), key=normal(torch, 5, 4), value=normal(torch, 5, 4, seed=1),
                   key_padding_mask=hidden[1])]


def script_refusals_of_heads(torch):
    own = separate(torch)
    odd = [
        {"bias_k": normal(torch, 1, 1, 4)}, {"bias_v": normal(torch, 1, 1, 4)}, {"in_proj_weight": None},
        own | {"k_proj_weight": None}, own | {"q_proj_weight": normal(torch, 4, 3)}, {"num_heads": 3},
        {"embed_dim_to_check": 5}, {"key": normal(torch, 5, 4)}, {"value": normal(torch, 4, 2, 4)},
        {"attn_mask": torch.zeros(3, 4)}, {"attn_mask": torch.zeros(1, 3, 5)}, {"attn_mask": torch.zeros(5)},
        {"attn_mask": torch.zeros(3, 5, dtype=torch.int64)}, {"key_padding_mask": torch.zeros(5)},
        {"static_k": normal(torch, 3, 5, 2)}, {"is_causal": True}, {"query": normal(torch, 4)},
    ]
    return [attempt(lambda more=more: heads(torch, **more))[:2] for more in odd]


def script_dropped_weights_of_attention(torch):
    attend = torch.nn.functional.scaled_dot_product_attention
    even, values = torch.zeros(2, 16, 4), torch.eye(8).expand(2, 8, 8)
    torch.manual_seed(0)
    out = attend(even, even[:, :8], values, dropout_p=0.5)
    causal = attend(even[:, :8], even[:, :8], values, None, 0.5, True)
    grouped = attend(even.view(2, 4, 8, 2), even.view(2, 4, 8, 2)[:, :2], torch.ones(2, 2, 8, 1), dropout_p=0.25,
                     enable_gqa=True)
    return [out.unique(), (causal.triu(1) == 0).all(), grouped.shape, attend(even, even[:, :8], values, dropout_p=1.0),
            attempt(lambda: attend(even, even, even, dropout_p=1.5))[:2],
            attempt(lambda: attend(even, even, even, torch.zeros(16, 16), 0.5, True))[:2]]


def test_kernels_of_attention_are_named_and_one_is_there():
    x = compat.ones(1, 2, 4)
    for chosen in (SDPBackend.MATH, [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
        with sdpa_kernel(chosen, set_priority=True):
            assert compat.nn.functional.scaled_dot_product_attention(x, x, x).equal(x)
    with (pytest.raises(RuntimeError, match="attention is computed by SDPBackend.MATH alone"),
          sdpa_kernel(SDPBackend.FLASH_ATTENTION)):
        pass


def script_queries_without_keys_under_dropout(torch):
    attend, masks = torch.nn.functional.scaled_dot_product_attention, []
    allowed = torch.tensor([[False] * 5, [True, False, True, False, True], [False] * 5])
    q, k, v = (normal(torch, 2, n, 4, seed=n) for n in (3, 5, 5))
    for mask in (allowed, torch.zeros(3, 5).masked_fill(~allowed, -torch.inf)):
        out = attend(q, k, v, mask, 0.5)
        masks.append((out[:, ::2], out.isfinite().all()))
        whole = [t.clone().requires_grad_() for t in (q, k, v)]
        attend(*whole, mask, 0.5).sum().backward()
        masks.append([whole[0].grad[:, ::2], *[t.grad.isfinite().all() for t in whole]])
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.5, batch_first=True).double()
    hidden = torch.tensor([[True] * 3, [False, False, True]])
    return [masks, layer(q[:, :3], src_key_padding_mask=hidden).isfinite().all(),
            attempt(lambda: attend(q[:, None].expand(2, 3, 3, 4), k[:, None].expand(2, 2, 5, 4),
                                   v[:, None].expand(2, 2, 5, 4), dropout_p=0.5, enable_gqa=True))[:2]]
