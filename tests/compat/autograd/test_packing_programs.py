"""Programs under saved-tensor hooks: what they see the second time is what they saw the first."""

import numpy as np
import pytest

import covector.compat.torch as torch

F = torch.nn.functional
ROWS = {
    "elementwise": lambda x, y: (torch.sin(x) * 2 / (y + 1.5) + x**3).exp(),
    "broadcast": lambda x, y: x * y[0] - 1 / x[:, :1],
    "matrices": lambda x, y: F.linear(x, y, y[0]).tanh(),
    "reductions": lambda x, y: x.logsumexp(1) + y.prod(0) + x.amax(1),
    "normalised": lambda x, y: F.layer_norm(x, (3,), y[0], y[1]).softmax(1),
    "in place": lambda x, y: (x * 2).mul_(y).add_(1).exp_(),
    "views": lambda x, y: x.t()[1:].reshape(-1)[2:5] * y[0],
}


def seen_by_hooks(fun):
    """What the hooks were given and gave back, and the gradients."""
    rng = np.random.default_rng(0)
    x, y = (torch.tensor(rng.normal(size=(3, 3)), requires_grad=True) for _ in range(2))
    packed, unpacked = [], []

    def pack(t):
        packed.append((tuple(t.shape), t.requires_grad, t.is_leaf, t.detach().clone().numpy(), t is x, t is y))
        return t.detach() if t.is_leaf else t

    def unpack(t):
        unpacked.append(tuple(t.shape))
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        out = fun(x, y)
    grads = torch.autograd.grad(out.sum(), (x, y), allow_unused=True)
    return packed, unpacked, [None if g is None else g.numpy() for g in grads], out.grad_fn.name()


@pytest.mark.parametrize("fun", ROWS.values(), ids=ROWS)
def test_hooks_see_the_same_each_time(fun):
    first = seen_by_hooks(fun)
    assert first[0]
    for _ in range(3):
        again = seen_by_hooks(fun)
        assert [p[:3] + p[4:] for p in again[0]] == [p[:3] + p[4:] for p in first[0]]
        for a, b in zip(again[0], first[0], strict=True):
            np.testing.assert_allclose(a[3], b[3], rtol=1e-12)
        assert again[1] == first[1]
        assert again[3] == first[3]
        for a, b in zip(again[2], first[2], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def test_a_hook_that_writes_is_refused_each_time():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(4):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
            with pytest.raises(RuntimeError, match="modifying its input"):
                torch.exp(x * 1.0)


def test_hooks_on_the_gradient_run_beside_packed_values():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(4):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = torch.exp(x)
            z = y * y
        y.register_hook(lambda g: g * 2)
        z.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 4 * np.exp([2.0, 4.0]), rtol=1e-6)
        x.grad = None
