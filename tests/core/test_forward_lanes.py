"""Tangents on fast paths: constants on both sides, broadcasting, parts and joined parts; against differences."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import EscapedTracerError

X, Y = np.array([0.4, 1.3]), np.array(0.8)
DX, DY = np.array([0.5, -2.0]), np.array(1.5)
C = np.array([2.0, -3.0])
FUNCTIONS = {
    "number first": lambda x, y: 0.5 * x - 2 * y + (3.0 - x),
    "array beside": lambda x, y: C * x + x * C - (C - x) + y * np.float64(2.0) + np.float64(3.0) * y,
    "array of another shape": lambda x, y: np.ones((3, 2)) * x + y * np.ones((3, 1)),
    "broadcast": lambda x, y: (x + y) * y - y * x,
    "rows": lambda x, y: x[:, None] * x + x,
    "extremes": lambda x, y: np.maximum(x, y) + np.minimum(0.5, x) + np.maximum(C, x),
    "remainders": lambda x, y: x % 0.3 + 5.0 % y,
    "singular": lambda x, y: x / y + 2.0 / x + x**y,
    "parts": lambda x, y: x[0] * x[1] + x[::-1] + x[..., 1] + x[[1, 0]],
    "stacked": lambda x, y: np.stack((x[1], -np.sin(x[0]) - y * x[1])),
    "stacked with constants": lambda x, y: np.stack([x, C, np.ones(2)], axis=1),
    "numbers stacked": lambda x, y: np.stack([y, 2.0, x[0]]),
    "joined": lambda x, y: np.concatenate([x, C, 2.0 * x], axis=0),
    "mixed": lambda x, y: np.concatenate([x, C.astype(np.float32), C + 1j]).real,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tangents_are_slopes(name):
    fun = FUNCTIONS[name]
    out, tangent = cv.jvp(fun, (X, Y), (DX, DY))
    h = 1e-6
    np.testing.assert_allclose(out, fun(X, Y))
    slope = (fun(X + h * DX, Y + h * DY) - fun(X - h * DX, Y - h * DY)) / (2 * h)
    np.testing.assert_allclose(tangent, slope, rtol=1e-6, atol=1e-8)
    assert tangent.shape == out.shape
    assert tangent.dtype == out.dtype


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forward_inside_and_around_other_transforms(name):
    def total(x):
        return (FUNCTIONS[name](x, Y) ** 2).sum()

    want = cv.grad(lambda x: cv.grad(total)(x) @ DX)(X)
    np.testing.assert_allclose(cv.jvp(cv.grad(total), (X,), (DX,))[1], want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(cv.grad(lambda x: cv.jvp(total, (x,), (DX,))[1])(X), want, rtol=1e-9, atol=1e-12)
    second = cv.jvp(lambda x: cv.jvp(total, (x,), (DX,))[1], (X,), (DX,))[1]
    np.testing.assert_allclose(second, want @ DX, rtol=1e-9)
    many = cv.vmap(lambda dx: cv.jvp(total, (X,), (dx,))[1])(np.eye(2))
    np.testing.assert_allclose(many, cv.grad(total)(X), rtol=1e-9)


@pytest.mark.parametrize("use", [lambda x: x[0], lambda x: 2.0 * x, lambda x: x * C, lambda x: np.stack([x, C])])
def test_value_of_a_finished_transform_is_refused(use):
    kept = []
    cv.jvp(lambda x: (kept.append(x), x * 1.0)[1], (X,), (DX,))
    with pytest.raises(EscapedTracerError, match="has finished"):
        use(kept[0])


def test_write_through_a_part_is_seen_in_the_whole():
    def fun(x):
        y = x * 1.0
        part = y[:1]
        part[0] = 3.0 * x[1]
        return y * y

    h = 1e-6
    np.testing.assert_allclose(cv.jvp(fun, (X,), (DX,))[1], (fun(X + h * DX) - fun(X - h * DX)) / (2 * h), rtol=1e-6)
