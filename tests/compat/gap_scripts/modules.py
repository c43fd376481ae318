"""Rows of docs/compat_gaps.md: modules of torch.nn."""

import copy

from gap_scripts.script import attempt, row


@row("`nn.CrossMapLRN2d`", True, False)
def windows_of_one_channel(torch):
    x = torch.arange(1.0, 4.0).reshape(1, 3, 1, 1)
    out = torch.nn.CrossMapLRN2d(1, alpha=1.0, beta=1.0)(x)
    return bool(torch.allclose(out, x / (1 + x * x)))


@row("`nn.LinearCrossEntropyLoss` with `options`", "differentiable", "not")
def second_derivatives_of_chunks(torch):
    m = torch.nn.LinearCrossEntropyLoss(2, 3, options=torch.nn.LinearCrossEntropyOptions(batch_chunk_size=1))
    x = torch.ones(2, 2, requires_grad=True)
    (g,) = torch.autograd.grad(m(x, torch.tensor([0, 1])), x, create_graph=True)
    return "differentiable" if g.requires_grad and attempt(lambda: g.pow(2).sum().backward()) is None else "not"


@row("`nn.TransformerEncoder` with `src_key_padding_mask`", False, True)
def padded_positions_of_an_encoder(torch):
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    m = torch.nn.TransformerEncoder(layer, 1).eval()
    with torch.no_grad():
        out = m(torch.randn(2, 3, 4), src_key_padding_mask=torch.tensor([[False] * 3, [False, False, True]]))
    return not bool(out[1, 2].any())


@row("`nn.utils.parametrizations.orthogonal` by reflections", True, False)
def a_diagonal_that_decayed(torch):
    m = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(2, 3), orthogonal_map="householder")
    with torch.no_grad():
        m.parametrizations.weight.original.mul_(0.9)
    return bool(torch.allclose(m.weight.T @ m.weight, torch.eye(2), atol=1e-5))


@row("copies (`copy.deepcopy`) of a parametrized module", (2, 2), "AttributeError")
def a_copy_that_is_no_longer_parametrized(torch):
    m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    torch.nn.utils.parametrize.remove_parametrizations(copy.deepcopy(m), "weight")
    return attempt(lambda: tuple(m.weight.shape))


@row("`library.register_fake` of a name that", ["kept"], "RuntimeError")
def fake_of_a_later_operation(torch):
    try:
        torch.library.register_fake("covector_tests::later_row", lambda x: x)
    except RuntimeError:
        return "RuntimeError"
    return ["kept"]


@row("gradients of `batch_norm` of a single example", True, False)
def shift_of_one_example(torch):
    weights = torch.cos(torch.arange(80.0)).reshape(1, 16, 5)
    b = torch.zeros(5, requires_grad=True)
    out = torch.nn.functional.batch_norm(torch.zeros(1, 5, 4, 4), torch.zeros(5), torch.ones(5), torch.ones(5), b)
    (out.flatten(2).transpose(1, 2) * weights).sum().backward()
    return bool(torch.allclose(b.grad, weights.sum((0, 1)), atol=1e-4))
