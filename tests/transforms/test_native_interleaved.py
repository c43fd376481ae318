"""Native code reads and writes neighbouring columns of rows in pieces that it turns in registers."""

import numpy as np
import pytest

import covector as cv

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
from covector.transforms.compile.loops.statements import Memory, Place
from covector.transforms.compile.render.llvm.nests import chunks


def places(*offsets, stride=5, memory=None, kind="f64"):
    memory = memory or Memory(kind, 1000, "scratch")
    return [Place(memory, (10,), (stride,), k) for k in offsets]


def test_neighbours_are_found_in_pieces_of_powers_of_two():
    assert chunks(places(0, 1, 2, 3, 4), 8) == [[0, 1, 2, 3]]
    assert chunks(places(3, 1, 2), 8) == [[1, 2]]
    assert chunks(places(0, 2, 4), 8) == []
    assert chunks(places(0, 1, 2, 3, stride=2), 8) == [[0, 1], [2, 3]]
    assert chunks(places(*range(20), stride=30), 8) == [list(range(8)), list(range(8, 16)), list(range(16, 20))]
    assert chunks(places(0, 1, stride=1), 8) == chunks(places(0, 1), 1) == chunks(places(0, 1, kind="b8"), 8) == []
    assert chunks([*places(0, 1), *places(2, 3)], 8) == [[0, 1], [2, 3]]  # two arrays


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
@pytest.mark.parametrize("columns", [2, 3, 5, 8, 21])
def test_columns_of_every_number_of_rows(columns, dtype):
    rng = np.random.default_rng(columns)
    taken = [sorted(rng.choice(columns, size=rng.integers(1, columns + 1), replace=False).tolist()) for _ in range(2)]

    def fun(x):
        read = [x[:, k] * (k + 2) - x[:, 0] for k in taken[0]]
        return np.stack(read, 1), np.stack([read[0] + x[:, k] for k in taken[1]] + [x[:, -1]], -1)

    for rows in (1, 7, 9, 33, 70):
        x = rng.integers(-9, 9, (rows, columns)).astype(dtype)
        for given in (x, x[::2], np.asfortranarray(x)):
            native = cv.jit(fun, compiler_options={"printer": "llvm"})
            for found, wanted in zip(native(given), fun(given), strict=True):
                np.testing.assert_array_equal(found, wanted)
                assert found.dtype == wanted.dtype


@pytest.mark.parametrize("columns", [2, 3, 6, 11])
def test_derivatives_of_examples(columns):
    def residual(both):
        a, b = both[: columns // 2], both[columns // 2 :]
        return np.stack((np.sum(a) * np.sum(np.sin(b)), a[0] / (2.0 + b[-1] ** 2), np.sum(b * b)))

    x = np.random.default_rng(0).normal(size=(150, columns))
    jacobian = cv.vmap(cv.jacrev(residual))
    np.testing.assert_allclose(cv.jit(jacobian, compiler_options={"printer": "llvm"})(x), jacobian(x), rtol=1e-12,
                               atol=1e-13)
    assert "shufflevector" in cv.jit(jacobian, compiler_options={"printer": "llvm"}).lower(x).source
