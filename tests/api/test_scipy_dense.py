"""covector.scipy.linalg: SciPy's arguments for what NumPy has, too."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import SquareError
from covector.scipy import linalg
from covector.testing import check_grads

theirs = pytest.importorskip("scipy.linalg")

RNG = np.random.default_rng(5)
REAL = RNG.normal(size=(4, 4)) + 3.0 * np.eye(4)
COMPLEX = REAL + 1j * RNG.normal(size=(4, 4))
TALL = RNG.normal(size=(5, 3))
B, MORE = RNG.normal(size=4), RNG.normal(size=(4, 2))
METRIC = MORE @ MORE.T + np.diag([1.0, 2.0, 3.0, 4.0])

GENERAL = {
    "solve": lambda lib, a: lib.solve(a, B),
    "solve, rows": lambda lib, a: lib.solve(a, MORE),
    "inv": lambda lib, a: lib.inv(a),
    "det": lambda lib, a: lib.det(a),
    "norm": lambda lib, a: lib.norm(a, 1),
    "svd": lambda lib, a: lib.svd(a, compute_uv=False),
    "svdvals": lambda lib, a: lib.svdvals(a),
    "qr": lambda lib, a: lib.qr(a),
    "lu": lambda lib, a: lib.lu(a),
    "lu, permuted": lambda lib, a: lib.lu(a, permute_l=True),
    "lu, places": lambda lib, a: lib.lu(a, p_indices=True),
    "pinv": lambda lib, a: lib.pinv(a),
    "pinv, rank": lambda lib, a: lib.pinv(a, rtol=1e-9, return_rank=True),
}
OBLONG = {
    "qr": lambda lib, a: [abs(x) for x in lib.qr(a)[1:]],
    "qr, economic": lambda lib, a: lib.qr(a, mode="economic"),
    "qr, r": lambda lib, a: lib.qr(a, mode="r"),
    "lstsq": lambda lib, a: lib.lstsq(a, np.arange(5.0))[:2],
    "lstsq, rows": lambda lib, a: lib.lstsq(a, np.ones((5, 2)))[:2],
}
TRIANGLES = {
    "pos": lambda lib, a: lib.solve(np.triu(a), B, assume_a="pos"),
    "pos, lower": lambda lib, a: lib.solve(np.tril(a), B, lower=True, assume_a="positive definite"),
    "her": lambda lib, a: lib.solve(np.triu(a), B, assume_a="her"),
    "her, lower": lambda lib, a: lib.solve(np.tril(a), B, lower=True, assume_a="hermitian"),
    "sym": lambda lib, a: lib.solve(np.triu(a), B, assume_a="sym"),
    "sym, lower": lambda lib, a: lib.solve(np.tril(a), B, lower=True, assume_a="symmetric"),
    "lower triangular": lambda lib, a: lib.solve(a, B, assume_a="lower triangular"),
    "upper triangular": lambda lib, a: lib.solve(a, B, assume_a="upper triangular"),
    "eigvalsh": lambda lib, a: lib.eigvalsh(np.triu(a), lower=False),
    "eigh": lambda lib, a: abs(lib.eigh(a)[1]),
    "eigh, metric": lambda lib, a: lib.eigh(np.triu(a), METRIC, lower=False, eigvals_only=True),
    "eigh, vectors": lambda lib, a: abs(lib.eigh(a, METRIC)[1]),
}


def same(ours, expected):
    for x, y in zip(cv.tree.leaves(ours), cv.tree.leaves(expected), strict=True):
        assert np.shape(x) == np.shape(y)
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", GENERAL)
@pytest.mark.parametrize("a", [REAL, COMPLEX, np.round(REAL).astype(int)], ids=["real", "complex", "integer"])
def test_values_are_those_of_scipy(name, a):
    call = GENERAL[name]
    same(call(linalg, a), call(theirs, a))
    same(cv.jit(lambda a: call(linalg, a))(a), call(theirs, a))


@pytest.mark.parametrize("name", OBLONG)
def test_oblong_matrices(name):
    same(OBLONG[name](linalg, TALL), OBLONG[name](theirs, TALL))


@pytest.mark.parametrize("name", TRIANGLES)
def test_triangles_stand_for_matrices(name):
    for a in (REAL @ REAL.T, COMPLEX @ COMPLEX.conj().T):
        same(TRIANGLES[name](linalg, a), TRIANGLES[name](theirs, a))


@pytest.mark.parametrize("kind", ["gen", "sym", "her", "pos", "lower triangular", "upper triangular"])
def test_transposed_systems(kind):
    a = COMPLEX @ COMPLEX.conj().T if kind in ("her", "pos") else COMPLEX + COMPLEX.T
    whole = {"lower triangular": np.tril, "upper triangular": np.triu}.get(kind, np.array)(a)
    for lower in (False, True):
        same(linalg.solve(a, B, lower, assume_a=kind, transposed=True), np.linalg.solve(whole.T, B))


def test_single_precision_stays():
    for name, call in GENERAL.items():
        for x in cv.tree.leaves(call(linalg, REAL.astype(np.float32)) if "solve" not in name else ()):
            assert x.dtype in (np.float32, np.int32, np.int64)


@pytest.mark.parametrize("call", [
    lambda a: linalg.solve(a, B, assume_a="pos"),
    lambda a: linalg.solve(a, B, lower=True, assume_a="her", transposed=True),
    lambda a: linalg.eigh(a, METRIC, lower=False, eigvals_only=True),
    lambda a: abs(linalg.eigh(a, METRIC)[1]),
])
def test_derivatives_along_hermitian_directions(call):
    check_grads(lambda a: call(a + a.T), (REAL @ REAL.T,), order=2)


def test_derivatives_with_respect_to_the_metric():
    check_grads(lambda b: abs(linalg.eigh(REAL @ REAL.T, b + b.T)[1]), (METRIC,), order=2)


def test_what_is_not_there_is_said():
    with pytest.raises(ValueError, match="assume_a of solve is one of .*'pos'.*but got 'spd'; choose one"):
        linalg.solve(REAL, B, assume_a="spd")
    with pytest.raises(TypeError, match=r"eigh does not support subset_by_index=, but got .*\[0, 1\]; omit it"):
        linalg.eigh(REAL, subset_by_index=[0, 1])
    with pytest.raises(TypeError, match="qr does not support pivoting=, but got pivoting=True; omit it"):
        linalg.qr(REAL, pivoting=True)
    with pytest.raises(ValueError, match="mode of qr is one of .*but got 'raw'"):
        linalg.qr(REAL, mode="raw")
    with pytest.raises(TypeError, match="pinv does not support atol=.*give rtol="):
        linalg.pinv(REAL, atol=1.0)
    with pytest.raises(SquareError, match=r"lu needs square matrices, but got shape \(5, 3\); use qr"):
        linalg.lu(TALL)


@pytest.mark.parametrize("kind", ["diagonal", "tridiagonal", "banded"])
def test_solve_reads_the_diagonals_that_the_matrix_is_assumed_to_have(kind):
    a, b = RNG.normal(size=(4, 4)) + 4.0 * np.eye(4), RNG.normal(size=4)
    reach = {"diagonal": 0, "tridiagonal": 1, "banded": 3}[kind]
    read = np.where(np.abs(np.subtract.outer(np.arange(4), np.arange(4))) <= reach, a, 0.0)
    np.testing.assert_allclose(linalg.solve(a, b, assume_a=kind), np.linalg.solve(read, b))
    found = cv.grad(lambda a, b: linalg.solve(a, b, assume_a=kind).sum(), (0, 1))(a, b)
    wanted = cv.grad(lambda a, b: np.linalg.solve(a, b).sum(), (0, 1))(read, b)
    np.testing.assert_allclose(found[0], np.where(read != 0.0, wanted[0], 0.0))
    np.testing.assert_allclose(found[1], wanted[1])
