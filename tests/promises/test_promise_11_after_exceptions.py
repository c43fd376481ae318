"""Promise 11: after any exception, a signal in mid-sweep included, the next transform behaves as in a fresh process."""

import _thread
import signal
import threading

import numpy as np
import pytest

import covector
from covector.core.primitive.primitive import REGISTRY

X = np.array([0.5, 1.0])


def assert_all_is_well():
    np.testing.assert_allclose(covector.grad(lambda x: np.sum(np.sin(x)))(X), np.cos(X))
    np.testing.assert_allclose(covector.jvp(np.sin, (X,), (X,))[1], np.cos(X) * X)
    np.testing.assert_allclose(covector.vmap(covector.grad(np.sin))(X), np.cos(X))
    assert covector.grad(lambda x: x * covector.grad(lambda y: x + y)(1.0))(2.0) == 1.0
    with pytest.raises(NameError):
        covector.axis_index("i")


class Stop(BaseException):
    pass


def _raise(x):
    raise Stop


@pytest.mark.parametrize(
    "run",
    [
        lambda f: covector.grad(f)(X), lambda f: covector.jvp(f, (X,), (X,)), lambda f: covector.vmap(f)(X),
        lambda f: covector.vmap(f, axis_name="i")(X), lambda f: covector.make_graph(f)(X),
        lambda f: covector.grad(covector.checkpoint(f))(X), lambda f: covector.linearize(f, X),
        lambda f: covector.grad(lambda x: np.sum(covector.vmap(covector.grad(f), axis_name="i")(x)))(X),
        lambda f: covector.grad(lambda x: covector.cond(x[0] > 0, f, f, x))(X),
        lambda f: covector.grad(lambda x: covector.scan(lambda c, r: f(c), x, X))(X),
    ],
)  # fmt: skip
def test_exception_in_the_function_leaves_nothing(run):
    for _ in range(3):
        with pytest.raises(Stop):
            run(_raise)
    assert_all_is_well()


def test_exception_in_mid_sweep_leaves_nothing(monkeypatch):
    out, pullback = covector.vjp(lambda x: np.sum(np.exp(np.sin(x))), X)
    rule = REGISTRY["sin"].rule((0,), True)
    with monkeypatch.context() as patch:
        patch.setattr(rule, "back", lambda ct, saved: _raise(ct))
        with pytest.raises(Stop):
            pullback(1.0)
        with pytest.raises(Stop):
            covector.grad(lambda x: np.sum(np.sin(x)))(X)
    np.testing.assert_allclose(pullback(1.0)[0], np.exp(np.sin(X)) * np.cos(X))
    assert_all_is_well()


def test_keyboard_interrupt_in_mid_sweep_leaves_nothing():
    if threading.current_thread() is not threading.main_thread():
        pytest.fail("signals reach the main thread only")
    calls = []

    @covector.custom_vjp
    def slow(x):
        return x * 2.0

    def back(saved, ct):
        calls.append(1)
        if len(calls) == 1:
            _thread.interrupt_main(signal.SIGINT)
            for _ in range(10**6):  # the signal arrives between two bytecodes
                pass
        return (ct * 2.0,)

    slow.defvjp(lambda x: (x * 2.0, None), back)
    before = np.geterr()
    gradient = covector.grad(lambda x: np.sum(np.sin(slow(np.sin(x)))))
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            gradient(X)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert np.geterr() == before
    np.testing.assert_allclose(gradient(X), np.cos(2 * np.sin(X)) * 2 * np.cos(X))
    assert_all_is_well()


def test_generator_left_inside_a_transform_leaves_nothing():
    def fun(x):
        yield np.sin(x)

    with pytest.raises(TypeError):
        covector.grad(fun)(X)
    assert_all_is_well()
