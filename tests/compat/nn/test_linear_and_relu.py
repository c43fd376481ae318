"""`linear` and `relu` give the bits and histories of the general road, and its gradients, in every mode."""

import gc
import itertools
import sys

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.state.plain import OPEN

F = torch.nn.functional
SHAPES = [((2, 3), 4), ((5, 3), 1), ((1, 3), 4), ((2, 4, 3), 5), ((2, 2, 2, 3), 2), ((300, 40), 7), ((100, 90), 80),
          ((0, 3), 4), ((2, 0, 3), 4), ((2, 0), 4), ((3,), 4), ((64, 64), 100), ((4, 3, 900), 20)]


@pytest.fixture
def general():
    """What closes the fast road for the rest of a test."""
    before = OPEN[:]
    yield lambda: OPEN.__setitem__(0, False)
    OPEN[:] = before


def facts(t, leaves=()):
    found = [t.dtype, t.shape, t.stride(), t.requires_grad, t.is_inference(), t.detach().numpy().tobytes(),
             None if t.grad_fn is None else t.grad_fn.name()]
    if t.requires_grad:
        t.square().sum().backward()
        found += [None if x is None or x.grad is None else (x.grad.stride(), Close(x.grad.numpy())) for x in leaves]
    return found


class Close:
    """A gradient, equal to those that are near it: the general road sums that of a bias in another order."""

    def __init__(self, array):
        self.array = array

    def __eq__(self, other):
        return np.allclose(self.array, other.array, 1e-2 if self.array.dtype == np.float16 else 1e-4, equal_nan=True)


def linears(dtype):
    rng = np.random.default_rng(0)
    for (shape, n), biased, turned in itertools.product(SHAPES, (True, False), (False, True)):
        x, w, b = rng.normal(size=shape), rng.normal(size=(n, shape[-1])), rng.normal(size=n)
        x = np.asfortranarray(x) if turned else x
        for asked in itertools.product((False, True), repeat=3):
            leaves = [torch.tensor(a, dtype=dtype).requires_grad_(g) for a, g in zip((x, w, b), asked, strict=True)]
            leaves = leaves if biased else [*leaves[:2], None]
            yield facts(F.linear(*leaves), leaves)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                leaves = [torch.tensor(a, dtype=dtype) for a in (x, w, b)]
                yield facts(F.linear(*leaves[:2], leaves[2] if biased else None))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_linear_is_that_of_the_general_road(general, dtype):
    found = list(linears(dtype))
    general()
    for mine, theirs in zip(found, linears(dtype), strict=True):
        assert mine == theirs


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_relu_is_that_of_the_general_road(general, dtype):
    rng = np.random.default_rng(0)
    given = [rng.normal(size=n) for n in (*range(40), 4096)]
    given += [rng.normal(size=(3, 5)).T, rng.normal(size=(4, 6))[:, 1]]
    for x in given:
        x.flat[: 5] = [-0.0, 0.0, -2.5, 7.0, -1e-320][: x.size]
    if dtype.is_floating_point:
        given.append(np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, -1e-45, 5.0, -5.0]))

    def work():
        for x in given:
            x = torch.tensor(x).to(dtype)
            yield facts(torch.relu(x))
            if dtype.is_floating_point:
                leaf = x.clone().requires_grad_()
                yield facts(F.relu(leaf), [leaf])
            for mode in (torch.no_grad, torch.inference_mode):
                with mode():
                    yield facts(F.relu(x.clone()))

    found = list(work())
    general()
    for mine, theirs in zip(found, work(), strict=True):
        assert mine == theirs


def test_what_linear_refuses_is_refused_in_the_same_words(general):
    x, w, b = torch.ones(2, 3), torch.ones(4, 3), torch.ones(4)
    calls = [(x, torch.ones(4, 2), b), (x, w, torch.ones(5)), (x, w.double(), b), (x, w.int(), b), (x, w, 3.0),
             (torch.ones(3, 2), w, b)]

    def words():
        for given in calls:
            with pytest.raises((RuntimeError, TypeError)) as caught:
                F.linear(*given)
            yield str(caught.value)

    found = list(words())
    general()
    assert found == list(words())


def test_linear_holds_and_lets_go():
    x, w, b = torch.ones(2, 2, 3, requires_grad=True), torch.ones(4, 3, requires_grad=True), torch.ones(4)
    things = [x.value, w.value, b.value, x, w, b, torch.Tensor, None]

    def work(count):
        for _ in range(count):
            F.linear(x, w, b), F.linear(x[0], w, None), F.relu(x)
            with torch.no_grad():
                F.linear(x, w, b), F.relu(x)
            with pytest.raises(RuntimeError):
                F.linear(x, w, torch.ones(5))
        gc.collect()

    work(5)
    before = [sys.getrefcount(t) for t in things], len(gc.get_objects())
    work(200)
    after = [sys.getrefcount(t) for t in things], len(gc.get_objects())
    assert max(abs(a - b) for a, b in zip(after[0], before[0], strict=True)) < 100 > after[1] - before[1]
