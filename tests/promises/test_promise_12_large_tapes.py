"""Promise 12: long tapes without recursion, and time linear in the graph."""

import gc
import time

import numpy as np
import pytest

import covector

pytestmark = pytest.mark.usefixtures("nothing_frozen")  # else long tapes leave the collector alone


def _chain(n):
    def fun(x):
        for _ in range(n):
            x = x * 1.0
        return x

    return fun


@pytest.mark.slow
def test_tape_of_a_million_operations():
    assert covector.grad(_chain(1_000_000))(3.0) == 1.0


@pytest.mark.slow
def test_tape_of_two_hundred_thousand_operations_is_dropped_without_recursion():
    _, pullback = covector.vjp(_chain(200_000), np.array(3.0))
    del pullback
    covector.vjp(_chain(200_000), np.array(3.0))
    gc.collect()
    with pytest.raises(ZeroDivisionError):
        covector.grad(lambda x: _chain(200_000)(x) / (1 // 0))(3.0)


def _seconds(run, repeat=3):
    best = np.inf
    for _ in range(repeat):
        gc.disable()
        start = time.thread_time()
        run()
        best = min(best, time.thread_time() - start)
        gc.enable()
    return best


def _wide(n):
    def fun(x):
        y = np.sin(x)
        total = y
        for k in range(n):
            total = total + y * float(k + 1)
        return total

    return lambda: covector.grad(fun)(0.5)


def _reads(n):
    x = np.ones(n)

    def fun(x):
        total = 0.0
        for i in range(n):
            total = total + x[i]
        return total

    return lambda: covector.grad(fun)(x)


def _writes(n):
    x = np.ones(n)

    def fun(x):
        out = np.zeros_like(x)
        for i in range(n):
            out[i] = x[i] * 2.0
        return np.sum(out)

    return lambda: covector.grad(fun)(x)


def _dense(n):
    """Every value feeds ten later ones."""

    def fun(x):
        values = [x]
        for _ in range(n // 10):
            values.append(sum(values[max(0, len(values) - 10):]) * 0.1)
        return values[-1]

    return lambda: covector.grad(fun)(0.5)


@pytest.mark.slow
@pytest.mark.parametrize("make", [_wide, _reads, _writes, _dense])
def test_time_is_linear_in_the_graph(make):
    small, large = make(2_000), make(16_000)
    small()
    ratio = _seconds(large) / _seconds(small)
    assert ratio < 8 * 3  # quadratic would be 64


@pytest.mark.slow
def test_gradients_of_scalar_reads_and_writes_are_right():
    assert (_reads(100)() == 1.0).all()
    assert (_writes(100)() == 2.0).all()


class Watch:
    """Counts full collections, and keeps how the collector is set."""

    def __enter__(self):
        gc.collect()
        self.full = 0
        self.before = self.settings()
        gc.callbacks.append(self.see)
        return self

    def see(self, phase, info):
        self.full += phase == "start" and info["generation"] == 2

    def settings(self):
        return gc.isenabled(), gc.get_threshold(), gc.get_freeze_count() > 0, gc.get_debug(), len(gc.callbacks)

    def __exit__(self, *raised):
        gc.callbacks.remove(self.see)
        assert self.settings() == self.before


@pytest.mark.slow
def test_long_tape_starts_no_full_collection_and_leaves_the_collector_as_it_was():
    count = 300_000
    with Watch() as seen:
        assert covector.grad(_chain(count))(3.0) == 1.0
        assert seen.full <= 1
        with pytest.raises(ZeroDivisionError):
            covector.grad(lambda x: _chain(count)(x) / (1 // 0))(3.0)
    assert seen.full <= 2


@pytest.mark.slow
def test_what_the_user_froze_stays_frozen_and_a_collector_that_is_off_stays_off():
    gc.freeze()
    try:
        with Watch():
            covector.grad(_chain(100_000))(3.0)
    finally:
        gc.unfreeze()
    gc.disable()
    try:
        with Watch():
            covector.grad(_chain(100_000))(3.0)
    finally:
        gc.enable()


@pytest.mark.slow
def test_garbage_of_the_user_is_collected_while_a_long_tape_is_made():
    class Ring:
        alive = 0

        def __init__(self):
            self.me = self
            Ring.alive += 1

        def __del__(self):
            Ring.alive -= 1

    most = 0

    def fun(x):
        nonlocal most
        for _ in range(100_000):
            Ring()
            x = x * 1.0
            most = max(most, Ring.alive)
        return x

    covector.grad(fun)(3.0)
    assert most < 10_000
