"""Promise 13: memory stays flat, and residuals are freed with the garbage collector off."""

import gc
import weakref

import numpy as np
import psutil
import pytest

import covector


class Watched(np.ndarray):
    """An array that a weak reference can be taken of without being special to anyone."""


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _train(x, w):
    h = np.tanh(x @ w)
    h = np.where(h > 0, h, 0.1 * h)
    y = np.copy(h)
    y[0] = h[1] * 2.0
    return np.sum(np.sort(y, axis=1)[:, ::2] ** 2) + np.max(np.sum(h[[0, 0]], axis=1))


@pytest.mark.slow
def test_resident_memory_is_flat_over_ten_thousand_gradients(no_collector):
    x, w = np.random.default_rng(0).normal(size=(2, 8, 8))
    gradient = covector.value_and_grad(_train, argnums=1)
    process = psutil.Process()
    for _ in range(1000):
        gradient(x, w)
    before = process.memory_info().rss
    for _ in range(10_000):
        gradient(x, w)
    assert process.memory_info().rss - before < 4 * 2**20


NESTED = {
    "grad": lambda f, x: covector.grad(f)(x),
    "vjp": lambda f, x: covector.vjp(f, x)[1](1.0),
    "jvp": lambda f, x: covector.jvp(f, (x,), (x,)),
    "grad of grad": lambda f, x: covector.grad(lambda y: np.sum(covector.grad(f)(y) ** 2))(x),
    "hessian": lambda f, x: covector.hessian(f)(x),
    "vmap of grad": lambda f, x: covector.vmap(covector.grad(f))(np.stack([x, x])),
    "linearize": lambda f, x: covector.linearize(f, x)[1](x),
    "checkpoint": lambda f, x: covector.grad(covector.checkpoint(f))(x),
}


@pytest.mark.parametrize("name", NESTED)
def test_intermediate_values_are_freed_by_reference_counts(name, no_collector):
    seen = []

    def fun(x):
        y = np.sin(x)
        value = y
        while hasattr(value, "owner"):
            value = value.value
        if isinstance(value, np.ndarray):
            seen.append(weakref.ref(value))
        return np.sum(np.exp(y) * y)

    NESTED[name](fun, np.ones(5))
    assert seen and all(ref() is None for ref in seen)


def test_no_cycles_are_left_for_the_collector(no_collector):
    x, w = np.random.default_rng(0).normal(size=(2, 4, 4))
    covector.grad(_train, argnums=1)(x, w)
    gc.collect()
    for run in NESTED.values():
        run(lambda x: np.sum(np.sin(x) ** 2), np.ones(3))
    covector.grad(_train, argnums=1)(x, w)
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        arrays = [o for o in gc.garbage if isinstance(o, np.ndarray) or type(o).__module__.startswith("covector.core")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert arrays == []


def test_sweep_frees_saved_values_as_it_goes(no_collector):
    alive = []

    @covector.custom_vjp
    def probe(x):
        return x * 1.0

    held = []

    def back(saved, ct):
        alive.append(sum(ref() is not None for ref in held))
        return (ct,)

    probe.defvjp(lambda x: (x * 1.0, None), back)

    def fun(x):
        for _ in range(5):
            x = np.exp(probe(x) * 0.1)
            held.append(weakref.ref(x.value))
        return np.sum(x)

    covector.grad(fun)(np.ones(4))
    assert alive == sorted(alive, reverse=True) and alive[-1] < alive[0]
