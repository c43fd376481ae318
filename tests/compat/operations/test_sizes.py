"""Sizes, counts and axes: integers of any kind, tensors of one element among them, and NumPy's names of axes."""

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import pytorch, shown

FORMS = """x.view(n, 3) | x.reshape((n, -1)) | x.expand(n, 6) | x.repeat(n) | x.tile((n, n)) | x.split(n) | x.chunk(n)
x.split([n, n, n]) | x.narrow(z, 1, n) | x.topk(n) | x.kthvalue(n) | x.roll(n) | x.roll(n, z)
x.unsqueeze(o) | x[None].squeeze(z) | m.sum(o) | m.sum((z, o)) | m.transpose(z, o) | m.permute(o, z) | m.flip(o)
m.movedim(z, o) | m.select(o, n) | m.unbind(o) | m.size(o) | m.softmax(o) | m.norm(n, o) | m.std(o) | m.logsumexp(o)
m.amax((o,)) | m.index_fill(o, i, 1.0) | m.median(o) | m.cumsum(o) | m.tril(o) | m.unflatten(o, (o, -1)) | x[::n]
x[n:] | [1] * n | list(range(n)) | [1, 2, 3][n] | torch.zeros(n, 2) | torch.ones((n,)) | torch.arange(n)
torch.randn(n).shape | torch.rand(n, n).shape | torch.randint(0, n, (n,)).shape | torch.eye(n) | torch.linspace(0, 1, n)
torch.full((n, 2), 1.0) | torch.tril_indices(n, n) | torch.cat([m, m], o) | torch.stack([m, m], dim=o)
torch.split(x, n) | torch.roll(x, n) | torch.roll(x, n) | torch.tensordot(m, m.t(), o) | torch.cdist(m, m, n)
torch.bincount(i, minlength=n) | torch.polygamma(n, x + 1) | torch.fft.rfft(x, n=n).real | torch.broadcast_to(x, (n, 6))
F.pad(x, (n, o)) | F.max_pool1d(x[None], n) | F.max_pool1d(x[None], n) | F.avg_pool1d(x[None], n) | F.glu(x, z)
F.conv1d(x[None], torch.ones(1, 1, 2), stride=n) | F.interpolate(x[None, None], n) | F.normalize(m, dim=o)
F.lp_pool1d(x[None], n, n) | F.layer_norm(x, (n * 3,)) | F.one_hot(i, n) | F.softmax(m, dim=o) | F.unfold(c, (n, n))
torch.nn.Linear(n, n).weight.shape | torch.nn.MaxPool1d(n)(x[None])
x.new_zeros(n) | x.resize_(n) | torch.empty(n, n).shape | torch.Size([n]) | torch.zeros(torch.Size([n]))""".replace(
    "\n", " | ").split(" | ")
KINDS = {"int": lambda torch, n: n, "0-d": lambda torch, n: torch.tensor(n), "one": lambda torch, n: torch.tensor([n]),
         "bytes": lambda torch, n: torch.tensor(n, dtype=torch.uint8), "numpy": lambda torch, n: np.int64(n)}


def answer(torch, form, kind):
    names = {name: KINDS[kind](torch, n) for name, n in (("n", 2), ("o", 1), ("z", 0))}
    x = torch.arange(6.0)
    return shown(eval(form, names | {"torch": torch, "F": torch.nn.functional, "x": x, "m": x.reshape(2, 3) + 1,
                                     "c": x.reshape(1, 1, 2, 3), "i": torch.tensor([0, 1])}))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "one"])  # which PyTorch takes for some alone
def test_an_integer_of_any_kind_is_a_size(kind):
    for form in FORMS:
        assert str(answer(compat, form, kind)) == str(answer(compat, form, "int")), form


@pytest.mark.reference
@pytest.mark.parametrize("kind", KINDS)
def test_where_pytorch_takes_an_integer_of_a_kind_so_does_this(kind):
    for form in FORMS:
        try:
            theirs = answer(pytorch(), form, kind)
        except (TypeError, RuntimeError, IndexError):
            continue
        assert str(answer(compat, form, kind)).replace("-0.", "0.") == str(theirs).replace("-0.", "0."), form


def script_tensors_of_one_element_as_sizes(torch):
    n, x = torch.tensor([2]), torch.arange(6.0)
    return [x.view(n, -1), x.expand(n, 6), x.repeat(n), torch.zeros(n, 2), torch.ones((n,)), x.topk(n)[0], x.roll(n),
            x.split(n), torch.nn.functional.pad(x, (n, n)), torch.nn.Linear(n, n).weight.shape, x.new_ones(n, 2)]


def script_numpys_names_of_axes_in_methods(torch):
    x = torch.arange(6.0).reshape(1, 2, 3)
    return [x.squeeze(axis=0), x.unsqueeze(axis=-1), x.select(axis=2, index=1), x.narrow(axis=1, start=0, length=1),
            x.unbind(axis=1), x.chunk(2, axis=2), x.tensor_split(2, axis=2), x.unsafe_split(1, axis=1),
            x.unsafe_chunk(2, axis=1), x.sum(axis=1, keepdims=True), x.amax(axis=(0, 1)), x.argsort(axis=1),
            x.softmax(axis=1), x.flip(dims=(0,)), x.std(axis=2, keepdims=True), x.cumsum(axis=1)]


@pytest.mark.parametrize("name", "mul add sub div maximum minimum eq ne lt le gt ge".split())
def test_operands_are_taken_by_the_names_of_numpy(name):
    fun, x, y = getattr(compat, name), compat.tensor([1.0, 2.0]), compat.tensor([2.0, 2.0])
    out = fun(x, y)
    for call in (lambda: fun(x1=x, x2=y), lambda: fun(x, x2=y), lambda: fun(a=x, other=y), lambda: fun(x=x, other=y),
                 lambda: fun(x1=x, x2=y, out=compat.empty_like(out))):
        assert compat.equal(call(), out)
    with pytest.raises(TypeError):
        fun(x, y, x1=x)
