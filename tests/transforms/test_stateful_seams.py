"""The seams of the tape for a stateful layer, shown by a small Tensor with `backward`, hooks, versions and duals."""

import numpy as np
import pytest

import covector as cv
from covector import extend


class SmallTrace(extend.AmbientTrace):
    __slots__ = ("packing",)


AMBIENT = SmallTrace()


class Packing:
    """Pack and unpack functions around every saved value, and a check of versions on unpacking."""

    def __init__(self, pack=lambda x: x, unpack=lambda x: x):
        self.functions = pack, unpack
        self.packed = 0

    def pack(self, node, saved, operands):
        arrays = [(a.value, VERSIONS.get(id(a.value), 0)) for a in operands if isinstance(a, extend.Ambient)]
        self.packed += 1
        return self.functions[0](saved), arrays

    def unpack(self, node, packed):
        saved, arrays = packed
        for array, version in arrays:
            if VERSIONS.get(id(array), 0) != version:
                raise RuntimeError(f"a saved value of {node.rule.prim.name} is at version {VERSIONS[id(array)]}; "
                                   f"expected {version}")
        return self.functions[1](saved)


VERSIONS = {}


class Tensor:
    """A stateful array: `.grad`, `backward`, hooks, an in-place write with a version."""

    def __init__(self, value, requires_grad=False, inner=None):
        if inner is None:
            value = np.asarray(value, float)
            inner = AMBIENT.leaf(value, self) if requires_grad else AMBIENT.box(value)
        self.inner = inner
        self.grad = None

    value = property(lambda self: self.inner.value)

    def backward(self, ct=1.0, retain_graph=False, create_graph=False, inputs=None):
        seed = AMBIENT.box(np.broadcast_to(np.asarray(ct, float), np.shape(self.value)))
        found, _ = extend.backward(AMBIENT, [(self.inner.node, seed)], retain=retain_graph, create_graph=create_graph)
        for leaf, c in found.items():
            if inputs is None or any(leaf is t for t in inputs):
                leaf.grad = Tensor(None, inner=c if leaf.grad is None else leaf.grad.inner + c)

    def register_hook(self, hook):
        extra = self.inner.node.more()
        extra.hooks = [*(extra.hooks or ()), hook]

    def add_(self, amount):
        self.value[...] += amount
        VERSIONS[id(self.value)] = VERSIONS.get(id(self.value), 0) + 1

    def detach(self):
        return Tensor(None, inner=AMBIENT.box(self.value))


def lifted(fun):
    return lambda *ts: Tensor(None, inner=fun(*[t.inner if isinstance(t, Tensor) else t for t in ts]))


sin, mul, total = lifted(np.sin), lifted(lambda a, b: a * b), lifted(np.sum)


@pytest.fixture(autouse=True)
def _fresh():
    VERSIONS.clear()
    AMBIENT.packing = None
    yield
    AMBIENT.packing = None


def leaf(*values):
    return Tensor(np.array(values), requires_grad=True)


def test_backward_accumulates_into_leaves():
    x = leaf(1.0, 2.0)
    total(mul(sin(x), x)).backward()
    expected = np.cos(x.value) * x.value + np.sin(x.value)
    np.testing.assert_allclose(x.grad.value, expected)
    total(mul(x, 3.0)).backward()
    np.testing.assert_allclose(x.grad.value, expected + 3.0)


def test_a_freed_graph_refuses_a_second_sweep_and_a_retained_one_allows_it():
    x = leaf(1.0)
    y = total(mul(x, x))
    y.backward(retain_graph=True)
    y.backward()
    np.testing.assert_allclose(x.grad.value, [4.0])
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()


def test_create_graph_gives_second_and_third_derivatives():
    x = leaf(0.5)
    total(sin(x)).backward(create_graph=True)
    first, x.grad = x.grad, None
    total(first).backward(create_graph=True)
    second, x.grad = x.grad, None
    np.testing.assert_allclose(second.value, -np.sin([0.5]))
    total(second).backward()
    np.testing.assert_allclose(x.grad.value, -np.cos([0.5]))


def test_a_hook_sees_and_replaces_the_cotangent():
    x = leaf(2.0)
    y = mul(x, x)
    seen = []
    y.register_hook(lambda ct: seen.append(float(ct.value[0])))
    y.register_hook(lambda ct: ct * 10.0)
    total(y).backward()
    assert seen == [1.0]
    np.testing.assert_allclose(x.grad.value, [40.0])


def test_pack_and_unpack_run_around_every_saved_value():
    AMBIENT.packing = Packing(lambda s: ("packed", s), lambda p: p[1])
    x = leaf(2.0)
    total(mul(sin(x), x)).backward()
    assert AMBIENT.packing.packed == 2  # sine and product; a sum saves a shape only
    np.testing.assert_allclose(x.grad.value, np.cos([2.0]) * 2.0 + np.sin([2.0]))


def test_a_write_between_saving_and_unpacking_is_noticed():
    AMBIENT.packing = Packing()
    x = leaf(2.0)
    w = Tensor([3.0])
    y = total(mul(x, w))
    w.add_(1.0)
    with pytest.raises(RuntimeError, match="version 1; expected 0"):
        y.backward()


def test_sweeping_to_chosen_inputs_only():
    x, z = leaf(2.0), leaf(3.0)
    total(mul(x, z)).backward(inputs=[x])
    assert z.grad is None
    np.testing.assert_allclose(x.grad.value, [3.0])


def test_stopping_at_a_node_returns_its_cotangent_and_does_not_go_on():
    x = leaf(2.0)
    y = sin(x)
    z = total(mul(y, y))
    found, stopped = extend.backward(AMBIENT, [(z.inner.node, AMBIENT.box(np.ones(())))], stop={y.inner.node.seq: True})
    assert found == {}
    np.testing.assert_allclose(stopped[y.inner.node.seq].value, 2 * np.sin([2.0]))


def dual(x, tangent):
    return Tensor(None, inner=AMBIENT.box(x.value, node=x.inner.node, tangent=AMBIENT.box(np.asarray(tangent, float))))


def test_a_dual_carries_its_tangent_forward():
    y = sin(dual(Tensor([0.3]), [2.0]))
    np.testing.assert_allclose(y.inner.tangent.value, 2 * np.cos([0.3]))


def test_reverse_over_forward_on_one_graph():
    x = leaf(0.3)
    y = sin(dual(x, [2.0]))
    total(Tensor(None, inner=y.inner.tangent)).backward()
    np.testing.assert_allclose(x.grad.value, -2 * np.sin([0.3]))


def test_forward_over_reverse_on_one_graph():
    x = leaf(0.3)
    total(sin(dual(x, [2.0]))).backward()
    np.testing.assert_allclose(x.grad.value, np.cos([0.3]))
    np.testing.assert_allclose(x.grad.inner.tangent.value, -2 * np.sin([0.3]))


@pytest.mark.parametrize("fun, second", [(np.exp, np.exp), (np.tanh, lambda x: -2 * np.tanh(x) / np.cosh(x) ** 2)])
def test_forward_over_reverse_where_the_rule_saves_its_answer(fun, second):
    x = leaf(0.3)
    total(lifted(fun)(dual(x, [2.0]))).backward()
    np.testing.assert_allclose(x.grad.inner.tangent.value, 2.0 * second(np.array([0.3])))


def test_second_derivatives_through_the_answers_of_a_decomposition():
    def energy(a):
        w, v = np.linalg.eigh(a)
        return (w * w * v[0] ** 2).sum()

    a = np.array([[2.0, 0.5], [0.5, 1.0]])
    x = Tensor(a, requires_grad=True)
    total(lifted(energy)(x)).backward(create_graph=True)
    first, x.grad = x.grad, None
    total(mul(first, first)).backward()
    def flat(b):
        return (cv.grad(energy)(b) ** 2).sum()

    np.testing.assert_allclose(x.grad.value, cv.grad(flat)(a), atol=1e-12)


def test_functional_transforms_wrap_ambient_values():
    x = leaf(0.3)
    g = Tensor(None, inner=cv.grad(lambda v: np.sin(v).sum())(x.inner))
    np.testing.assert_allclose(g.value, np.cos([0.3]))
    total(g).backward()
    np.testing.assert_allclose(x.grad.value, -np.sin([0.3]))


def test_in_place_writes_on_ambient_values_keep_their_predecessors():
    x = leaf(1.0, 2.0)
    buffer = np.zeros_like(x.inner)
    buffer[0] = x.inner[1] * 3.0
    buffer[1:] = x.inner[:1]
    buffer[0] *= 2.0
    total(Tensor(None, inner=(buffer * buffer).sum())).backward()
    np.testing.assert_allclose(x.grad.value, [2.0, 2 * 36.0 * 2.0])
