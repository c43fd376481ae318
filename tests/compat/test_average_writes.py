"""Averages of weights in place, and batches of a TensorDataset: what their short ways give, and what they leave."""

import numpy as np
import pytest

import covector.compat.torch as torch

RNG = np.random.default_rng(0)
FORMS = {
    "add_": lambda x, y, z: x.add_(y, alpha=0.25),
    "sub_": lambda x, y, z: x.sub_(y, alpha=2),
    "lerp_": lambda x, y, z: x.lerp_(y, 0.1),
    "lerp_ by a tensor": lambda x, y, z: x.lerp_(y, z),
    "addcmul_": lambda x, y, z: x.addcmul_(y, z, value=0.5),
    "addcdiv_": lambda x, y, z: x.addcdiv_(y, z, value=-2),
}
VALUES = {
    "add_": lambda x, y, z: x + y * x.dtype.type(0.25), "sub_": lambda x, y, z: x - y * x.dtype.type(2),
    "lerp_": lambda x, y, z: x + x.dtype.type(0.1) * (y - x), "lerp_ by a tensor": lambda x, y, z: x + z * (y - x),
    "addcmul_": lambda x, y, z: x + y * z * x.dtype.type(0.5), "addcdiv_": lambda x, y, z: x + y / z * x.dtype.type(-2),
}


def numbers(dtype):
    return [RNG.uniform(0.5, 2.0, (3, 4)).astype(dtype) for _ in range(3)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("way", ["no_grad", "inference_mode", "leaf", "view"])
@pytest.mark.parametrize("form", FORMS)
def test_written_values_and_versions(form, way, dtype):
    x, y, z = numbers(dtype)
    wanted = VALUES[form](x, y, z)
    a, b, c = (torch.tensor(v) for v in (x, y, z))
    if way == "view":
        a = torch.stack([a, a])[0]
        before = a._version
        out = FORMS[form](a, b, c)
    elif way == "leaf":
        before = a._version
        out = FORMS[form](a, b, c)
    else:
        a.requires_grad_()
        before = a._version
        with getattr(torch, way)():
            out = FORMS[form](a, b, c)
    assert out is a
    assert a._version == before + 1
    np.testing.assert_allclose(a.detach().numpy(), wanted, rtol=1e-6 if dtype is np.float32 else 1e-14)


@pytest.mark.parametrize("form", FORMS)
def test_history_is_recorded_where_an_operand_has_one(form):
    a, b, c = (torch.tensor(v) for v in numbers(np.float64))
    b.requires_grad_()
    FORMS[form](a, b, c).sum().backward()
    assert b.grad is not None and bool((b.grad != 0).all())


def test_write_to_a_saved_value_is_noticed():
    a = torch.ones(3)
    w = torch.ones(3, requires_grad=True)
    y = (w * a).sum()
    a.add_(torch.ones(3), alpha=0.5)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_refusals_are_those_of_the_general_way():
    with torch.no_grad():
        with pytest.raises(RuntimeError):
            torch.zeros(3).lerp_(torch.zeros(4), 0.5)
        with pytest.raises(RuntimeError):
            torch.zeros(3).lerp_(torch.zeros(3, dtype=torch.float64), 0.5)
        with pytest.raises(RuntimeError):
            torch.zeros(1).expand(3).add_(torch.ones(3), alpha=2.0)
    with pytest.raises(RuntimeError, match="a leaf Variable"):
        torch.zeros(3, requires_grad=True).add_(torch.ones(3), alpha=2.0)
    shared = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="single memory location"):
        shared[1:].add_(shared[:-1], alpha=2.0)


def test_batches_of_a_tensor_dataset_are_those_of_its_items():
    data = torch.utils.data
    x, y = torch.arange(20.0).reshape(10, 2), torch.arange(10)
    whole = data.TensorDataset(x, y)
    part = data.Subset(data.Subset(whole, [9, 1, 8, 2, 7]), [4, 0, 1])
    for dataset in (whole, part, data.TensorDataset(x.t().contiguous().t(), y)):
        for batch, start in zip(data.DataLoader(dataset, batch_size=2), range(0, len(dataset), 2)):
            wanted = data.default_collate([dataset[i] for i in range(start, min(start + 2, len(dataset)))])
            assert type(batch) is list
            for got, want in zip(batch, wanted):
                assert torch.equal(got, want) and got.dtype is want.dtype and got.stride() == want.stride()
    batch = next(iter(data.DataLoader(whole, batch_size=2)))
    batch[0].zero_()  # memory of its own
    assert float(x[0, 1]) == 1.0


def test_batches_of_recorded_tensors_are_recorded():
    x = torch.arange(4.0, requires_grad=True)
    for (batch,) in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x), batch_size=2):
        batch.sum().backward()
    assert torch.equal(x.grad, torch.ones(4))


@pytest.mark.parametrize("mask", [None, "causal", "numbers"])
def test_attention_of_a_sequence_to_itself_is_that_of_its_copies(mask):
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(3, 5, 8, requires_grad=True)
    given = None if mask is None else torch.ones(5, 5).triu(1)
    given = given if given is None or mask == "numbers" else given > 0
    found = []
    for operands in ((x, x, x), (x, x + 0, x + 0)):  # one tensor takes one product, three take three
        for weights in (False, True):
            layer.zero_grad()
            x.grad = None
            out, shown = layer(*operands, attn_mask=given, need_weights=weights)
            out.square().sum().backward()
            assert (shown is None) is not weights
            found.append([out.detach(), x.grad, *[p.grad for p in layer.parameters()]])
    for other in found[1:]:
        for a, b in zip(found[0], other):
            assert torch.allclose(a, b, atol=1e-5)
