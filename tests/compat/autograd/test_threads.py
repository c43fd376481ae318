"""Threads that share leaves, graphs and modes."""

import threading

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


def test_a_hook_on_the_first_of_several_gradients_is_called_once_a_pass_whatever_runs_between():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    p = x * 2
    q, w = p * 3, (p * 5).sum()
    seen = []
    torch.autograd.graph.register_multi_grad_hook((q, p), lambda g: seen.append(g.tolist()), mode="any")
    q.register_hook(lambda g: torch.autograd.grad(w, p, retain_graph=True) and None)
    q.sum().backward()
    assert seen == [[1.0, 1.0], [5.0, 5.0]]
