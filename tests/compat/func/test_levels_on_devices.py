"""Levels of `func` over tensors that lie on a GPU where that is no default: numbers and constants follow them."""

import pytest

import covector.compat.torch as torch

pytestmark = pytest.mark.gpu
F = torch.nn.functional
FUNCTIONS = {
    "numbers": lambda x, w, b: (x * 2.0 + 1).sum() + (1 / x).sum() + (w[0] * 3).sum() + b.sum(),
    "linear": lambda x, w, b: F.linear(x, w, b).sum() + F.linear(x[0], w).square().sum(),
    "addmm": lambda x, w, b: torch.addmm(b, x, w.t()).relu().mean(),
    "mse": lambda x, w, b: F.mse_loss(x @ w.t(), b.expand(2, 4)) + x.sin().square().sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_those_of_the_cpu(name):
    fun = FUNCTIONS[name]
    given = [torch.arange(1.0, n + 1).view(shape) / 7 for n, shape in ((6, (2, 3)), (12, (4, 3)), (4, (4,)))]
    found = []
    for device in ("cpu", "cuda"):
        here = [t.to(device) for t in given]
        ones = [torch.ones_like(t) for t in here]
        every = torch.func.grad(fun, argnums=(0, 1, 2))(*here)
        pushed = torch.func.jvp(fun, tuple(here), tuple(ones))
        second = torch.func.grad(lambda x, w, b: torch.func.grad(fun)(x, w, b).square().sum(), argnums=1)(*here)
        with torch.autograd.forward_ad.dual_level():
            duals = [torch.autograd.forward_ad.make_dual(t, v) for t, v in zip(here, ones, strict=True)]
            dual = torch.autograd.forward_ad.unpack_dual(fun(*duals)).tangent
        results = [*every, *pushed, second, dual]
        assert {t.device.type for t in results} == {device}
        found.append([t.cpu() for t in results])
    for ours, theirs in zip(*found, strict=True):
        assert torch.allclose(ours, theirs)
