"""Nodes are used again: only those whose trace has ended, and what they held is let go."""

import gc
import threading
import weakref

import numpy as np
import pytest

import covector
from covector.core.errors import EscapedTracerError
from covector.core.tape.node_pool import SPARE

X = np.linspace(0.1, 0.9, 4)


def chain(x):
    for _ in range(20):
        x = np.tanh(x) * x + np.sin(x)
    return x.sum()


def test_spare_nodes_hold_nothing():
    covector.grad(chain)(X)
    assert len(SPARE) > 0
    for node in SPARE:
        assert node.rule is node.parents is node.saved is None


def test_nodes_are_used_again():
    covector.grad(chain)(X)
    known = {id(node) for node in SPARE}
    covector.grad(chain)(X)
    assert {id(node) for node in SPARE} == known


def test_there_are_never_more_than_the_bound():
    def long(x):
        for _ in range(3 * SPARE.maxlen // 2):
            x = np.sin(x)
        return x

    covector.grad(long)(0.5)
    assert len(SPARE) == SPARE.maxlen


def test_a_graph_that_is_held_keeps_its_nodes():
    expected = covector.grad(chain)(X)
    _, pullback = covector.vjp(chain, X)
    for _ in range(3):
        covector.grad(lambda x: np.exp(chain(x)))(2.0 * X)
        np.testing.assert_array_equal(pullback(1.0)[0], expected)


def test_sweeps_inside_of_sweeps_take_no_node_of_theirs():
    @covector.custom_vjp
    def f(x):
        return np.sin(x)

    f.defvjp(lambda x: (np.sin(x), x), lambda x, ct: (ct * covector.grad(lambda y: np.sin(y).sum())(x),))
    found = covector.grad(lambda x: chain(f(chain(x) * x)))(X)
    expected = covector.grad(lambda x: chain(np.sin(chain(x) * x)))(X)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_value_that_somebody_holds_is_refused_when_its_node_is_taken():
    held = []

    def f(x):
        y = np.sin(x)
        held.append(y)
        return (y * y).sum()

    def g(x):
        return (np.sin(x) * held[0]).sum()

    covector.grad(f)(X)
    covector.grad(chain)(X)
    for use in (lambda: held[0] * held[0], lambda: covector.grad(g)(X), lambda: np.exp(held[0])):
        with pytest.raises(EscapedTracerError):
            use()


def test_a_rule_of_the_user_dies_with_its_gradient():
    class Captured:
        pass

    captured = Captured()
    seen = weakref.ref(captured)

    def run(captured):
        @covector.custom_vjp
        def f(x):
            return x * 2.0

        f.defvjp(lambda x: (x * 2.0, None), lambda _, ct: (captured and ct * 2.0,))
        return covector.grad(lambda x: f(x).sum())(X)

    run(captured)
    del captured
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("count", (8,))
def test_threads_share_the_spare_nodes(count):
    expected = covector.grad(chain)(X)
    wrong = []

    def work():
        for _ in range(100):
            if not np.array_equal(covector.grad(chain)(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_sweep_that_raises_leaves_the_next_one_alone():
    @covector.custom_vjp
    def f(x):
        return x * 2.0

    def stop(_, ct):
        raise KeyboardInterrupt

    f.defvjp(lambda x: (x * 2.0, None), stop)
    expected = covector.grad(chain)(X)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            covector.grad(lambda x: chain(f(chain(x) * x)))(X)
        np.testing.assert_array_equal(covector.grad(chain)(X), expected)
