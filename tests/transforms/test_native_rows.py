"""Native code takes many short rows at once: each element of a row is a vector over the rows."""

import numpy as np
import pytest

import covector as cv

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
PROGRAMS = {
    "sum over rows": lambda x, b: np.sum(np.sin(x + b) ** 2),
    "centred": lambda x, b: np.sum((x - np.mean(x, axis=0)) ** 3 * b),
    "maximum over rows": lambda x, b: np.sum(np.max(x * b, axis=0) - np.min(x, axis=0)),
    "sums along rows": lambda x, b: np.sum(np.sum(x * b, axis=1) ** 2) + np.prod(x[:3, :2]),
    "turned": lambda x, b: np.sum(np.cos(x.T * b[:, None]) * np.arange(len(x))),
    "products": lambda x, b: np.sum(((x[:, :, None] * b) @ x[:, :, None])[:, :, 0] ** 2),
    "tables": lambda x, b: np.sum(x[:, :, None] * np.sin(x)[:, None, :] * b),
    "part of a row": lambda x, b: np.sum(x[:, 1:] * x[:, :-1] * b[1:]) + np.sum(x[::2] * 2.0),
    "broadcast along rows": lambda x, b: np.sum(np.broadcast_to(np.sum(x, 1)[:, None], x.shape) * x * b),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("columns", [2, 3, 5, 9])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_and_gradients(name, columns, dtype):
    fun = cv.value_and_grad(PROGRAMS[name], argnums=(0, 1))
    rng = np.random.default_rng(columns)
    run = cv.jit(fun, compiler_options={"printer": "llvm"})
    for rows in (31, 33, 100):
        x, b = rng.normal(size=(rows, columns)).astype(dtype), rng.normal(size=columns).astype(dtype)
        exact = rows, columns
        for given in (x, x[::-1]):
            found = run(given, b)
            wanted = fun(given.astype(np.float64), b.astype(np.float64))
            for a, c in zip(cv.tree.leaves(found), cv.tree.leaves(wanted), strict=True):
                size = np.max(np.abs(c))
                np.testing.assert_allclose(a, c, rtol=1e-11 if dtype is np.float64 else 3e-4,
                                           atol=size * (1e-13 if dtype is np.float64 else 1e-4), err_msg=str(exact))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.bool_])
def test_whole_numbers_and_truth_values(dtype):
    def fun(x):
        return np.sum(x, axis=0), np.max(x, axis=0), x[:, ::-1] | x, np.any(x > 0, axis=0), np.all(x > 0, axis=1)

    x = np.random.default_rng(0).integers(0, 2 if dtype is np.bool_ else 9, (50, 3)).astype(dtype)
    for found, wanted in zip(cv.jit(fun, compiler_options={"printer": "llvm"})(x), fun(x), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_long_sums_in_single_precision():
    x = np.random.default_rng(0).uniform(size=(100_000, 3)).astype(np.float32)
    found = cv.jit(lambda x: np.sum(x * x, axis=0), compiler_options={"printer": "llvm"})(x)
    np.testing.assert_allclose(found, np.sum(x.astype(float) ** 2, axis=0), rtol=2e-7)
