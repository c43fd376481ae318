"""Sums and products in native code: in an order, and in places, that take fewer passes and less work."""

import numpy as onp
import pytest

import covector as cv
import covector.numpy as np
from covector.transforms.compile.lower import fused_matvec, writer

pytest.importorskip("llvmlite", reason="needs llvmlite")
RNG = onp.random.default_rng(0)


def native(fun):
    return cv.jit(fun, compiler_options={"printer": "llvm"})


def agree(fun, *args, relative=1e-11):
    found, wanted = [cv.tree.leaves(f(*args)) for f in (native(fun), fun)]
    for x, y in zip(found, wanted, strict=True):
        onp.testing.assert_allclose(x, y, relative, relative * max(1.0, onp.max(onp.abs(y), where=onp.isfinite(y),
                                                                              initial=0.0)))
        assert onp.asarray(x).dtype == onp.asarray(y).dtype


def statements(fun, *args, monkeypatch):
    """The names of the statements of a kernel, those in loops, too."""
    found = []
    init = writer.Writer.__init__

    def noted(self, *given):
        init(self, *given)
        waiting = list(self.kernel.statements)
        while waiting:
            s = waiting.pop()
            found.append(type(s).__name__)
            waiting += getattr(s, "body", ())

    monkeypatch.setattr(writer.Writer, "__init__", noted)
    monkeypatch.setenv("COVECTOR_CACHE", "0")
    native(fun)(*args)
    return found


A, B, C = RNG.normal(size=(40, 30)), RNG.normal(size=(30, 50)), RNG.normal(size=(7, 40, 30))


@pytest.mark.parametrize("fun, args", [
    (lambda a, b: np.sum(a @ b, 0), (A, B)),
    (lambda a, b: np.sum(a @ b, 1, keepdims=True), (A, B)),
    (lambda a, b: np.sum(-(a @ b) * 3.0 / 7.0), (A, B)),
    (lambda c, b: np.sum(c @ b, (0, 1)), (C, B)),
    (lambda c, b: np.sum(b.T @ np.swapaxes(c, 1, 2), 0), (C, B)),
    (lambda c, a: np.sum(np.einsum("kij,nj->nki", c, a), 0), (C, A)),
    (lambda c, a: np.sum(np.einsum("kij,nj->nki", c, a), (0, 2)), (C, A)),
])
def test_a_sum_of_a_product_is_a_product_of_sums(fun, args, monkeypatch):
    agree(fun, *args)
    found = statements(fun, *args, monkeypatch=monkeypatch)
    assert "Loop" not in found and found.count("Product") == (args[0] is C and fun(*args).ndim > 1)


def test_products_that_something_else_reads_stay(monkeypatch):
    fun = lambda a, b: (np.sum(a @ b, 0), a @ b)  # noqa: E731
    agree(fun, A, B)
    assert "Product" in statements(fun, A, B, monkeypatch=monkeypatch)
    agree(lambda c, a: np.sum(np.einsum("kij,kj->ki", c, a[:7, :30]), 0), C, A)  # over what both have


@pytest.mark.parametrize("axis", [0, 1, (0, 1)])
@pytest.mark.parametrize("dtype", [float, onp.float32])
@pytest.mark.parametrize("keepdims", [False, True])
def test_softmax_is_made_of_the_exponentials_of_its_sum(axis, dtype, keepdims):
    x = 3.0 * RNG.normal(size=(50, 60)).astype(dtype)
    x[3], x[:, 7] = -onp.inf, -onp.inf  # sums of nothing
    axes = (axis,) if type(axis) is int else axis

    def loss(x):
        total = cv.nn.logsumexp(x, axes, keepdims=keepdims)
        return np.sum(np.where(np.isfinite(total), total, 0.0))

    with onp.errstate(divide="ignore"):
        agree(cv.value_and_grad(loss), x, relative=1e-11 if dtype is float else 1e-5)
    agree(lambda x: np.exp(x - cv.nn.logsumexp(x, axes, keepdims=True)), x[5:9, 8:40],
          relative=1e-11 if dtype is float else 1e-5)


def test_one_exponential_an_element(monkeypatch):
    x = RNG.normal(size=5000)
    fun = cv.value_and_grad(lambda x: cv.nn.logsumexp(x, 0))
    found = native(fun).lower(x).source
    assert found.count("@exp_") <= native(lambda x: cv.nn.logsumexp(x, 0)).lower(x).source.count("@exp_")
    monkeypatch.setenv("COVECTOR_CACHE", "0")
    for bad in (onp.inf, onp.nan):
        y = x.copy()
        y[3] = bad
        with onp.errstate(all="ignore"):
            agree(fun, y)


def squares(w, x, y):
    return np.sum((x @ w - y) ** 2) * 0.5


def logistic(w, x, y):
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z)


@pytest.mark.parametrize("rows", [2000, 1999, 1024, 4099])
@pytest.mark.parametrize("columns", [8, 50, 64, 127])
@pytest.mark.parametrize("loss", [squares, logistic])
def test_rows_that_are_multiplied_are_summed_up_block_by_block(rows, columns, loss, monkeypatch):
    monkeypatch.setattr(fused_matvec, "library_threads", lambda: 1)
    w, x, y = RNG.normal(size=columns), RNG.normal(size=(rows, columns)), RNG.normal(size=rows)
    agree(cv.value_and_grad(loss), w, x, y)
    product = lambda w, v, x, y: cv.jvp(cv.grad(lambda w: loss(w, x, y)), (w,), (v,))  # noqa: E731
    agree(product, w, w[::-1].copy(), x, y)
    if rows * columns > 1 << 14:
        found = statements(cv.grad(loss), w, x, y, monkeypatch=monkeypatch)
        assert "Loop" in found and "Product" not in found


def test_blocks_of_rows_whose_parts_are_wanted_too():
    w, x, y = RNG.normal(size=64), RNG.normal(size=(1000, 64)), RNG.normal(size=1000)

    def parts(w, x, y):
        gap = x @ w - y
        return gap, np.sum(gap * gap), (gap * 2.0) @ x, gap[3]

    def steps(w, x, y):
        for _ in range(3):  # each waits for the one before
            w = w - 1e-4 * cv.grad(squares)(w, x, y)
        return w

    agree(parts, w, x, y)
    agree(steps, w, x, y)
    square, v = RNG.normal(size=(128, 128)), RNG.normal(size=128)
    agree(parts, v, square, v + 1.0)
    agree(cv.value_and_grad(squares), v, square, v)
    agree(lambda w, x, y: ((x @ w) * w) @ x + ((x @ w) @ (x @ w)) * w, v, square, v)
    agree(lambda w, x, y: (np.max(np.abs(x @ w)) * (x @ w)) @ x, w, x, y)  # between them, what all rows are needed for
    agree(cv.grad(squares), *[a.astype(onp.float32) for a in (w, x, y)], relative=1e-4)


def test_threads_of_a_library_are_used_for_large_matrices(monkeypatch):
    w, x, y = RNG.normal(size=64), RNG.normal(size=(4000, 64)), RNG.normal(size=4000)
    monkeypatch.setattr(fused_matvec, "library_threads", lambda: 8)
    assert "Loop" not in statements(cv.grad(squares), w, x, y, monkeypatch=monkeypatch)


def clusters(centres, x):
    return np.sum(np.min(np.sum((x[:, None, :] - centres) ** 2, 2), 1))


def scratch(fun, *args, monkeypatch):
    found = []
    init = writer.Writer.__init__
    monkeypatch.setattr(writer.Writer, "__init__", lambda self, *given: (init(self, *given), found.append(
        self.kernel.scratch))[0])
    monkeypatch.setenv("COVECTOR_CACHE", "0")
    native(fun)(*args)
    return max(found)


def test_differences_are_computed_again_rather_than_stored(monkeypatch):
    centres, x = RNG.normal(size=(10, 8)), RNG.normal(size=(500, 8))
    agree(cv.value_and_grad(clusters), centres, x)
    assert scratch(cv.value_and_grad(clusters), centres, x, monkeypatch=monkeypatch) < x.shape[0] * 80 * 8


def test_what_is_computed_again_is_still_there():
    """Steps in loops, whose states are written over, and arrays that are written to in place."""
    x = RNG.normal(size=(40, 30))

    def step(state, _):
        a, b = state
        gap = a - b[:1]
        scale = np.sum(gap * gap)
        a = a + gap / (1.0 + scale)
        return (a, b * 0.5 + gap * scale / (1.0 + scale**2)), np.sum(gap) + np.sum(a)

    agree(lambda x: cv.scan(step, (x, x + 1.0), None, length=5), x)

    def updated(x):
        gap = x - x[0]
        total = np.sum(gap * gap)
        y = np.concatenate((x[:3] * 2.0, gap[3:]))
        return np.sum(y * gap) + np.sum(gap) * total, gap * total

    agree(updated, x)
    agree(cv.grad(lambda x: updated(x)[0]), x)


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 8, 10, 15, 16, 33, 64, 100, 128, 200])
@pytest.mark.parametrize("dtype", [float, onp.float32, int])
def test_rows_are_added_up_in_registers(columns, dtype):
    x = (10 * RNG.normal(size=(37, columns))).astype(dtype)
    agree(lambda x: (np.sum(x * x, 0), np.max(x + 1, 0), np.min(x, 0)), x, relative=1e-11 if dtype is float else 1e-4)
    agree(lambda x: (np.any(x > 9, 0), np.all(x * x > 0, 0), np.sum(x > 2, 0)), x)
    y = (10 * RNG.normal(size=(3, 17, 4, columns))).astype(dtype)
    agree(lambda y: (np.sum(y, 1), np.sum(y * 2, 2), np.sum(y, (1, 2)), np.sum(y * y, (0, 3))), y,
          relative=1e-11 if dtype is float else 1e-4)
    agree(lambda y: (np.sum(y, 3), np.sum(y, 1), np.sum(y * y, (1, 3))), y, relative=1e-11 if dtype is float else 1e-4)


def test_sums_over_examples_take_columns_as_they_are(monkeypatch):
    x, w = RNG.normal(size=(300, 3)), RNG.normal(size=3)

    def turned(w, x):
        y = np.stack((x[:, 0] * w[1], x[:, 1] + x[:, 2], np.sin(x[:, 0])), 1) * w
        return (np.sum(y, 0), np.sum(y), np.max(y, 0, keepdims=True), np.sum(y * y, (0, 1), keepdims=True),
                np.prod(np.tanh(y) * 0.1 + 1.0, 0), np.sum(y, 1))

    agree(turned, w, x)
    agree(cv.grad(lambda w, x: np.sum(turned(w, x)[0] ** 2)), w, x)
    agree(turned, *[a.astype(onp.float32) for a in (w, x)], relative=2e-4)


def test_derivatives_multiply_by_reciprocals(monkeypatch):
    """Also where the divisor is 0, infinite or NaN; what a function divides is divided."""
    x, y = RNG.normal(size=(40, 30)), RNG.uniform(0.5, 2.0, size=(40, 1))

    def shares(x, y):
        return np.sum(np.sin(x / y) / np.sum(y * y))

    agree(cv.grad(shares, (0, 1)), x, y)
    agree(cv.grad(lambda x, y: cv.grad(shares)(x, y)[0, 0], (0, 1)), x, y)
    for special in (0.0, onp.inf, onp.nan, 1e-310):
        y[3] = special
        with onp.errstate(all="ignore"):
            agree(cv.grad(lambda x, y: np.sum(np.where(y > 0.1, x, 1.0) / y), (0, 1)), x, y)
    whole = onp.arange(1.0, 3601.0).reshape(60, 60)
    assert onp.array_equal(native(lambda x, y: x / y)(whole, whole[:, :1]), whole / whole[:, :1])


def test_zeros_of_cotangents_stay_zeros():
    x = onp.array([0.0, 1.0, 4.0] * 30)

    def loss(x):
        return np.sum(np.where(x > 0.5, np.sqrt(x) / x, 0.0))

    with onp.errstate(all="ignore"):
        agree(cv.grad(loss), x)
        agree(cv.grad(loss), x.astype(onp.float32), relative=1e-5)
