"""Memory of the gradients that `grad` returns: their own, without a copy where nobody else has it."""

import numpy as np

import covector.compat.torch as torch
from covector.compat.torch._impl.engine.captured import reshaped
from covector.compat.torch._impl.graph import accumulate


def test_only_a_view_of_everything_that_nobody_else_has_is_handed_out():
    memory = np.empty(6)
    view = memory.reshape(2, 3)
    assert not reshaped(view)
    del memory
    assert reshaped(view)
    assert not reshaped(view[:1]) and not reshaped(view.T)
    other = view[0]
    assert not reshaped(view)
    del other
    assert reshaped(view)


def test_a_cotangent_of_the_caller_is_not_handed_out():
    x, given = torch.ones(6, requires_grad=True), np.ones((2, 3), np.float32)
    (found,) = torch.autograd.grad(x.reshape(2, 3), x, torch.from_numpy(given))
    found += 1
    assert given.tolist() == [[1.0] * 3] * 2
    kept = []
    y = x * 2
    y.register_hook(kept.append)
    (found,) = torch.autograd.grad(y.reshape(2, 3).sum(), x)
    found += 1
    assert kept[0].tolist() == [1.0] * 6


def test_a_first_gradient_has_the_dtype_of_its_leaf():
    mask, other = torch.tensor([True, False, True]), torch.tensor([False, False, True])
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    torch.where(mask, y, torch.where(other, y.detach(), x)).sum().backward()  # chosen by bits, as integers
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [0.0, 1.0, 0.0]


def test_leaves_of_the_oldest_node_take_their_gradients_over(monkeypatch):
    """Its two or three parents follow it at once in the sweep, which then must not hold what they get."""
    copied = []
    general = accumulate.first
    monkeypatch.setattr(accumulate, "first", lambda leaf, ct, drive: copied.append(leaf) or general(leaf, ct, drive))
    x = torch.ones(3, 4)
    w, b, c, d = (torch.ones(*shape, requires_grad=True) for shape in ((4, 2), (2,), (3, 2), (3, 2)))
    torch.tanh(torch.addmm(b, x, w)).sum().backward()
    torch.exp(c * d).sum().backward()
    assert copied == []
    e, f = (torch.ones(3, requires_grad=True) for _ in range(2))
    torch.exp(e + f).sum().backward()  # one cotangent for both
    e.grad += 1
    assert f.grad.tolist() == torch.exp(e + f).tolist()


def test_a_first_gradient_in_another_shape_is_taken_over_where_nobody_else_has_it(monkeypatch):
    copied = []
    general = accumulate.first
    monkeypatch.setattr(accumulate, "first", lambda leaf, ct, drive: copied.append(leaf) or general(leaf, ct, drive))
    x = torch.ones(6, requires_grad=True)
    torch.exp(x.reshape(2, 3)).sum().backward()
    assert copied == []
    kept, given = [], torch.ones(2, 3)
    for hold in (lambda y: y.register_hook(kept.append), lambda y: None):
        x = torch.ones(6, requires_grad=True)
        y = x.reshape(2, 3)
        hold(y)
        y.backward(given)
        x.grad += 1
    assert len(copied) == 2 and kept[0].tolist() == given.tolist() == [[1.0] * 3] * 2
    x = torch.ones(6, requires_grad=True)
    torch.exp(x.reshape(2, 3))[:1].sum().backward()  # more memory than the part that arrives
    assert x.grad.tolist() == [*torch.exp(x[:3]).tolist(), 0.0, 0.0, 0.0]


def script_one_of_two_leaves_takes_the_gradient_that_both_get(torch):
    seen = []

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            seen.append(g.data_ptr())
            return g, g

    x, y = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    Sum.apply(x, y)[1:].backward()
    kept = x.grad.data_ptr(), y.grad.data_ptr()
    x.grad += 1
    return seen[0] in kept, kept[0] != kept[1], x.grad, y.grad
