"""Lanes and calls on the fast road: they hold what they use, tell calls apart, and leak nothing."""

import gc
import math
import sys
import threading
import weakref

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.dispatch import call
from covector.compat.torch._impl.state import plain
from covector.compat.torch._impl.types.number_cache import CONSTS

F = torch.nn.functional


def step(x, w, labels, other):
    y = torch.exp(-((torch.sin(x) * x + 1.0) * other - x)) / 2.0
    z = F.linear(y, w)
    return F.cross_entropy(z, labels) + F.layer_norm(z, (4,)).sum() + torch.addmm(z, y, w.t()).sum()


def given(**options):
    rng = np.random.default_rng(0)
    x, w, other = (torch.tensor(rng.normal(size=s), **options) for s in ((3,), (4, 3), (2, 1)))
    return x, w, torch.tensor([1, 0]), other


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values_histories_and_gradients_are_those_of_the_general_road(dtype):
    found = []
    for plain.OPEN[0] in (False, True):
        for _ in range(3):
            x, w, labels, other = given(dtype=dtype)
            x.requires_grad_(), w.requires_grad_()
            out = step(x, w, labels, other)
            out.backward()
        with torch.no_grad():
            still = step(x, w, labels, other)
        with torch.inference_mode():
            inferred = step(x, w, labels, other)
        assert still.grad_fn is None and inferred.is_inference() and not still.is_inference()
        found.append([a.detach().numpy().tobytes() for a in (out, x.grad, w.grad, still, inferred)])
    assert found[0] == found[1]


def test_nothing_leaks():
    x, w, labels, other = given()
    x.requires_grad_()
    things = [None, True, False, torch.Tensor, np.ndarray, np.dtype(np.float32), torch.float32, 0, 3]

    def work(count):
        for _ in range(count):
            step(x, w, labels, other).backward()
            x.grad = None
            with torch.no_grad():
                step(x, w, labels, other)
        gc.collect()

    work(5)
    before = [sys.getrefcount(thing) for thing in things], len(gc.get_objects())
    work(200)
    after = [sys.getrefcount(thing) for thing in things], len(gc.get_objects())
    assert max(abs(a - b) for a, b in zip(after[0], before[0], strict=True)) < 100
    assert after[1] - before[1] < 100
    out = torch.sin(x)
    array, node = weakref.ref(out.detach().numpy().base or out.detach().numpy()), weakref.ref(out.grad_fn)
    del out
    assert array() is None and node() is None


def test_numbers_that_are_forgotten_meanwhile_stay():
    over = []

    def forget():
        while not over:
            for consts in CONSTS.values():
                consts.clear()

    def work(k):
        for _ in range(1000):
            x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
            torch.exp(-(x * k) * x + k).sum().backward()
            a = np.array([1.0, 2.0])
            np.testing.assert_allclose(x.grad.numpy(), np.exp(-(a * k) * a + k) * -2 * k * a)

    forgets = threading.Thread(target=forget)
    errors = []

    def run(k):
        try:
            work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in (0.5, 2.0, 3)]
    for thread in (forgets, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    over.append(True)
    forgets.join()
    assert errors == []


def test_calls_are_told_apart():
    x = torch.tensor([[1.0, 4.0], [2.0, 3.0]])

    def twice(fun, *args, **kwargs):
        return [fun(*args, **kwargs) for _ in range(3)][-1]

    assert twice(torch.sum, x, 0).shape == twice(torch.sum, x, dim=1).shape == (2,)
    assert twice(torch.sum, x, 1).tolist() == [5.0, 5.0] != twice(torch.sum, x, 0).tolist()
    assert twice(torch.sum, x, dim=0, keepdim=True).shape == (1, 2)
    assert twice(torch.sum, x, dtype=torch.float64).dtype is torch.float64 is not twice(torch.sum, x).dtype
    assert math.copysign(1, twice(F.leaky_relu, torch.tensor([-1.0]), -0.0).item()) == 1.0
    assert math.copysign(1, twice(F.leaky_relu, torch.tensor([-1.0]), 0.0).item()) == -1.0
    assert twice(F.softmax, x.t(), -1).tolist() != twice(F.softmax, x, -1).tolist()
    assert twice(F.mse_loss, x, x + 1, reduction="sum").item() == 4.0
    assert twice(F.mse_loss, x, x + 1, reduction="none").shape == (2, 2)
    assert not twice(F.softmax, x, 0).requires_grad
    assert twice(F.softmax, x.clone().requires_grad_(), 0).requires_grad
    with torch.no_grad():
        assert not twice(F.softmax, x.clone().requires_grad_(), 0).requires_grad
    torch.set_default_dtype(torch.float64)
    try:
        assert twice(torch.mean, torch.tensor([1, 2]) * 1.5).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert twice(torch.mean, torch.tensor([1, 2]) * 1.5).dtype is torch.float32


def test_lists_of_operands_are_told_apart():
    x = torch.tensor([[1.0, 4.0], [2.0, 3.0]])
    w = x.clone().requires_grad_()
    row, given = call.ROWS["cat"], [x, w]
    row.programs.clear()
    for _ in range(3):
        assert torch.cat(given, 1).tolist() == torch.cat((x, w), dim=1).tolist() == [[1, 4, 1, 4], [2, 3, 2, 3]]
        assert torch.cat(given[::-1]).grad_fn.next_functions[1][0] is None
        assert torch.cat(given).grad_fn.next_functions[0][0] is None
        assert torch.cat([x, x, x]).shape == torch.cat(tensors=[x, w, x]).shape == (6, 2)
        assert torch.stack([torch.stack([x, x], -1), torch.stack([w, x], -1)]).shape == (2, 2, 2, 2)
        assert torch.cat([torch.tensor([1, 2]), torch.tensor([3])]).tolist() == [1, 2, 3]
        assert x.sum([0, 1]).item() == x.sum((0, 1)).item() == 10.0
        assert x.sum([0]).tolist() == [3.0, 7.0]
    assert len([p for p in row.programs.values() if p]) == 7
    given.append(x)
    assert torch.cat(given).shape == (6, 2)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="Sizes of tensors must match"):
            torch.cat([x, x[:1]], 1)
        with pytest.raises(TypeError, match="must be tuple of Tensors"):
            torch.cat([x, [x]])


def test_errors_of_a_leaf_are_raised():
    class Bad(torch.Tensor):
        pass

    with pytest.raises(RuntimeError, match="must match"):
        torch.ones(3, requires_grad=True) * torch.ones(2)
    with pytest.raises(TypeError):
        torch.sin(torch.ones(2), torch.ones(2), torch.ones(2))
    assert type(torch.ones(2).as_subclass(Bad) * 2.0) is Bad


def test_calls_and_views_under_saved_tensor_hooks_are_told_apart():
    x, w, _, other = given(dtype=torch.float64)
    x.requires_grad_(), w.requires_grad_()

    def run(packed):
        y = F.linear(x, w)
        z = (y[1:].view(3, 1).t() * other[0]).sum() + torch.logsumexp(y, 0)
        return torch.autograd.grad(z, (x, w)), len(packed), z.detach()

    found = []
    for _ in range(5):
        packed = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t, packed=packed: packed.append(t) or t, lambda t: t):
            hooked = run(packed)
        found += [hooked, run([])]
        with torch.no_grad():
            assert F.linear(x, w)[1:].grad_fn is None
        with torch.autograd.forward_ad.dual_level():
            with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                dual = F.linear(torch.autograd.forward_ad.make_dual(x.detach(), x.detach()), w.detach())
            np.testing.assert_allclose(torch.autograd.forward_ad.unpack_dual(dual).tangent.numpy(), dual.numpy())
    assert {n for _, n, _ in found[::2]} == {found[0][1]} and found[0][1] > 2
    for grads, _, value in found:
        assert [g.tolist() for g in grads] == [g.tolist() for g in found[0][0]]
        assert value.item() == found[0][2].item()


def test_duals_are_views_and_their_parts_keep_the_tangents_of_their_base():
    forward = torch.autograd.forward_ad
    x, row = torch.arange(1.0, 7.0).reshape(2, 3), torch.tensor([0.5, 1.0, 2.0])
    asked = torch.ones(2, 3, requires_grad=True)
    for _ in range(5):
        with forward.dual_level():
            dx, drow = forward.make_dual(x, torch.ones(2, 3)), forward.make_dual(row, torch.tensor([1.0, 0.0, -1.0]))
            value, tangent = forward.unpack_dual(torch.mul(dx, drow))
            assert value.tolist() == (x * row).tolist()
            assert tangent.tolist() == (row + x * torch.tensor([1.0, 0.0, -1.0])).tolist()
            assert forward.unpack_dual(torch.mul(dx[0], row)).tangent.tolist() == row.tolist()  # of its base
            both = forward.make_dual(asked, x)  # with a history as well
            out = forward.unpack_dual(torch.mul(both, drow))
            assert out.primal.requires_grad and out.tangent.requires_grad
            assert torch.mul(x, row).tolist() == (x * row).tolist() and forward.unpack_dual(x * row).tangent is None
