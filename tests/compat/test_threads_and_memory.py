"""Threads, memory, and NumPy aliases of the stateful layer."""

import gc
import threading
import weakref

import numpy as np
import pytest

import covector.compat.torch as torch


def run_all(count, body):
    """Run `body(k)` in threads; raise what any of them raised."""
    errors = []

    def guarded(k):
        try:
            body(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def test_no_gradient_is_lost_when_threads_share_leaves():
    x = torch.ones(3, requires_grad=True)
    run_all(32, lambda k: [(x * 2.0).sum().backward() for _ in range(20)])
    assert x.grad.tolist() == [2.0 * 32 * 20] * 3


def test_threads_sweep_one_graph_at_once():
    x = torch.ones(3, requires_grad=True)
    y = (x * x).exp().sum()
    results = []
    run_all(16, lambda k: results.append(torch.autograd.grad(y, x, retain_graph=True)[0].tolist()))
    assert all(r == results[0] for r in results) and len(results) == 16


def test_modes_belong_to_a_thread():
    seen = []
    with torch.no_grad():
        run_all(2, lambda k: seen.append(torch.is_grad_enabled()))
    assert seen == [True, True]


def test_exceptions_in_a_thread_leave_the_others_alone():
    x = torch.ones(2, requires_grad=True)

    def body(k):
        y = x * 2
        if k % 2:
            y.register_hook(lambda g: 1 / 0)
        y.sum().backward()

    with pytest.raises(ZeroDivisionError):
        run_all(8, body)
    x.grad = None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_graph_dies_with_its_output(no_collector):
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).exp()
    node = weakref.ref(y.grad_fn)
    z = y.sum()
    del y
    assert node() is not None
    del z
    assert node() is None


def test_backward_frees_what_was_saved(no_collector):
    x = torch.ones(3, requires_grad=True)
    hidden = x * 2
    array = weakref.ref(hidden.value)
    y = (hidden * hidden).sum()
    del hidden
    assert array() is not None
    y.backward()
    assert array() is None


def test_nothing_unneeded_is_saved(no_collector):
    x = torch.ones(3, requires_grad=True)
    hidden = x * 2
    array = weakref.ref(hidden.value)
    total = (hidden + 1).sum()
    del hidden
    assert array() is None and total.item() == 9.0


def test_a_view_that_is_written_to_makes_no_cycle(no_collector):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y[1:].add_(1)
    y[0] = 5.0
    kept = weakref.ref(y)
    del y
    assert kept() is None


def test_a_function_that_saves_its_output_makes_no_cycle(no_collector):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    y = Exp.apply(torch.ones(2, requires_grad=True))
    kept = weakref.ref(y)
    del y
    assert kept() is None


def test_writes_through_numpy_are_noticed():
    x = torch.ones(3, requires_grad=True)
    y = torch.ones(3)
    z = (x * y).sum()
    alias = y.numpy()
    before = y._version
    alias[0] = 7.0
    assert y._version == before + 1 and y.tolist() == [7.0, 1.0, 1.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_an_alias_that_is_gone_costs_nothing():
    y = torch.ones(3)
    alias = y.numpy()
    del alias
    assert y._version == 0
    assert torch.from_numpy(y.numpy()).tolist() == [1.0, 1.0, 1.0]


def test_from_numpy_shares_memory_both_ways():
    a = np.zeros(3)
    t = torch.from_numpy(a)
    t.add_(1)
    a[0] = 9.0
    assert t.tolist() == [9.0, 1.0, 1.0] and a.tolist() == [9.0, 1.0, 1.0]


def test_a_deep_graph_is_swept_and_freed_without_recursion():
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 0.0
    y.sum().backward()
    del y
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_wide_graph_is_linear_in_its_edges():
    x = torch.ones(2, requires_grad=True)
    y = x * 1.0
    total = y * 0.0
    for _ in range(2000):
        total = total + y
    total.sum().backward()
    assert x.grad.tolist() == [2000.0, 2000.0]
