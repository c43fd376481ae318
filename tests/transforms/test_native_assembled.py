"""Native code of reverse mode: arrays that are put together from the cotangents of what was read."""

import numpy as np
import pytest

import covector as cv
from covector.extend import REGISTRY

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
NATIVE, PLAIN = {"printer": "llvm"}, {"printer": "graph"}
update = REGISTRY["index_update"].fun


def agree(fun, *args):
    """Native results are those of the graph, signs of zeros included."""
    found = cv.tree.leaves(cv.jit(fun, compiler_options=NATIVE)(*args))
    for a, b in zip(found, cv.tree.leaves(cv.jit(fun, compiler_options=PLAIN)(*args)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13 * np.max(np.abs(b), initial=0.0))
        np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


def elimination(x):
    """Reads four parts of a matrix that gets smaller, each from the one before."""
    found = x[0, 0]
    while len(x) > 1:
        x = x[1:, 1:] - x[1:, :1] * (x[:1, 1:] / x[0, 0])
        found = found * x[0, 0]
    return found


def unpacked(theta):
    w, b, v = theta[:20].reshape(4, 5), theta[20:25], theta[25]
    return np.sum(np.tanh(w + b) * v)


def gaps(x):
    """Not all of the array is read."""
    return np.sum(np.sin(x[2:9])) * np.prod(x[15:18]) + np.sum(x[-3:] ** 2)


def overlapping(x):
    return np.sum(x[1:] * x[:-1]) + np.sum(x[2:-2] * x[4:]) + x[3] * x[3]


def nested_gaps(x):
    """A part is itself an array of parts, with places that nothing reads."""
    y = np.sin(x)[2:30]
    return np.sum(y[1:4] * 2.0) + np.sum(y[8:20] ** 2) + y[27] + np.sum(np.cos(x[35:]))


def nested_twice(x):
    """The part is read once more, as a whole."""
    y = x[2:30] * 1.0
    z = y[1:25]
    return np.sum(z[:10]) * np.sum(z[12:] ** 2) + np.sum(y * y) + x[31]


def table(x):
    return np.sum(x[0] * x[1]) + np.sum(x[2:, 1:4] ** 2) + x[3, 0] * x[2, 5]


LINE, SQUARE = np.linspace(-1.5, 2.0, 40), np.eye(9) + 0.1 * np.arange(81.0).reshape(9, 9) % 0.7
PROGRAMS = {
    "elimination": (elimination, SQUARE), "unpacked": (unpacked, LINE[:26]), "gaps": (gaps, LINE),
    "overlapping": (overlapping, LINE), "nested gaps": (nested_gaps, LINE), "nested twice": (nested_twice, LINE),
    "table": (table, np.arange(30.0).reshape(5, 6) - 13.0),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_of_what_reads_parts(name, dtype):
    fun, x = PROGRAMS[name]
    if dtype is np.float64:
        agree(cv.value_and_grad(fun), x)
        agree(lambda x: cv.jvp(cv.grad(fun), (x,), (np.cos(x),))[1], x)
    else:
        found = cv.jit(cv.grad(fun), compiler_options=NATIVE)(x.astype(dtype))
        np.testing.assert_allclose(found, cv.grad(fun)(x.astype(dtype)), rtol=2e-4, atol=1e-5)


def test_sums_with_zeros_have_no_negative_zeros():
    def put(x, y):
        return update(update(np.zeros(40), -x, slice(0, 20), True, False), -y, slice(20, 30), True, False)

    agree(put, np.zeros(20), np.zeros(10))
    agree(lambda x, y: np.sin(put(x, y)), np.zeros(20), -np.zeros(10))


def test_a_part_that_is_added_twice():
    def put(x):
        y = np.sin(x)
        first = update(np.zeros(40), y, slice(0, 20), True, False)
        return update(update(first, y, slice(20, 40), True, False), y[:3], slice(5, 8), True, False)

    agree(put, LINE[:20])


def test_parts_of_outputs_and_of_loops():
    def put(x):
        y = update(update(np.zeros(40), x, slice(0, 20), True, False), x * x, slice(20, 40), True, False)
        whole = update(update(np.zeros((2, 40)), y, 0, True, False), y[::-1], 1, True, False)
        return y, whole, cv.scan(lambda c, _: (cv.grad(gaps)(c) * 0.01 + c, c[0]), y, None, length=4)

    agree(put, LINE[:20])


def test_integers_are_put_together():
    def put(x):
        return update(update(np.zeros(40, int), x, slice(0, 20), True, False), x + 1, slice(10, 30), True, False)

    agree(put, np.arange(20))


def slices(rng, shape):
    """A random basic index of an array."""
    found = []
    for n in shape:
        kind = rng.integers(4)
        a = int(rng.integers(n))
        b = int(rng.integers(a, n)) + 1
        found.append(a if kind == 0 else slice(a, b) if kind < 3 else slice(None, None, int(rng.choice([-1, 1, 2]))))
    return tuple(found)


@pytest.mark.parametrize("seed", range(40))
def test_random_reads(seed):
    rng = np.random.default_rng(seed)
    shape = ((40,), (7, 8), (3, 4, 5))[seed % 3]
    reads = [(slices(rng, shape), slices(rng, shape), int(rng.integers(5))) for _ in range(rng.integers(2, 7))]

    def fun(x):
        y, total = np.sin(x) if seed % 2 else x, 0.0
        for first, second, kind in reads:
            part = y[first] if kind < 4 else x[first] * y[first]
            if kind == 1:
                part = np.cos(part)
            if kind == 2:
                y = y + np.sum(part) * 0.1
            if kind == 3 and np.ndim(part) == len(shape) and np.size(part) > 16:
                y = part
                return total + np.sum(y[0] * 2.0) + np.sum(y[-1] * y[0]) + np.sum(y[1:])
            total = total + np.sum(part * part) * np.sum(y[second])
        return total

    agree(cv.value_and_grad(fun), rng.normal(size=shape))
