"""Integers without signs in native code, and random numbers, whose bits are made of them."""

import itertools

import numpy as np
import pytest

import covector as cv
from covector import random
from covector.scipy import special

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")

UNSIGNED = (np.uint32, np.uint64)
OTHERS = (*UNSIGNED, np.int32, np.int64, np.float64, np.float32, np.bool_)
OF_TWO = (np.add, np.subtract, np.multiply, np.maximum, np.minimum, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
          np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
OF_ONE = {
    "invert": np.invert, "negative": np.negative, "absolute": np.abs, "square": np.square,
    "shift 31": lambda x: x >> 31, "divide": lambda x: x // 7, "modulo": lambda x: x % 10,
    "above a negative number": lambda x: x > -1,
    "mask": lambda x: x & np.uint64(0xFFFFFFFF), "number": lambda x: x + 3000000000, "quotient": lambda x: x / 3,
    "where": lambda x: np.where(x > 5, x, x * 2), "clip": lambda x: np.clip(x, 2, 9),
    "root": lambda x: np.sqrt(x * 1.0), "sum": np.sum,
    "largest": np.max, "running": np.cumsum, "stack": lambda x: np.stack([x, x]), "mean": np.mean,
}


def some(dtype, shape, rng):
    kind = np.dtype(dtype).kind
    if kind == "f":
        return (rng.normal(size=shape) * 100).astype(dtype)
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return np.where(rng.random(shape) < 0.3, values % dtype(7), values).astype(dtype)


def same_in_native_code(fun, *args):
    with np.errstate(all="ignore"):
        try:
            expected = fun(*args)
        except (TypeError, OverflowError) as error:
            with pytest.raises(type(error)):
                cv.jit(fun, compiler_options={"printer": "llvm"})(*args)
            return
    found = cv.jit(fun, compiler_options={"printer": "llvm"})(*args)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(), (3,), (5, 7)])
@pytest.mark.parametrize("fun", OF_TWO)
def test_operations_of_two_are_those_of_numpy(fun, shape):
    rng = np.random.default_rng(0)
    for one, other in itertools.product(UNSIGNED, OTHERS):
        for a, b in ((one, other), (other, one)):
            x, y = some(a, shape, rng), some(b, shape, rng)
            if "f" not in (x.dtype.kind + y.dtype.kind) or fun not in OF_TWO[5:8]:
                same_in_native_code(lambda x, y: fun(x, y), x, y)


@pytest.mark.parametrize("fun", OF_TWO[8:])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_with_and_without_signs_are_compared_exactly(fun, dtype):
    """Where float64, the dtype that both have in common, does not tell them apart."""
    x = np.array([2**53 + 1, -1, 2**62, 5, -1]).astype(dtype)
    y = np.array([2**53, 2**64 - 1, 2**62, 5, 0], np.uint64)
    same_in_native_code(lambda x, y: fun(x, y), x, y)
    same_in_native_code(lambda x, y: fun(y, x), x, y)
    same_in_native_code(lambda x, y: np.where(fun(x[0], y[0]), 1.0, 2.0), x, y)


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("name", OF_ONE)
def test_operations_of_one_are_those_of_numpy(name, dtype):
    rng = np.random.default_rng(0)
    for shape in ((), (3,), (5, 7)):
        same_in_native_code(OF_ONE[name], some(dtype, shape, rng))


@pytest.mark.parametrize("dtype", [*UNSIGNED, np.int32, np.int64])
def test_shifts_by_more_than_there_are_bits_are_those_of_numpy(dtype):
    x, places = some(dtype, 80, np.random.default_rng(0)), (np.arange(80) % 70).astype(dtype)
    same_in_native_code(np.left_shift, x, places)
    same_in_native_code(np.right_shift, x, places)


@pytest.mark.parametrize(("one", "other"), list(itertools.product(OTHERS, OTHERS)))
def test_casts_are_those_of_numpy(one, other):
    x = some(one, (5, 7), np.random.default_rng(0))
    if np.dtype(one).kind != "f" or np.dtype(other).kind not in "iu":  # what does not fit has no value
        same_in_native_code(lambda x: x.astype(other), x)


DRAWS = {
    "uniform": lambda key, x: x + random.uniform(key, (3,)),
    "single precision": lambda key, x: x + random.uniform(key, (3,), np.float32),
    "normal": lambda key, x: x * 0.9 + random.normal(key, (3,)),
    "split": lambda key, x: x + random.split(key)[0, 1] % np.uint32(7),
    "fold_in": lambda key, x: x + random.uniform(random.fold_in(key, 5)),
    "randint": lambda key, x: x + random.randint(key, (3,), 0, 10),
    "bernoulli": lambda key, x: np.where(random.bernoulli(key, 0.3, (3,)), x, x + 1),
    "exponential": lambda key, x: x + random.exponential(key, (3,)),
    "long": lambda key, x: x + np.sum(random.normal(key, (100,))),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_loop_that_draws_is_one_native_program(name):
    keys, x = random.split(random.key(1), 20), np.ones(3)

    def run(x, keys):
        return cv.scan(lambda x, key: (DRAWS[name](key, x), None), x, keys)[0]

    def slope(x, keys):
        return cv.grad(lambda x: np.sum(run(x, keys)))(x)

    compiled = cv.jit(run, compiler_options={"printer": "llvm"})
    np.testing.assert_allclose(compiled(x, keys), run(x, keys), rtol=1e-13)
    assert compiled.lower(x, keys).source.startswith("; table")
    np.testing.assert_allclose(cv.jit(slope)(x, keys), slope(x, keys), rtol=1e-13)


@pytest.mark.parametrize("fun", [special.erfinv, special.ndtri])
def test_quantiles_in_a_loop(fun):
    x = np.random.default_rng(0).uniform(0, 1, (6, 50))
    found = cv.jit(lambda x: cv.scan(lambda c, row: (c, fun(row)), 0.0, x)[1])(x)
    np.testing.assert_allclose(found, fun(x), rtol=2e-15)
