"""Sweeping elementwise operations on large arrays in blocks gives what sweeping them whole gives."""

import numpy as np
import pytest

import covector
from covector.transforms.reverse import blocks, reverse, sweep

ROW = np.linspace(0.5, 1.5, 30, dtype=np.float32)
WEIGHT = np.linspace(-1.0, 1.0, 600, dtype=np.float32).reshape(20, 30)


def _like(constant, x):
    return constant.astype(x.dtype)



FUNCTIONS = {
    "chain": lambda x: np.sum(np.tanh(x) * np.exp(-(x**2)) + np.log1p(x**2)),
    "same operand twice": lambda x: np.sum((x * x) * (x * x)),
    "constants": lambda x: np.sum((2.0 * x - _like(WEIGHT, x)) * _like(WEIGHT, x) / (x + 3.0)),
    "weights from outside": lambda x: (np.sin(x) * x).reshape(-1) @ _like(WEIGHT, x).reshape(-1),
    "a broadcast row within": lambda x: np.sum(np.exp(np.sin(x) * _like(ROW, x)) * x),
    "a broadcast leaf": lambda x: np.sum(np.exp(np.sin(x) * x[0]) * x),
    "a running sum within": lambda x: np.sum(np.sin(np.cumsum(np.cos(x) * x, axis=1)) * x * np.exp(x)),
    "a product of matrices within": lambda x: np.sum(np.tanh(np.sin(x) @ (x * x).T) * 2.0 * np.sin(x @ x.T)),
    "masks and poles": lambda x: np.sum(np.where(x > 0.2, np.sqrt(np.maximum(x - 0.2, 0.0)), np.log(x**2 + 1) / x)),
    "columns first": lambda x: np.sum(np.sin(x.T) * np.cos(x.T) * _like(WEIGHT, x).T),
    "strided": lambda x: np.sum(np.sin(x.reshape(-1)[::2]) * x.reshape(-1)[::2] ** 3 * x.reshape(-1)[1::2]),
    "parts": lambda x: np.sum(np.exp(x[:10]) * np.sin(x[10:]) * x[:10]),
    "a mean": lambda x: np.mean(np.exp(-x) * x**3),
}


def _small_blocks(monkeypatch, counted=None):
    monkeypatch.setattr(sweep, "LARGE", 64)
    monkeypatch.setattr(reverse.RevTrace, "large", True)
    monkeypatch.setattr(blocks, "BLOCK", 136)

    def region(*args):
        done = blocks.sweep_region(*args)
        if counted is not None and done:
            counted.append(done)
        return done

    monkeypatch.setattr(sweep, "sweep_region", region)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_blocks_give_what_whole_arrays_give(monkeypatch, name, dtype):
    fun, x = FUNCTIONS[name], np.linspace(-1.0, 2.0, 600).reshape(20, 30).astype(dtype)
    value, whole = covector.value_and_grad(fun)(x)
    counted = []
    _small_blocks(monkeypatch, counted)
    again, parts = covector.value_and_grad(fun)(x)
    assert bool(counted) == (name != "columns first") and value == again and parts.dtype == dtype
    np.testing.assert_array_equal(parts, whole)
    np.testing.assert_array_equal(np.signbit(parts), np.signbit(whole))
    assert parts.flags.owndata and parts.flags.writeable


def test_several_inputs_and_a_pullback_called_again(monkeypatch):
    x, y = np.linspace(-1.0, 2.0, 600), np.linspace(0.5, 1.0, 600)
    _, pullback = covector.vjp(lambda x, y: np.sin(x * y) * y / x, x, y)
    ct = np.cos(x)
    whole = pullback(ct)
    _small_blocks(monkeypatch)
    for _ in range(2):
        for a, b in zip(pullback(ct), whole, strict=True):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(ct, np.cos(x))


def test_higher_and_batched_derivatives(monkeypatch):
    x = np.linspace(-1.0, 2.0, 40)

    def fun(x):
        return np.sum(np.sin(x) * np.exp(x) * x)

    wanted = covector.hessian(fun)(x), covector.jacrev(covector.grad(fun))(x), covector.hvp(fun, (x,), (x,))[0]
    _small_blocks(monkeypatch)
    found = covector.hessian(fun)(x), covector.jacrev(covector.grad(fun))(x), covector.hvp(fun, (x,), (x,))[0]
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)


def test_a_watched_sweep_names_the_operation(monkeypatch):
    x = np.linspace(0.0, 2.0, 600)
    _small_blocks(monkeypatch)
    with covector.debug_nans(), pytest.raises(FloatingPointError, match="pullback of sqrt"):
        covector.grad(lambda x: np.sum(0.0 * np.sqrt(x * x)))(x)


def test_a_large_array_takes_blocks(monkeypatch):
    counted = []
    monkeypatch.setattr(sweep, "sweep_region", lambda *args: counted.append(1) or blocks.sweep_region(*args))
    x = np.linspace(-1.0, 2.0, 200_000)
    got = covector.grad(lambda x: np.sum(np.sin(x) * np.exp(x)))(x)
    assert counted
    np.testing.assert_allclose(got, np.exp(x) * (np.sin(x) + np.cos(x)), rtol=1e-12, atol=1e-12)
