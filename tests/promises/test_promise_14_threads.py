"""Promise 14: thread-safe, with a thousand threads and shared graphs."""

import sys
import threading

import numpy as np
import pytest

import covector
import covector.compat.torch as torch
from covector.core.trace.tracer import last_level, next_level
from covector.transforms.compile.render import functions


def _run(count, work):
    failures = []
    barrier = threading.Barrier(min(count, 50))

    def guarded(k):
        try:
            if k < 50:
                barrier.wait()
            work(k)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.slow
def test_a_thousand_threads_each_with_transforms_of_its_own():
    def work(k):
        x = np.full(3, 0.001 * k)
        np.testing.assert_allclose(covector.grad(lambda x: np.sum(np.sin(x) * x[0]))(x)[1], np.cos(x[0]) * x[0])
        shares = covector.vmap(lambda v: v / covector.psum(v, "i"), axis_name="i")(x + 1.0)
        np.testing.assert_allclose(shares, np.full(3, 1 / 3))
        nested = covector.grad(lambda x: x * covector.grad(lambda y: x * y * y)(x))(float(k))
        np.testing.assert_allclose(nested, 6.0 * k * k)

    _run(1000, work)


@pytest.fixture
def switching():
    """Threads that take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def _into_a_buffer(x):
    buffer = np.zeros_like(x)
    for i in range(3):
        buffer[i] = x[i] * x[i]
    return np.sum(buffer * x)


@pytest.mark.slow
def test_threads_that_start_transforms_at_once_keep_their_levels_apart(switching):
    """A buffer is newer than the levels around it, whatever other threads start meanwhile."""
    jitted = covector.jit(lambda x: np.sin(x) * x)
    x = np.array([1.0, 2.0, 3.0])

    def work(k):
        for _ in range(60):
            np.testing.assert_allclose(covector.grad(_into_a_buffer)(x), 3 * x * x)
            np.testing.assert_allclose(covector.vmap(covector.grad(_into_a_buffer))(x[None])[0], 3 * x * x)
            assert jitted(x[:2]).tolist() == (np.sin(x[:2]) * x[:2]).tolist()
            t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
            torch.func.grad(lambda v: (v * v).sum())(t.detach())
            (t * t + t).sum().backward()
            assert t.grad.tolist() == [3.0, 5.0, 7.0]

    _run(12, work)


def test_threads_may_compile_while_programs_die(switching):
    """Each compilation clears away what died before it, and so does that of another thread."""
    def work(k):
        for _ in range(300):
            functions._DEAD += ["<gone>"] * 3
            functions.define_function("def run():\n    return 1\n", {}, "one")

    _run(8, work)


def test_levels_only_grow_in_every_thread(switching):
    wrong = []

    def work(k):
        for _ in range(2000):
            level = next_level()
            if last_level() < level:
                wrong.append(level)

    _run(8, work)
    assert not wrong


def test_one_pullback_shared_by_many_threads():
    x = np.linspace(0.0, 1.0, 50)
    _, pullback = covector.vjp(lambda x: np.sin(x) * np.exp(x) + x[::-1], x)
    wanted = pullback(np.ones(50))[0]
    results = [None] * 200

    def work(k):
        results[k] = pullback(np.full(50, float(k)))[0]

    _run(200, work)
    for k, result in enumerate(results):
        np.testing.assert_allclose(result, k * wanted)


def test_one_graph_and_one_linear_map_shared_by_many_threads():
    x = np.linspace(0.1, 1.0, 7)
    graph = covector.make_graph(lambda x: np.sum(np.sin(x) ** 2))(x)
    _, push = covector.linearize(np.sin, x)

    def work(k):
        np.testing.assert_allclose(graph(x * k), np.sum(np.sin(x * k) ** 2))
        np.testing.assert_allclose(push(x * k), np.cos(x) * x * k)

    _run(200, work)


def test_first_use_of_a_primitive_by_many_threads_at_once():
    z = np.array([0.5 + 1j, 2.0])

    def work(k):
        slope = covector.grad(lambda z, w: np.sum(np.abs(z * w) ** 2 + np.hypot(w.real, 2.0)), (0, 1))(z, z.conj())[0]
        np.testing.assert_allclose(slope, 2 * z.conj() * np.abs(z) ** 2)

    _run(60, work)
