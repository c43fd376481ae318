"""Long native functions: nests that are alike become one function, and scratch memory is placed by what is free."""

import gc
import sys
import time
import tracemalloc

import numpy as np
import pytest

import covector as cv
from covector.transforms.compile.loops.scratch import place_scratch
from covector.transforms.compile.loops.statements import Kernel, Memory, Nest, Place
from covector.transforms.compile.machine import engine

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


LEAVES = {
    "outputs": (lambda p: [x * 2.0 for x in p], lambda xs: (xs,)),
    "inputs": (lambda p: sum(np.sum(x * x) for x in p), lambda xs: (xs,)),
    "slices": (lambda x: [x[5 * k : 5 * k + 5] * 2.0 for k in range(x.size // 5)], lambda xs: (np.concatenate(xs),)),
    "shapes": (lambda p: [x.reshape(-1, 1)[: k % 5] * 2.0 for k, x in enumerate(p)], lambda xs: (xs,)),
    "numbers": (lambda p: [x * 2 for x in p], lambda xs: ([[1.5, 3, True][k % 3] for k in range(len(xs))],)),
    "long": (lambda p: [np.repeat(x, 40) * 0.5 + k for k, x in enumerate(p)], lambda xs: (xs,)),
    "optimizer": (lambda p: [x - 0.1 * g for x, g in zip(p, cv.grad(lambda p: sum(np.sum(np.sin(x)) for x in p))(p))],
                  lambda xs: (xs,)),
}


@pytest.mark.parametrize("name", LEAVES)
def test_the_text_grows_as_the_number_of_arrays(name):
    f, given = LEAVES[name]

    def compiled(count):
        args = given(list(np.random.default_rng(0).normal(size=(count, 5))))
        native = cv.jit(f, compiler_options={"printer": "llvm"})
        for found, want in zip(cv.tree.leaves(native(*args)), cv.tree.leaves(f(*args)), strict=True):
            np.testing.assert_allclose(found, want)
        return len(native.lower(*args).source)

    assert compiled(200) < 2.5 * compiled(100)


def test_many_outputs_go_where_an_index_lies_outside():
    xs = [np.full((50, 20), float(k)) for k in range(60)]
    native = cv.jit(lambda xs, k: [x + xs[0][k, 0] for x in xs], compiler_options={"printer": "llvm"})
    native(xs, np.int64(3))
    tracemalloc.start()
    try:
        for _ in range(20):
            with pytest.raises(IndexError):
                native(xs, np.int64(50))
        assert tracemalloc.get_traced_memory()[0] < xs[0].nbytes * 60
    finally:
        tracemalloc.stop()


def test_the_entry_is_as_long_for_many_arrays_as_for_some():
    def step(p, g):
        return [x - 0.1 * y for x, y in zip(p, g)]

    lengths = []
    for n in (60, 240):
        p = [np.linspace(0.0, 1.0, 3 + k % 7) for k in range(n)]
        native = cv.jit(step, compiler_options={"printer": "llvm"})
        for found, want in zip(native(p, p), step(p, p), strict=True):
            np.testing.assert_array_equal(found, want)
        text = native.lower(p, p).source
        functions = {part.split("(")[0].split("@")[-1]: part.count("\n") for part in text.split("\ndefine ")[1:]}
        lengths.append({name: count for name, count in functions.items() if "nest" not in name and name != "work"})
    assert lengths[0] == lengths[1] and max(lengths[0].values()) < 150


def test_many_values_of_all_kinds_are_taken_and_given():
    kinds = [np.arange(6.0).reshape(2, 3), np.float32([1.0, 2.0]), np.arange(4), np.array([True, False]), 1.5, 3, True,
             np.float64(2.5), np.array(0.5), np.ones((2, 0, 3)), np.float32(4.0)]
    values = [kinds[k % len(kinds)] for k in range(90)]

    def both(xs):
        return [x * 2 for x in xs], [x + x for x in xs[::-1]]

    native = cv.jit(both, compiler_options={"printer": "llvm"})
    for _ in range(3):
        for found, want in zip(sum(native(values), []), sum(both(values), []), strict=True):
            assert np.asarray(found).dtype == np.asarray(want).dtype
            np.testing.assert_array_equal(found, want)
    for k, other in ((0, np.ones((3, 2))), (1, np.ones(2)), (4, 2), (8, np.ones(1)), (89, np.ones((2, 3))[:, ::2])):
        changed = [*values[:k], other, *values[k + 1 :]]
        for found, want in zip(sum(native(changed), []), sum(both(changed), []), strict=True):
            np.testing.assert_array_equal(found, want)
    counts = [sys.getrefcount(x) for x in values]
    for _ in range(20):
        native(values)
    assert counts == [sys.getrefcount(x) for x in values]


def test_many_constants_are_loaded_where_they_are_used():
    rng = np.random.default_rng(0)
    held = [rng.normal(size=40) for _ in range(150)]

    def fun(x):
        return [np.sin(x * c) for c in held], sum([x * c for c in held])

    x = rng.normal(size=40)
    native = cv.jit(fun, compiler_options={"printer": "llvm"})
    (rows, total), (want_rows, want) = native(x), fun(x)
    np.testing.assert_allclose(rows, want_rows, rtol=1e-14)
    np.testing.assert_allclose(total, want, rtol=1e-13)
    assert native.lower(x).source.count("%constant") < 200


def test_very_long_functions_call_elementary_functions_and_give_the_same_bits(monkeypatch):
    xs = [np.linspace(-3.0, 3.0, n) for n in (5, 64, 301)]

    def run():  # the code is gone with the function
        waves = cv.jit(lambda xs: [np.sin(x) * np.exp(-x) + np.tanh(x) for x in xs],
                       compiler_options={"printer": "llvm"})
        return waves(xs)

    monkeypatch.setenv("COVECTOR_CACHE", "0")
    copied = run()
    gc.collect()
    monkeypatch.setattr(engine, "_HUGE", 0)
    for a, b in zip(copied, run()):
        np.testing.assert_array_equal(a, b)


@pytest.mark.slow
def test_the_code_of_many_shapes_takes_time_in_proportion(monkeypatch):
    def seconds(count):
        xs = [np.ones(n + 300) for n in range(count)]
        start = time.process_time()
        cv.jit(lambda xs: [np.sin(x) for x in xs], compiler_options={"printer": "llvm"})(xs)
        return time.process_time() - start

    monkeypatch.setenv("COVECTOR_CACHE", "0")
    seconds(2)
    assert seconds(600) < 6 * seconds(200)  # 12 times, were the functions copied
