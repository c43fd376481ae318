"""What functions of covector.scipy refuse, the dtypes and shapes they keep, and corners of their values."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import ConversionError, DtypeError, RuleError, ShapeError
from covector.scipy import fft, interpolate, linalg, ndimage, signal, special, stats
from covector.testing import check_grads

pytest.importorskip("scipy")
from scipy import (
    fft as their_fft,
    interpolate as their_interpolate,
    linalg as theirs,
    ndimage as their_ndimage,
    signal as their_signal,
)

RNG = np.random.default_rng(5)
A = RNG.normal(size=(4, 4)) * 0.4 + 2 * np.eye(4)
E = RNG.normal(size=(4, 4))
X, Y = np.arange(6.0), RNG.normal(size=6)
LINES = np.array([[0.0, 1.0, 2.0], [9.0, 8.0, 7.0], [1.0, 1.0, 0.0]])
GRID = (np.arange(3.0), np.arange(4.0))
VALUES = RNG.normal(size=(3, 4))
SINGULAR = np.ones((2, 2))
TURNING = np.array([[0.0, 1.0], [-1.0, 0.0]])

REFUSED = {
    "singular banded": (lambda: linalg.solve_banded((1, 1), LINES * 0, np.ones(3)), np.linalg.LinAlgError, "singular"),
    "not positive": (lambda: linalg.solveh_banded(-LINES[:2], np.ones(3)), np.linalg.LinAlgError, "positive definite"),
    "diagonals": (lambda: linalg.solve_banded((2, 1), LINES, np.ones(3)), ShapeError, "does not equal ab.shape"),
    "common eigenvalues": (lambda: linalg.solve_sylvester(A, -A, E), np.linalg.LinAlgError, "no unique solution"),
    "schur sort": (lambda: linalg.schur(A, sort="lhp"), TypeError, "does not support sort="),
    "schur repeated": (lambda: cv.grad(lambda a: linalg.schur(a)[0].sum())(np.eye(3)), np.linalg.LinAlgError,
                       "eigenvalue is repeated"),
    "schur real": (lambda: cv.grad(lambda a: linalg.schur(a)[0].sum())(TURNING), np.linalg.LinAlgError,
                   "output='complex'"),
    "schur phases": (lambda: cv.grad(lambda a: linalg.schur(a, "complex")[1].real.sum())(A), np.linalg.LinAlgError,
                     "phases"),
    "sqrtm in a graph": (lambda: cv.jit(linalg.sqrtm)(-A), np.linalg.LinAlgError, "a.astype"),
    "sqrtm square": (lambda: linalg.sqrtm(np.ones((2, 3))), ShapeError, "square matrices"),
    "sqrtm disp": (lambda: linalg.sqrtm(A, disp=True), TypeError, "does not support disp="),
    "riccati not Hermitian": (lambda: linalg.solve_discrete_are(A, E, E, A @ A.T), ValueError, "symmetric/Hermitian"),
    "riccati e": (lambda: linalg.solve_continuous_are(A, E, A, A, e=E), TypeError, "does not support e="),
    "method": (lambda: linalg.solve_discrete_lyapunov(A, E, "other"), ValueError, "'direct'"),
    "frechet": (lambda: linalg.expm_frechet(A, E[:2]), ShapeError, "same shape"),
    "knots": (lambda: interpolate.CubicSpline([0.0, 2, 1], [1.0, 2, 3]), ValueError, "strictly increasing"),
    "lengths": (lambda: interpolate.CubicSpline(X, Y[:4]), ShapeError, "doesn't match the length"),
    "ends": (lambda: interpolate.CubicSpline(X, Y, bc_type="other"), ValueError, "is not allowed"),
    "not periodic": (lambda: interpolate.CubicSpline(X, Y, bc_type="periodic"), ValueError, "must be identical"),
    "periodic": (lambda: interpolate.make_interp_spline(X, Y, bc_type="periodic"), RuleError, "CubicSpline"),
    "roots": (lambda: interpolate.CubicSpline(X, Y).roots(), RuleError, "custom_root"),
    "kind": (lambda: interpolate.interp1d(X, Y, "other"), NotImplementedError, "is unsupported"),
    "beyond": (lambda: interpolate.interp1d(X, Y)(9.0), ValueError, "above the interpolation range"),
    "grid": (lambda: interpolate.RegularGridInterpolator(GRID, VALUES)([9.0, 9.0]), ValueError, "out of bounds"),
    "pchip grid": (lambda: interpolate.RegularGridInterpolator(GRID, VALUES, "pchip"), RuleError, "does not support"),
    "complex pchip": (lambda: interpolate.PchipInterpolator(X, Y + 1j), DtypeError, "real values"),
    "leading zero": (lambda: signal.lfilter([1.0], [0.0, 1.0], Y), ValueError, r"a\[0\]"),
    "state": (lambda: signal.lfilter([1.0], [1.0, 2.0], Y, zi=np.ones(3)), ShapeError, "Unexpected shape for zi"),
    "sections": (lambda: signal.sosfilt(np.ones((2, 5)), Y), ShapeError, "n_sections, 6"),
    "section": (lambda: signal.sosfilt(np.full((1, 6), 2.0), Y), ValueError, "all ones"),
    "valid": (lambda: signal.convolve(VALUES, VALUES.T, "valid"), ShapeError, "every dimension"),
    "convolution mode": (lambda: signal.convolve(Y, Y, "other"), ValueError, "'full'"),
    "type": (lambda: fft.dct(Y, type=5), ValueError, "one of 1, 2, 3, 4"),
    "plan": (lambda: fft.fft(Y, plan=1), TypeError, "does not support plan="),
    "short": (lambda: fft.dct(Y[:1], type=1), ValueError, "Invalid number of data points"),
    "border": (lambda: ndimage.convolve(VALUES, VALUES, mode="other"), RuntimeError, "boundary mode not supported"),
    "output": (lambda: ndimage.convolve(VALUES, VALUES, output=float), TypeError, "does not support output="),
    "coordinates": (lambda: ndimage.map_coordinates(VALUES, Y), ShapeError, "invalid shape for coordinate array"),
    "order": (lambda: ndimage.map_coordinates(VALUES, np.ones((2, 1)), order=6), RuntimeError, "order not supported"),
    "sigma": (lambda: cv.jit(lambda s: ndimage.gaussian_filter(VALUES, s))(1.5), ConversionError, "radius="),
    "exact": (lambda: special.comb(5, 2, exact=True), TypeError, "does not support exact="),
    "order of Bessel": (lambda: cv.grad(lambda v: special.hyp0f1(v, 0.5))(1.5), RuleError, "closed form"),
    "branch": (lambda: cv.vmap(lambda z: special.lambertw(z, tol=1e-3))(Y), TypeError, "does not support tol="),
    "t shape": (lambda: stats.multivariate_t.logpdf(Y, Y[:2], A), ShapeError, "multivariate_t"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_was_given(name):
    call, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words), np.errstate(all="ignore"):
        call()


def test_square_root_of_a_singular_matrix_has_a_value_and_no_derivative():
    with pytest.warns(theirs.LinAlgWarning):
        np.testing.assert_allclose(linalg.sqrtm(SINGULAR), theirs.sqrtm(SINGULAR))
    with pytest.warns(theirs.LinAlgWarning), pytest.raises(np.linalg.LinAlgError, match="invertible"):
        cv.grad(lambda a: linalg.sqrtm(a).sum())(SINGULAR)


@pytest.mark.parametrize("name", ["sqrtm", "logm"])
def test_functions_of_real_matrices_with_negative_eigenvalues_are_complex(name):
    fun = getattr(linalg, name)
    a = np.diag([1.0, -2.0, 3.0]) + 0.2 * RNG.normal(size=(3, 3))
    np.testing.assert_allclose(fun(a), getattr(theirs, name)(a), rtol=1e-12, atol=1e-13)
    check_grads(lambda a: fun(a), (a,))
    stack = np.stack([np.abs(a) + 4 * np.eye(3), a])
    np.testing.assert_allclose(cv.vmap(fun)(stack)[1], fun(a))
    graph = cv.jit(fun)(a.astype(complex))
    np.testing.assert_allclose(graph @ graph if name == "sqrtm" else linalg.expm(graph), a, atol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_matrix_functions_keep_dtypes(dtype):
    a, b = (A + 0.1j * E if dtype[0] == "c" else A).astype(dtype), E.astype(dtype)
    for found in (linalg.sqrtm(a), linalg.logm(a), linalg.solve_sylvester(a, a, b), linalg.lu_factor(a)[0],
                  linalg.solve_continuous_lyapunov(a, b), linalg.expm_frechet(a, b)[1], linalg.schur(a)[0]):
        assert found.dtype == np.dtype(dtype)


def test_factors_solve_stacks_and_transposes():
    stack = np.stack([A, A.T])
    for trans in (0, 1, 2):
        matrix = stack + 0.1j * E
        turned = {0: matrix, 1: matrix.swapaxes(-1, -2), 2: matrix.conj().swapaxes(-1, -2)}[trans]
        found = linalg.lu_solve(linalg.lu_factor(matrix), E[:, :2], trans)
        np.testing.assert_allclose(turned @ found, np.broadcast_to(E[:, :2], (2, 4, 2)), atol=1e-12)


def test_small_splines_and_axes_are_those_of_scipy():
    for n in (2, 3, 4):
        y = RNG.normal(size=(2, n, 3))
        at = RNG.uniform(-1.0, n, (2, 2))
        for name in ("CubicSpline", "PchipInterpolator"):
            ours, wanted = (getattr(lib, name)(X[:n], y, axis=1) for lib in (interpolate, their_interpolate))
            np.testing.assert_allclose(ours(at), wanted(at), rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(ours(at, 1), wanted(at, 1), rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(ours.antiderivative()(at), wanted.antiderivative()(at), rtol=1e-12, atol=1e-12)
        for k in range(n):
            ours, wanted = (lib.make_interp_spline(X[:n], y, k, axis=1) for lib in (interpolate, their_interpolate))
            np.testing.assert_allclose(ours(at), wanted(at), rtol=1e-11, atol=1e-11)


def test_places_beyond_the_ends():
    at = np.array([-1.0, 2.5, 9.0])
    cubic = interpolate.CubicSpline(X, Y)
    np.testing.assert_array_equal(np.isnan(cubic(at, extrapolate=False)), [True, False, True])
    filled = interpolate.interp1d(X, Y, bounds_error=False, fill_value=(-7.0, 7.0))(at)
    np.testing.assert_array_equal(filled[[0, 2]], [-7.0, 7.0])
    assert np.isnan(cv.jit(interpolate.interp1d(X, Y))(at)).tolist() == [True, False, True]
    grid = interpolate.RegularGridInterpolator(GRID, VALUES, bounds_error=False, fill_value=3.0)
    assert grid(np.array([[9.0, 0.0]])) == 3.0


@pytest.mark.parametrize("mode", ["reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap",
                                  "grid-wrap"])
def test_borders_are_those_of_scipy(mode):
    at = np.concatenate([RNG.uniform(-9.0, 12.0, (2, 40)), RNG.integers(-9, 9, (2, 20))], 1)
    for x in (VALUES, VALUES + 1j * RNG.normal(size=VALUES.shape)):
        for order in range(6):
            both = (lib.map_coordinates(x, at, order=order, mode=mode, cval=0.7) for lib in (ndimage, their_ndimage))
            np.testing.assert_allclose(*both, rtol=1e-10, atol=1e-10)
        for weights in (E[:3, :3], E[:2, :3]):
            for name in ("convolve", "correlate"):
                both = (getattr(lib, name)(x, weights, mode=mode, cval=0.5) for lib in (ndimage, their_ndimage))
                np.testing.assert_allclose(*both, rtol=1e-12, atol=1e-12)
        both = (lib.gaussian_filter(x, (0.7, 1.1), (0, 2), mode=mode, cval=0.5) for lib in (ndimage, their_ndimage))
        np.testing.assert_allclose(*both, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_of_any_shapes_are_those_of_scipy(mode):
    for first, second in (((7,), (3,)), ((3,), (7,)), ((5, 4), (2, 3)), ((2, 3), (5, 4))):
        x, y = (RNG.normal(size=s) + 1j * RNG.normal(size=s) for s in (first, second))
        for name in ("convolve", "correlate"):
            for method in ("direct", "fft", "auto"):
                both = (getattr(lib, name)(x, y, mode, method) for lib in (signal, their_signal))
                np.testing.assert_allclose(*both, atol=1e-12)


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_scales_of_trigonometric_transforms_are_those_of_scipy(name, kind):
    for norm in (None, "ortho", "forward"):
        for orthogonalize in (None, True, False):
            for n in (None, 4, 8):
                facts = {"type": kind, "n": n, "norm": norm, "orthogonalize": orthogonalize}
                both = (getattr(lib, name)(Y, **facts) for lib in (fft, their_fft))
                np.testing.assert_allclose(*both, atol=1e-13)
                assert getattr(fft, name)(Y.astype("f4"), **facts).dtype == np.float32


def test_binomial_coefficients_at_zeros_have_derivatives():
    n, k = np.array([3.0, 2.0]), np.array([4.0, 3.0])
    h = 1e-6
    wanted = (special.binom(n, k + h) - special.binom(n, k - h)) / (2 * h)
    np.testing.assert_allclose(cv.grad(lambda k: special.binom(n, k).sum())(k), wanted, rtol=1e-8)


def test_complex_loggamma_has_second_derivatives_in_the_whole_plane():
    z = np.array([0.3 + 2.0j, -2.5 + 0.4j, 4.0 - 1.0j])
    check_grads(special.loggamma, (z,))


def test_elliptic_integrals_have_exact_slopes_at_zero():
    for m, wanted in ((0.0, np.pi / 8), (1e-10, np.pi / 8)):
        np.testing.assert_allclose(cv.grad(special.ellipk)(m), wanted, rtol=1e-9)
    phi = 0.7
    exact = phi / 4 - np.sin(2 * phi) / 8  # half of the integral of sin², at m = 0
    np.testing.assert_allclose(cv.grad(special.ellipkinc, argnums=1)(phi, 0.0), exact, rtol=1e-13)
    np.testing.assert_allclose(cv.grad(special.ellipeinc, argnums=1)(phi, 0.0), -exact, rtol=1e-13)


def test_truncated_normal_far_in_the_tail():
    a, b = 20.0, 22.0
    found = cv.grad(lambda x: stats.truncnorm.logpdf(x, a, b))(20.5)
    np.testing.assert_allclose(found, -20.5)
    assert np.isfinite(cv.grad(lambda a: stats.truncnorm.logpdf(20.5, a, b))(a))
    np.testing.assert_array_equal(stats.truncnorm.logpdf(np.array([19.0, 23.0]), a, b), -np.inf)
