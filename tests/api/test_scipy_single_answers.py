"""fsolve, brentq, newton, leastsq, curve_fit, nnls, nquad and others: SciPy's values, slopes by finite differences."""

import numpy as np
import pytest

import covector
from covector.core.errors import ConvergenceError, DtypeError, RuleError
from covector.scipy import integrate, linalg, optimize, signal

scipy = pytest.importorskip("scipy")
optimize_there = pytest.importorskip("scipy.optimize")
integrate_there = pytest.importorskip("scipy.integrate")
signal_there = pytest.importorskip("scipy.signal")
PLACES = np.linspace(0.0, 2.0, 9)
MATRIX = np.array([[1.0, 0.2, -1.0], [0.5, 1.0, 0.3], [0.1, 2.0, 0.4], [1.0, 0.3, 0.9], [0.2, 0.8, 1.5]])
NOISE = np.array([0.02, -0.01, 0.03, 0.0, -0.02, 0.01, 0.02, -0.03, 0.01])


def decay(x, a, b):
    return a * np.exp(-b * x)


FUNCTIONS = {
    "fsolve": lambda lib, a: lib[0].fsolve(lambda x: [x[0] ** 3 - a, x[1] - a * x[0]] if lib is not OURS else
                                           covector.numpy.stack([x[0] ** 3 - a, x[1] - a * x[0]]),
                                           [1.0, 1.0], xtol=1e-13)[1],
    "brentq": lambda lib, a: lib[0].brentq(lambda x, c: x**2 * c - 3.0, 0.0, 9.0, (a,)),
    "newton": lambda lib, a: lib[0].newton(lambda x: x**3 - a, 1.0, tol=1e-13),
    "newton with a slope": lambda lib, a: lib[0].newton(lambda x: x**3 - a, 1.0, lambda x: 3 * x**2, tol=1e-13),
    "curve_fit": lambda lib, a: lib[0].curve_fit(decay, PLACES, decay(PLACES, 2.0, a) + NOISE, (1.5, 0.5))[0][1],
    "curve_fit's covariance": lambda lib, a: 1e3 * lib[0].curve_fit(
        decay, PLACES, decay(PLACES, a, 1.3) + NOISE, (1.5, 0.5), 0.1 + PLACES)[1][0, 1],
    "minimize_scalar": lambda lib, a: lib[0].minimize_scalar(lambda x: (x - a) ** 2 + x**4).x,
    "minimize_scalar with its args": lambda lib, a: lib[0].minimize_scalar(
        lambda x, c: (x - c) ** 2 + x**4, bounds=(-1.0, 3.0), args=(a,), options={"xatol": 1e-9}).x,
    "minimize_scalar at a bound": lambda lib, a: lib[0].minimize_scalar(
        lambda x: (x - 3.0) ** 2, bounds=(0.0, a), options={"xatol": 1e-9}).x,
    "leastsq": lambda lib, a: lib[0].leastsq(
        lambda x: x[0] * np.exp(-x[1] * PLACES) - decay(PLACES, 2.0, a) - NOISE, (1.5, 0.5))[0][1],
    "nnls": lambda lib, a: lib[0].nnls(MATRIX * a + 1.0 if lib is THEIRS else covector.numpy.asarray(
        MATRIX) * a + 1.0, PLACES[:5] - a * NOISE[:5])[0] @ [1.0, 2.0, 3.0],
    "the distance of nnls": lambda lib, a: lib[0].nnls(MATRIX, a * PLACES[:5] - NOISE[:5])[1],
    "nquad": lambda lib, a: lib[1].nquad(lambda x, y, z, c: np.exp(-c * x * y) * z, [
        lambda y, z, c: (0.0, y * z), (0.0, a), (0.0, 1.0)], (a,), {"limit": 60})[0],
    "dblquad": lambda lib, a: lib[1].dblquad(lambda y, x: np.exp(-a * x * y), 0.0, a, 0.0, lambda x: x * a)[0],
    "fixed_quad": lambda lib, a: lib[1].fixed_quad(lambda x: np.sin(a * x), 0.0, a, n=4)[0],
    "hilbert": lambda lib, a: (np.imag(lib[2].hilbert(np.sin(PLACES * a), 12)) ** 3).sum(),
}
OURS = optimize, integrate, signal
THEIRS = optimize_there, integrate_there, signal_there


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_scipys_and_slopes_those_of_differences(name):
    f, a, step = FUNCTIONS[name], 1.7, 1e-5 if "fit" not in name else 1e-3  # SciPy stops early
    expected = f(THEIRS, a)
    slope = (f(THEIRS, a + step) - f(THEIRS, a - step)) / (2 * step)
    value, found = covector.value_and_grad(lambda a: f(OURS, a))(a)
    np.testing.assert_allclose(f(OURS, a), expected, rtol=1e-6)
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    np.testing.assert_allclose(found, slope, rtol=2e-4)
    np.testing.assert_allclose(covector.jvp(lambda a: f(OURS, a), (a,), (1.0,))[1], slope, rtol=2e-4)


@pytest.mark.parametrize("name", [
    "brentq", "newton", "fixed_quad", "hilbert", "curve_fit", "dblquad", "minimize_scalar",
    "minimize_scalar at a bound", "leastsq", "nnls"])
def test_second_derivatives_and_batches(name):
    f, a, step = FUNCTIONS[name], 1.7, 1e-4
    slope = covector.grad(lambda a: f(OURS, a))
    np.testing.assert_allclose(covector.grad(slope)(a), (slope(a + step) - slope(a - step)) / (2 * step), rtol=1e-4)
    np.testing.assert_allclose(covector.vmap(slope)(np.array([a, 1.1])), [slope(a), slope(1.1)], rtol=1e-6)


def test_what_has_no_derivative_says_what_to_use():
    with pytest.raises(RuleError, match="full_output=True with traced values; use root_scalar"):
        covector.grad(lambda a: optimize.brentq(lambda x: x - a, 0.0, 3.0, full_output=True)[0])(1.0)
    with pytest.raises(RuleError, match=r"starts of shape \(2,\)"):
        covector.grad(lambda a: optimize.newton(lambda x: x - a, np.ones(2)).sum())(1.0)
    with pytest.raises(RuleError, match="no p0 with traced values"):
        covector.grad(lambda a: optimize.curve_fit(decay, PLACES, a * NOISE)[0][0])(1.0)
    with pytest.raises(RuleError, match="full_output=True with traced values; use least_squares"):
        covector.grad(lambda a: optimize.leastsq(lambda x: x - a, np.ones(1), full_output=True)[0][0])(1.0)
    with pytest.raises(ConvergenceError, match="1 elements are 0 there, and the slope is 0"):
        covector.grad(lambda b: optimize.nnls(np.eye(2), b)[0].sum())(np.array([1.0, 0.0]))
    for factors in (linalg.polar, linalg.ldl):
        with pytest.raises(np.linalg.LinAlgError, match="derivative only where the matrix .*add a multiple"):
            covector.grad(lambda a, factors=factors: factors(a)[1][0, 0])(np.diag([1.0, 0.0]))
    with pytest.raises(ConvergenceError, match="multiplier of 0"):
        covector.grad(lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 2, bounds=(0.0, 1.0)).x)(1.0)
    with pytest.raises(DtypeError, match="needs a real signal"):
        signal.hilbert(np.ones(3) * 1j)
