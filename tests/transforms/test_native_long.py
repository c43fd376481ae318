"""Long native functions: nests that are alike become one function, and scratch memory is placed by what is free."""

import numpy as np
import pytest

import covector as cv
from covector.transforms.native.ir.scratch import place_scratch
from covector.transforms.native.ir.statements import Kernel, Memory, Nest, Place

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")


def unrolled(steps, step):
    """A loss that Python unrolls, on arrays that are no registers."""
    def loss(x, w):
        for k in range(steps):
            x = step(x, w, k)
        return np.sum(x * x)

    return loss


STEPS = {
    "elementwise": lambda x, w, k: x + 0.01 * np.sin(x * 1.1) - 0.02 * np.tanh(x[::-1] * w),
    "rows": lambda x, w, k: x * 0.9 + 0.1 * np.mean(x.reshape(10, 20) * w.reshape(10, 20), axis=1).repeat(20),
    "outer numbers": lambda x, w, k: x * np.sum(x[:3]) * 0.3 / (1.0 + x[k] ** 2) + w,
    "masks": lambda x, w, k: np.where((x > 0.1 * w) & (x < w[k] + 2.0), x * 0.99, np.abs(x) + 0.01),
    "single precision": lambda x, w, k: x.astype(np.float32).astype(np.float64) * w + 0.1 * x,
}


@pytest.mark.parametrize("name", STEPS)
def test_unrolled_steps_are_those_of_eager_code(name):
    loss = unrolled(40, STEPS[name])
    rng = np.random.default_rng(0)
    x, w = rng.uniform(0.1, 0.9, 200), rng.uniform(0.5, 0.9, 200)
    native = cv.jit(cv.value_and_grad(loss, (0, 1)), compiler_options={"printer": "llvm"})
    value, gradients = native(x, w)
    want, wanted = cv.value_and_grad(loss, (0, 1))(x, w)
    np.testing.assert_allclose(value, want, rtol=1e-12)
    for found, other in zip(gradients, wanted):
        np.testing.assert_allclose(found, other, rtol=1e-10, atol=1e-12 * np.max(np.abs(other)))


def test_nests_that_are_alike_are_one_function():
    def functions(steps):
        loss = unrolled(steps, STEPS["elementwise"])
        text = cv.jit(cv.grad(loss), compiler_options={"printer": "llvm"}).lower(np.ones(200), np.ones(200)).source
        return text.count("define internal void @nest"), text.count("call void @nest")

    few, many = functions(40), functions(80)
    assert few[0] == many[0] < 12
    assert few[1] < many[1]


def test_short_functions_have_their_nests_in_place():
    text = cv.jit(np.tanh, compiler_options={"printer": "llvm"}).lower(np.ones(200)).source
    assert "@nest" not in text


def test_scratch_memory_that_lives_at_one_time_lies_apart():
    rng = np.random.default_rng(0)
    memories = [Memory("f64", int(n)) for n in rng.integers(0, 100, 60)]
    touched = [sorted(rng.integers(0, 200, 2)) for _ in memories]
    statements = [Nest((1,), stores=[(None, Place(m, (m.size,))) for m, (first, last) in zip(memories, touched)
                                     if k in (first, last)]) for k in range(200)]
    kernel = Kernel([], [], statements)
    place_scratch(kernel)
    for m, (first, last) in zip(memories, touched):
        assert 0 <= m.index and m.index + 8 * m.size <= kernel.scratch and m.index % 64 == 0
        for other, (start, stop) in zip(memories, touched):
            if other is not m and first <= stop and start <= last and m.size and other.size:
                assert m.index + 8 * m.size <= other.index or other.index + 8 * other.size <= m.index
    assert kernel.scratch < sum(8 * m.size for m in memories) * 0.8
