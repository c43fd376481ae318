"""Sweeps that are recorded run rules as programs from the second time on: the same numbers and the same graphs."""

import gc
import sys
import warnings
import weakref

import numpy as np
import pytest

import covector.compat.torch as torch
from covector._interpreters import Ambient
from covector.compat.torch._impl.engine import engine
from covector.compat.torch._impl.graph.node import GradNode, needed_rule
from covector.compat.torch._impl.state.edges import accumulator
from covector.compat.torch._impl.state.levels import AMBIENT
from covector.compat.torch._impl.state.plain import OPEN

ROWS = {
    "elementwise": lambda x, y: (torch.sin(x) * torch.tanh(y) / (1.5 + x * x) - torch.exp(-y)).sum(),
    "broadcast": lambda x, y: (x * y[0] + x[:, :1] * y).square().sum(),
    "powers": lambda x, y: (x.abs() ** 2.5 + y**3 + (x.abs() + 0.1) ** y).sum(),
    "matrices": lambda x, y: torch.tanh(x @ y.t() + 0.1).square().sum(),
    "linear": lambda x, y: torch.nn.functional.linear(x, y, y[:, 0]).tanh().square().mean(),
    "reductions": lambda x, y: x.logsumexp(1).square().sum() + (y.mean(0) * x.amax(0)).sum() + x.prod(),
    "views": lambda x, y: (x[1:] * y[:-1] + x.t()[0, 1] * y.reshape(-1)[2]).square().sum(),
    "choices": lambda x, y: torch.where(x > y, x * x * y, y.relu() * x).sum() + torch.maximum(x, y).square().sum(),
    "softmax": lambda x, y: torch.nn.functional.cross_entropy(x * y, torch.tensor([0, 2, 1])),
    "layer": lambda x, y: torch.nn.functional.layer_norm(x, (3,), y[0], y[1]).square().sum(),
    "twice the same": lambda x, y: (x * x + x).square().sum() * (y + y).sum(),
}


def leaves():
    rng = np.random.default_rng(0)
    return [torch.tensor(rng.normal(size=(3, 3)), requires_grad=True) for _ in range(2)]


def names(node, seen):
    """The graph as nested names."""
    if node is None or node in seen:
        return None
    seen.add(node)
    return node.name(), *[names(n, seen) for n, _ in node.next_functions]


def orders(fun):
    """Derivatives of orders one to three, and the graph of the second."""
    x, y = leaves()
    first = torch.autograd.grad(fun(x, y), (x, y), create_graph=True)
    total = sum((g * torch.cos(torch.arange(9.0, dtype=torch.float64).reshape(3, 3))).sum() for g in first)
    second = torch.autograd.grad(total, (x, y), create_graph=True, allow_unused=True)
    graph = [names(g.grad_fn, set()) for g in second if g is not None]
    third = torch.autograd.grad(sum(g.square().sum() for g in second if g is not None), (x, y), allow_unused=True)
    return [g.detach().numpy() for g in (*first, *second, *third) if g is not None], graph


@pytest.mark.parametrize("fun", ROWS.values(), ids=ROWS)
def test_programs_give_what_the_general_road_gives(fun, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(engine, "bare", lambda m: False)
        expected, graph = orders(fun)
    for _ in range(4):
        found, shown = orders(fun)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    assert shown == graph


@pytest.mark.skipif(not OPEN[0], reason="the general road has no programs")
def test_programs_run():
    x = torch.tensor([0.5], requires_grad=True)
    ran = []
    for _ in range(4):
        node = torch.sin(x).grad_fn
        (g,) = torch.autograd.grad(torch.sin(x).sum(), x, create_graph=True)
        ran.append(any(callable(p) for p in node.rule.again.__globals__["programs"].values()))
    assert ran[-1]
    assert g.grad_fn is not None


def test_keys_tell_dtypes_shapes_and_histories_apart():
    for _ in range(3):
        for kind in (np.float64, np.float32):
            for shape in ((2, 3), (3, 2), (6,), (1, 6), (0, 3), ()):
                data = np.arange(float(np.prod(shape))).reshape(shape).astype(kind)
                x = torch.tensor(data, requires_grad=True)
                weight = torch.tensor(data + 1, requires_grad=True)
                for y in ((torch.tanh(x) * 2.0).sum(), (torch.tanh(x) * weight).sum()):
                    (g,) = torch.autograd.grad(y, x, create_graph=True)
                    factor = 2.0 if y.grad_fn.next_functions[0][0].next_functions[1][0] is None else data + 1
                    slope = 1 - np.tanh(data) ** 2
                    assert g.dtype == x.dtype and g.shape == x.shape
                    np.testing.assert_allclose(g.detach().numpy(), factor * slope, rtol=1e-5)
                    (h,) = torch.autograd.grad(g.sum(), x)
                    np.testing.assert_allclose(h.numpy(), -2 * factor * np.tanh(data) * slope, rtol=1e-4, atol=1e-6)


def test_parameters_are_told_apart():
    x = torch.arange(12.0).reshape(3, 4).requires_grad_()
    weight = torch.arange(12.0).reshape(3, 4) + 1
    for _ in range(4):
        for axis, keepdim in ((0, False), (1, False), (0, True), (-1, True)):
            (g,) = torch.autograd.grad((x * x * weight).sum(axis, keepdim=keepdim).square().sum(), x,
                                       create_graph=True)
            total = (x.detach().numpy() ** 2 * weight.numpy()).sum(axis, keepdims=True)
            np.testing.assert_allclose(g.detach().numpy(), 4 * total * x.detach().numpy() * weight.numpy(), rtol=1e-5)
        for k in (2.0, 3.0, -0.0, 0.0, True):
            (g,) = torch.autograd.grad((x + 1.0).pow(k).sum(), x, create_graph=True)
            np.testing.assert_allclose(g.detach().numpy(), k * (x.detach().numpy() + 1) ** (k - 1.0), rtol=1e-5)
        for part in (slice(0, 1), slice(1, 3), slice(None, None, 2)):
            (g,) = torch.autograd.grad(x[part].square().sum(), x, create_graph=True)
            expected = np.zeros((3, 4))
            expected[part] = 2 * x.detach().numpy()[part]
            np.testing.assert_allclose(g.detach().numpy(), expected)


def leads_to(node, targets, found):
    """Tell whether a node is or leads to one of those with some numbers; `found` keeps the answers."""
    if node not in found:
        parents = node.parents if type(node.parents) is tuple else (node.parents,)
        found[node] = max([leads_to(p, targets, found) for p in parents], default=False), node.seq in targets
    return any(found[node])


@pytest.mark.parametrize("seed", range(20))
def test_what_leads_to_inputs_is_found(seed):
    rng = np.random.default_rng(seed)
    tensors = [torch.tensor(rng.normal(size=2), requires_grad=True) for _ in range(4)]
    for k in range(30):
        a, b = (tensors[i] for i in rng.integers(max(0, k - 8), len(tensors), 2))
        tensors += [[a * b, torch.sin(a), a + b, a.sum() * b, a.unbind()[1] * b][k % 5]]
    roots = [tensors[-1].grad_fn, tensors[-2].grad_fn]
    nodes = [t.grad_fn or accumulator(t) for t in tensors[:-2]]
    for count in (1, 2, 4):
        chosen = [nodes[i] for i in rng.choice(len(nodes), count, replace=False)]
        targets = {n.seq for n in chosen}
        needed, runs, found = set(), set(), {}
        assert not engine.walk([*roots], targets, {}, needed, runs, False)
        for root in roots:
            leads_to(root, targets, found)
        assert needed == {n.seq for n, answers in found.items() if any(answers)}
        assert runs == {n.seq for n, (leads, _) in found.items() if leads}
    leaves_alone = {n.seq for n in nodes if n.of_leaf}
    assert engine.walk([*roots], leaves_alone, {}, set(), set(), True)
    assert not engine.walk([*roots], set(), {}, set(), set(), True)


def test_deep_graphs_are_gone_through():
    x, y = (torch.ones(1, requires_grad=True) for _ in range(2))
    z = x
    for _ in range(30_000):
        z = z * y
    assert torch.autograd.grad(z, x, retain_graph=True)[0].item() == 1.0
    assert [g.item() for g in torch.autograd.grad(z, (x, y))] == [1.0, 30_000.0]


def test_what_no_input_needs_is_not_computed(monkeypatch):
    x = torch.arange(6.0).reshape(2, 3)
    weight, bias = torch.ones(3, 4, requires_grad=True), torch.zeros(4, requires_grad=True)
    rule = torch.addmm(bias, x, weight).grad_fn.rule
    ran = []
    part = rule.part

    def watched(active):
        ran.append(active)
        return part(active)

    monkeypatch.setattr(rule, "part", watched)
    monkeypatch.setattr(rule, "back", None)
    for create_graph in (False, True):
        needed_rule.cache_clear()
        (g,) = torch.autograd.grad(torch.addmm(bias, x, weight).sum(), bias, create_graph=create_graph)
        assert g.tolist() == [2.0] * 4
    assert ran == [(2,)] * 2


def test_gradients_that_are_recorded_are_copies_with_a_history():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    turned = torch.tensor(np.arange(6.0).reshape(2, 3).T, requires_grad=True)
    flat = torch.arange(6.0, requires_grad=True)
    for _ in range(3):
        for t in (x, turned, flat):
            t.grad = None
        loss = (x * turned.t() * flat.reshape(2, 3)).square().sum()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss.backward(create_graph=True)
        for t in (x, turned, flat):
            assert t.grad.stride() == t.stride() and t.grad.grad_fn.name() == "torch::autograd::CopyBackwards"
            assert t.grad.grad_fn.next_functions[0] == (None, 0) and t.grad.grad_fn.next_functions[1][0] is not None
        before = x.grad.detach().clone()
        (second,) = torch.autograd.grad(x.grad.sum(), x, retain_graph=True)
        np.testing.assert_allclose(second.numpy(), 2 * (turned.t() * flat.reshape(2, 3)).detach().numpy() ** 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss.backward(create_graph=True)
        np.testing.assert_allclose(x.grad.detach().numpy(), 2 * before.numpy())
        for t in (x, turned, flat):
            t.grad = None


def test_unused_leaves_and_hooks_on_the_way_are_seen():
    x, y, z = [torch.arange(1.0, 4.0).requires_grad_() for _ in range(3)]
    for _ in range(4):
        seen = []
        a, b = torch.sin(x) * y, torch.exp(z)
        b.register_hook(lambda g: seen.append("b"))
        total = (a * a).sum() + b.sum()
        found = torch.autograd.grad(total, (x, y), create_graph=True)
        assert not seen and z.grad is None
        assert torch.autograd.grad(total, (x, y, z), create_graph=True)[2].shape == (3,) and seen == ["b"]
        np.testing.assert_allclose(found[1].detach().numpy(), 2 * np.sin([1, 2, 3]) ** 2 * [1, 2, 3], rtol=1e-6)
        w = torch.ones(3, requires_grad=True)
        with pytest.raises(RuntimeError, match="not have been used"):
            torch.autograd.grad((x * y).sum(), (x, w))
        assert torch.autograd.grad((x * y).sum(), (x, w), allow_unused=True)[1] is None


def test_gradients_are_writable_and_of_their_own():
    x, y = [torch.arange(1.0, 4.0).requires_grad_() for _ in range(2)]
    for create_graph in (False, True):
        for _ in range(4):
            for fun in (lambda: (x + y).sum(), lambda: (x * y).sum(), lambda: x.sum() + y.reshape(3, 1).sum()):
                before = x.detach().clone(), y.detach().clone()
                g, h = torch.autograd.grad(fun(), (x, y), create_graph=create_graph)
                with torch.no_grad():
                    g.mul_(0.0).add_(5.0)
                assert (h != 5.0).all() and x.equal(before[0]) and y.equal(before[1])


def test_programs_leak_nothing():
    x = torch.arange(1.0, 5.0).requires_grad_()

    def work(count):
        for _ in range(count):
            (g,) = torch.autograd.grad((torch.tanh(x) * x).sum(), x, create_graph=True)
        return weakref.ref(g.detach().numpy()), weakref.ref(g.grad_fn)

    work(400)
    things = None, AMBIENT, GradNode, Ambient
    before = [sys.getrefcount(thing) for thing in things], len(gc.get_objects())
    value, node = work(200)
    after = [sys.getrefcount(thing) for thing in things], len(gc.get_objects())
    assert max(abs(a - b) for a, b in zip(after[0], before[0], strict=True)) < 50
    assert abs(after[1] - before[1]) < 50
    assert value() is None and node() is None


def test_hooks_and_writes_are_seen():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(4):
        y = torch.sin(x)
        y.register_hook(lambda g: g * 2)
        (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
        np.testing.assert_allclose(g.detach().numpy(), 4 * np.sin([1, 2]) * np.cos([1, 2]), rtol=1e-6)
    for _ in range(4):
        a = torch.exp(x)
        b = a * a
        with torch.no_grad():
            a += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(b.sum(), x, create_graph=True)


def test_a_graph_is_freed_where_that_is_asked_for():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(4):
        y = torch.exp(x).sum()
        torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
        with pytest.raises(RuntimeError, match="second time"):
            torch.autograd.grad(y, x)


def test_saved_tensor_hooks_see_what_is_recorded():
    packed = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(4):
        y = (x * x * x).sum()
        packed.clear()
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
            torch.autograd.grad(y, x, create_graph=True)
        assert packed
