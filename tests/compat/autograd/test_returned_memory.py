"""Memory of the gradients that `grad` returns: their own, without a copy where nobody else has it."""

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.graph import accumulate


class Kept(torch.autograd.Function):
    """Hands on the cotangent that it was given, and keeps it."""

    seen: list = []

    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        Kept.seen.append(g)
        return g, g


class Saved(torch.autograd.Function):
    """Hands out what it saved."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        return (x * y).sum()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return x, x.detach()


def hooked(t, *kept):
    """A tensor whose hook keeps what it sees, or returns what it keeps."""
    held = torch.full_like(t, 5.0).detach()
    t.register_hook(lambda g: Kept.seen.append(held if kept else g) or (held if kept else None))
    return t


PROGRAMS = {
    "both operands of a sum": lambda x, y: torch.exp(x + y).sum(),
    "a sum of powers": lambda x, y: ((x + y) ** 2).sum(),
    "a leaf and a view": lambda x, y: torch.exp(x + y.reshape(3, 2).reshape(2, 3)).sum(),
    "two turned views": lambda x, y: torch.exp(x.t() + y.t()).sum(),
    "a difference": lambda x, y: torch.exp(x - y).sum(),
    "a leaf twice": lambda x, y: torch.exp(x + x + y).sum(),
    "a sum alone": lambda x, y: (x + y).sum(),
    "parts": lambda x, y: torch.exp(torch.cat([x, y])).sum(),
    "stacked": lambda x, y: torch.exp(torch.stack([x, y])).sum(),
    "one stacked": lambda x, y: torch.exp(torch.stack([x])).sum() + y.sum(),
    "a product of matrices": lambda x, y: torch.tanh(torch.addmm(x, x.mm(x.t()), y)).sum(),
    "a layer": lambda x, y: torch.tanh(torch.nn.functional.linear(x, y, torch.ones(2))).sum() + x.sum(),
    "chosen": lambda x, y: torch.where(x > 1.0, x, y).sum(),
    "indexed": lambda x, y: torch.exp(x[0] + y[1]).sum() + x[1].sum(),
    "a hook keeps what it sees": lambda x, y: torch.exp(hooked(x + y)).sum(),
    "a hook on the sum keeps": lambda x, y: hooked(torch.exp(x + y)).sum() + hooked(x * 1.0).sum(),
    "a hook returns what it keeps": lambda x, y: torch.exp(hooked(x + y, 1) + 0.0).sum(),
    "a leaf's hook keeps what it sees": lambda x, y: torch.exp(hooked(x) + y).sum(),
    "a leaf's hook returns what it keeps": lambda x, y: torch.exp(hooked(x, 1) * y).sum(),
    "a Function hands on": lambda x, y: torch.exp(Kept.apply(x, y)).sum(),
    "a Function hands out what it saved": lambda x, y: Saved.apply(x, y),
    "several branches": lambda x, y: (torch.exp(x + y) + torch.sin(x + y) + (x + y)).sum(),
    "a written buffer": lambda x, y: torch.exp(torch.zeros(2, 3).copy_(x) + y).sum(),
}


def _gradients(program, way):
    Kept.seen.clear()
    x, y = (torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).div_(k).requires_grad_() for k in (4, 8))
    out = program(x, y)
    if way == "backward":
        out.backward()
        found = [x.grad, y.grad]
    elif way == "recorded":
        out.backward(create_graph=True)
        found = [x.grad, y.grad]
    elif way == "a given cotangent":
        given = torch.full((2, 3), 2.0)
        Kept.seen.append(given)
        (out + x + y).backward(given)
        found = [x.grad, y.grad]
    else:
        found = torch.autograd.grad(out, [x, y], create_graph=way == "recorded grad", allow_unused=True)
    return [f for f in found if f is not None], [x, y, *Kept.seen]


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("way", ["backward", "recorded", "a given cotangent", "grad", "recorded grad"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_shares_memory_with_nothing(name, way):
    """Neither with another gradient, nor with inputs, what was saved, given cotangents, or what users saw and keep."""
    found, others = _gradients(PROGRAMS[name], way)
    arrays = [t.detach().numpy() for t in (*found, *others)]
    for k, a in enumerate(arrays[: len(found)]):
        assert a.flags.writeable
        assert not any(np.shares_memory(a, b) for b in arrays[k + 1 :])
    again = _gradients(PROGRAMS[name], way)[0]
    for a, b in zip(found, again):
        assert a.tolist() == b.tolist()
        with torch.no_grad():
            a.zero_()
    assert [t.tolist() for t in again] == [t.tolist() for t in _gradients(PROGRAMS[name], way)[0]]


def test_clipping_and_accumulating_one_gradient_leaves_the_others():
    x, y = (torch.tensor([1.0], requires_grad=True) for _ in range(2))
    ((x + y) ** 2).sum().backward()
    (x * 3).sum().backward()
    assert (x.grad.item(), y.grad.item()) == (7.0, 4.0)
    torch.nn.utils.clip_grad_norm_([x], 1e-3)
    x.grad.zero_()
    assert y.grad.item() == 4.0


def test_a_gradient_that_a_hook_writes_to_while_the_pass_runs_leaves_the_others():
    x, y, z = (torch.tensor([1.0], requires_grad=True) for _ in range(3))
    middle = y * 2.0
    middle.register_hook(lambda g: None if x.grad is None else x.grad.zero_())
    torch.exp(x + middle + z).backward()
    assert z.grad.item() == torch.exp(x + y * 2.0 + z).item()


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


def script_two_leaves_that_get_one_gradient_do_not_share_it(torch):
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            return g, g

    x, y = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    Sum.apply(x, y)[1:].backward()
    kept = x.grad.data_ptr(), y.grad.data_ptr()
    x.grad += 1
    return kept[0] != kept[1], x.grad, y.grad
