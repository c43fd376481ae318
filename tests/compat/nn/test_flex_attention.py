"""Attention whose scores and mask are functions of positions."""

import warnings

import numpy as np
import pytest

import covector.compat.torch as compat
from covector.compat.torch.nn.attention import flex_attention as ours
from harness import attempt, normal

DOCUMENTS = [[0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 1, 1, 1]]


def operands(torch, heads=4, dtype=None):
    return [normal(torch, 2, h, n, 4, seed=n + h, dtype=dtype) for h, n in ((4, 5), (heads, 7), (heads, 7))]


def attention(torch):
    """The module; PyTorch's runs without compiling."""
    module = ours if torch is compat else __import__("torch.nn.attention.flex_attention", fromlist=["x"])
    module._FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = True
    return module


def script_scores_of_positions(torch):
    flex = attention(torch)
    q, k, v = operands(torch)
    bias = normal(torch, 4, 5, 7)
    single = operands(torch, dtype=torch.float32)
    return [flex.flex_attention(q, k, v), flex.flex_attention(q, k, v, scale=0.3),
            flex.flex_attention(q, k, v, lambda s, b, h, i, j: s + (i - j) * 0.1 * h),
            flex.flex_attention(q, k, v, lambda s, b, h, i, j: s + bias[h, i, j]),
            flex.flex_attention(*single, lambda s, b, h, i, j: s + (i - j)),
            flex.flex_attention(*operands(torch, 2), lambda s, b, h, i, j: s * h, enable_gqa=True)]


def script_masks_of_positions(torch):
    flex, documents = attention(torch), torch.tensor(DOCUMENTS)
    q, k, v = operands(torch)
    masks = [flex.create_block_mask(lambda b, h, i, j: i >= j, None, None, 5, 7),
             flex.create_block_mask(lambda b, h, i, j: documents[b, i] == documents[b, j], 2, None, 5, 7, BLOCK_SIZE=2),
             flex.create_block_mask(lambda b, h, i, j: i > j, None, None, 5, 7)]  # nothing is left of the first row
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out, lse = flex.flex_attention(q, k, v, block_mask=masks[1], return_lse=True)
    return [flex.flex_attention(q, k, v, block_mask=m) for m in masks], out, lse, flex.flex_attention(
        q, k, v, lambda s, b, h, i, j: torch.where(i > j, s, -torch.inf))


def script_blocks_of_masks(torch):
    flex = attention(torch)

    def near(b, h, i, j):
        return (i - j).abs() < 3

    apart, together = (flex.create_block_mask(near, 2, None, 9, 10, BLOCK_SIZE=(2, 3), separate_full_blocks=s)
                       for s in (True, False))
    blocks = [getattr(apart, name) for name in (
        "kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
        "full_q_num_blocks", "full_q_indices", "BLOCK_SIZE", "seq_lengths")]
    either = flex.or_masks(lambda b, h, i, j: i >= j, lambda b, h, i, j: j == 3)
    both = flex.and_masks(lambda b, h, i, j: i >= j, lambda b, h, i, j: i - j < 2)
    return [blocks, apart.to_dense(), tuple(apart.shape), apart.sparsity(), apart.numel(), repr(apart),
            together.to_dense(), together.full_kv_indices, apart.to("cpu").to_dense(),
            flex.create_mask(either, None, None, 4, 4), flex.create_mask(both, 2, 3, 4, 4).contiguous(),
            flex.create_mask(flex.noop_mask, 1, 1, 2, 2),
            flex.create_mask(lambda s, b, h, i, j: torch.where(i >= j, s, -torch.inf), None, None, 4, 4)]


def script_refused_operands_of_flex_attention(torch):
    flex = attention(torch)
    q, k, v = operands(torch)
    mask = flex.create_block_mask(lambda b, h, i, j: i >= j, None, None, 5, 5)
    return [attempt(lambda given=given, named=named: flex.flex_attention(*given, **named))[:2] for given, named in (
        ((q[..., :3], k, v), {}), ((q, k[:, :2], v[:, :2]), {}),
        ((q, k[:, :3], v[:, :3]), {"enable_gqa": True}), ((q, k, v), {"block_mask": mask}),
        ((q, k, v), {"return_lse": True, "return_aux": flex.AuxRequest()}))]


def test_derivatives_are_those_of_the_formula():
    q, k, v = (t.requires_grad_() for t in operands(compat))
    bias = normal(compat, 4, 5, 7).requires_grad_()
    mask = ours.create_block_mask(lambda b, h, i, j: i > j, None, None, 5, 7)
    out, aux = ours.flex_attention(q, k, v, lambda s, b, h, i, j: s + bias[h, i, j], mask,
                                   return_aux=ours.AuxRequest(lse=True, max_scores=True))
    scores = q @ k.mT / 2 + bias
    hidden = ~compat.ones(5, 7, dtype=bool).tril(-1)
    scores = scores.masked_fill(hidden, -compat.inf)[:, :, 1:]
    wanted = compat.cat([compat.zeros(2, 4, 1, 4).double(), scores.softmax(-1) @ v], 2)
    np.testing.assert_allclose(out.detach().numpy(), wanted.detach().numpy(), atol=1e-14)
    np.testing.assert_allclose(aux.lse[:, :, 1:].detach().numpy(), scores.logsumexp(-1).detach().numpy(), atol=1e-14)
    np.testing.assert_array_equal(aux.max_scores[:, :, 1:].detach().numpy(), scores.amax(-1).detach().numpy())
    weight = normal(compat, *out.shape, seed=9)
    given, expected = (compat.autograd.grad((o * weight).sum(), (q, k, v, bias)) for o in (out, wanted))
    for a, b in zip(given, expected):
        np.testing.assert_allclose(a.numpy(), b.numpy(), atol=1e-14)


def test_a_mask_is_for_its_lengths():
    with pytest.raises(ValueError, match="query, key and value to be 4D tensors, but got 3D, 3D and 3D"):
        ours.flex_attention(*[compat.ones(2, 3, 4)] * 3)
    with pytest.raises(ValueError, match="was created for block_mask.shape=.1, 1, 5, 5. but got q_len=5 and kv_len=7"):
        ours.flex_attention(*operands(compat), block_mask=ours.create_block_mask(ours.noop_mask, None, None, 5, 5))
    with pytest.raises(AssertionError, match="Expected 4 or 5 positional args, got 2"):
        ours.create_mask(lambda i, j: i >= j, None, None, 2, 2)
