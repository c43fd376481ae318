"""Functions that native code has of libraries, SciPy's special functions and LAPACK, and its own forms of some."""

import numpy as np
import pytest
from scipy import special

import covector as cv
import covector.scipy.special as csp
from covector.core.arrays.small_ufuncs import loop_of
from covector.core.errors import RuleError
from covector.extend import REGISTRY

pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")
COMPILED = loop_of(np.sin, "d->d") is not None  # where nothing tells where loops lie, NumPy calls them
EDGES = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300])


def native(fun, *args, calls=False):
    """`jit` of a function, which is one native function for these arguments; one that `calls` libraries, if it can."""
    compiled = cv.jit(fun, compiler_options={"printer": "llvm"})
    assert "def run" not in compiled.lower(*args).source or calls and not COMPILED, str(compiled.explain(*args))
    return compiled


def in_a_scan(fun):
    return lambda x: cv.scan(lambda c, v: (0.5 * c + fun(v), fun(v)), 0 * x[0], x)[1]


# Covector's own forms.

ORDERS = [("i0", special.i0), ("i1", special.i1), ("i0e", special.i0e), ("i1e", special.i1e)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "exact"), ORDERS)
def test_bessel_functions(name, exact, dtype):
    with np.errstate(all="ignore"):
        x = np.concatenate([np.linspace(-40, 40, 401), EDGES]).astype(dtype)
        found, expected = native(getattr(csp, name), x)(x), exact(x)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, 16 * np.finfo(dtype).eps)


@pytest.mark.parametrize("name", ["i0", "i1", "i0e", "i1e"])
@pytest.mark.parametrize("times", [1, 2])
def test_derivatives_of_bessel_functions(name, times):
    fun = lambda x: np.sum(getattr(csp, name)(x))  # noqa: E731
    slope = cv.grad(fun) if times == 1 else cv.grad(lambda x: np.sum(cv.grad(fun)(x)))
    x = np.concatenate([np.linspace(-40, 40, 81), [1e-3, 0.0, 100.0]])
    np.testing.assert_allclose(native(slope, x)(x), slope(x), 1e-11, 1e-14)


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
def test_bessel_functions_of_whole_order(order):
    x = np.concatenate([np.linspace(-60, 60, 241), 10.0 ** np.arange(-6, 3)])
    scaled, plain = REGISTRY["ive"].fun, REGISTRY["bessel_i"].fun
    found = native(lambda x: scaled(x, v=order), x)(x)
    np.testing.assert_allclose(found, special.ive(order, x), 1e-13, 1e-300)
    np.testing.assert_allclose(native(lambda x: plain(x, order=order), x)(x), special.iv(order, x), 1e-13, 1e-300)


@pytest.mark.parametrize("order", range(9))
def test_polygamma(order):
    """SciPy's sums lose up to 1e-13 of the functions of even order, which are 0 between negative whole numbers."""
    x = np.concatenate([np.linspace(0.01, 12, 100), 10.0 ** np.linspace(-5, 12, 40), -np.linspace(0.013, 8.9, 90)])
    found = native(lambda x: csp.polygamma(order, x), x)(x)
    np.testing.assert_allclose(found, special.polygamma(order, x), 1e-12)
    with np.errstate(all="ignore"):
        found = native(lambda x: csp.polygamma(order, x), EDGES)(EDGES)
        expected = special.polygamma(order, EDGES)
    np.testing.assert_allclose(found, expected, 1e-12)
    assert np.all((np.signbit(found) == np.signbit(expected)) | np.isnan(expected))


@pytest.mark.parametrize("places", [1.5, None])
def test_zeta(places):
    xs, qs = np.array([1.0001, 1.5, 2, 3, 5, 10, 20.5, 50, 1, 0.5, np.nan]), np.concatenate([
        10.0 ** np.linspace(-3, 6, 40), np.linspace(0.1, 20, 40), -np.linspace(0.01, 6.3, 40), EDGES[:-1], [-1, -2]])
    x, q = (xs, None) if places else map(np.ravel, np.meshgrid(xs, qs))
    with np.errstate(all="ignore"):
        found = native(lambda x: csp.zeta(x, places), x)(x) if places else native(csp.zeta, x, q)(x, q)
        expected = special.zeta(x, places if places else q)
    np.testing.assert_allclose(found, expected, 1e-12)


def test_of_mpmath():
    mpmath = pytest.importorskip("mpmath", reason="needs the `reference` extra: pip install -e '.[reference]'")
    x = np.array([0.3, 2.5, 7.9, 8.1, 30.0, 300.0])
    with mpmath.workdps(40):
        exact = {
            csp.i0e: lambda x: mpmath.besseli(0, x) * mpmath.exp(-x), csp.i1: lambda x: mpmath.besseli(1, x),
            (lambda x: csp.polygamma(3, x)): lambda x: mpmath.psi(3, x),
            (lambda x: csp.zeta(2.5, x)): lambda x: mpmath.zeta(mpmath.mpf(2.5), x),
            cv.grad(lambda x: np.sum(csp.i1e(x))): lambda x: mpmath.diff(
                lambda x: mpmath.besseli(1, x) * mpmath.exp(-x), x)}
        for fun, of in exact.items():
            expected = [float(of(mpmath.mpf(v))) for v in x.tolist()]
            np.testing.assert_allclose(native(fun, x)(x), expected, 2e-14)


# Loops of SciPy's.

LOOPS = {
    "j0": csp.j0, "gamma": csp.gamma, "k0e": csp.k0e, "erfcx": csp.erfcx, "expi": csp.expi, "spence": csp.spence,
    "gammainc": lambda x: csp.gammainc(1.5, x), "betainc": lambda x: csp.betainc(1.5, 2.5, x / 6),
    "airy": lambda x: csp.airy(x)[1], "jv": lambda x: REGISTRY["jv"].fun(x, v=3),
    "beta": lambda x: csp.beta(x, 2.0 + x),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", LOOPS)
def test_loops_of_scipy(name, dtype):
    """The bits of SciPy's, in vectors and alone."""
    x, fun = np.linspace(0.3, 5, 37).astype(dtype), LOOPS[name]
    for run in (fun, in_a_scan(fun)):
        found, expected = native(run, x, calls=True)(x), run(x)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_no_text_has_loops_of_libraries():
    x, a = np.ones(3), np.eye(6)
    for fun, given, name in ((csp.j0, x, "j0"), (in_a_scan(csp.j0), x, "j0"),
                             (lambda a: np.linalg.eigh(a)[0], a, "eigh"), (lambda a: np.linalg.det(a), a, "det")):
        with pytest.raises(RuleError, match=f"`{name}` of f64.* has no C form"):
            cv.export_c(fun, given, name="unit", folder=None)
    assert cv.export_c(csp.i0e, x, name="unit", folder=None).source


# LAPACK.


def matrices(dtype, *lead):
    rng = np.random.default_rng(0)
    a = rng.normal(size=(*lead, 6, 6))
    return (a + a.swapaxes(-1, -2)).astype(dtype), rng.normal(size=(*lead, 20, 20)).astype(dtype)


def _of_vectors(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.abs(v[..., 0]) * np.sin(w))


LAPACK = {
    "eigh": lambda a, b: np.linalg.eigh(a), "upper": lambda a, b: np.linalg.eigh(a, "U"),
    "eigvalsh": lambda a, b: np.linalg.eigvalsh(b), "svd": lambda a, b: np.linalg.svd(b[..., :7]),
    "reduced": lambda a, b: np.linalg.svd(b[..., :7], full_matrices=False),
    "svdvals": lambda a, b: np.linalg.svd(b, compute_uv=False), "inv": lambda a, b: np.linalg.inv(b),
    "solve": lambda a, b: np.linalg.solve(b, b[..., :3]), "solve_vector": lambda a, b: np.linalg.solve(b, b.reshape(
        -1, 20)[0]), "cholesky": lambda a, b: np.linalg.cholesky(
        b @ b.swapaxes(-1, -2) + np.eye(20, dtype=b.dtype)),
    "slogdet": lambda a, b: tuple(np.linalg.slogdet(b)), "det": lambda a, b: np.linalg.det(a),
}
SLOPES = {
    "eigh": lambda a: _of_vectors(a), "eigvalsh": lambda a: np.sum(np.linalg.eigvalsh(a) ** 3),
    "svd": lambda a: np.sum(np.abs(np.linalg.svd(a[..., :4], full_matrices=False)[2]) ** 3),
    "svdvals": lambda a: np.sum(np.linalg.svd(a, compute_uv=False)), "det": lambda a: np.sum(np.linalg.det(a)),
    "inv": lambda a: np.sum(np.linalg.inv(a) ** 2), "slogdet": lambda a: np.sum(np.linalg.slogdet(a)[1]),
}


@pytest.mark.parametrize("lead", [(), (3,), (2, 3)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", LAPACK)
def test_lapack(name, dtype, lead):
    given, fun = matrices(dtype, *lead), LAPACK[name]
    found, expected = native(fun, *given, calls=True)(*given), fun(*given)
    for one, other in zip(cv.tree.leaves(found), cv.tree.leaves(expected), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, 50 * np.finfo(dtype).eps, 100 * np.finfo(dtype).eps)


@pytest.mark.parametrize("lead", [(), (3,)])
@pytest.mark.parametrize("name", SLOPES)
def test_derivatives_of_lapack(name, lead):
    a, slope = matrices(np.float64, *lead)[0], cv.grad(SLOPES[name])
    np.testing.assert_allclose(native(slope, a, calls=True)(a), slope(a), 1e-10, 1e-12)
    twice = cv.grad(lambda a: np.sum(slope(a) ** 2))
    np.testing.assert_allclose(native(twice, a, calls=True)(a), twice(a), 1e-8, 1e-12 + 1e-8 * np.max(np.abs(twice(a))))


@pytest.mark.parametrize("value", [0.0, np.nan])
@pytest.mark.parametrize("fun", [
    lambda a: np.linalg.eigh(a)[0], lambda a: np.linalg.inv(np.tile(a, (4, 4))), lambda a: np.linalg.svd(a)[1],
    lambda a: np.linalg.cholesky(np.tile(a, (4, 4))), cv.grad(lambda a: np.sum(np.linalg.eigh(a)[1][:, 0])),
    cv.grad(lambda a: np.sum(np.linalg.svd(a)[0])), cv.grad(lambda a: np.linalg.det(a))])
def test_failures_are_those_without_jit(fun, value):
    """In a loop, too: where LAPACK fails, or a derivative is not determined, NumPy runs again."""
    a = np.full((6, 6), value)
    start = np.zeros(cv.eval_shape(fun, a).shape)
    for run in (fun, lambda a: cv.scan(lambda c, _: (c + fun(a), None), start, None, length=3)[0]):
        with np.errstate(all="ignore"):
            try:
                expected = run(a)
            except np.linalg.LinAlgError as error:
                with pytest.raises(np.linalg.LinAlgError) as caught:
                    cv.jit(run)(a)
                assert str(caught.value).split(" (at")[0] == str(error).split(" (at")[0]
            else:
                np.testing.assert_array_equal(cv.jit(run)(a), expected)


@pytest.mark.skipif(not COMPILED, reason="NumPy calls SciPy")
def test_errors_that_scipy_is_asked_for_are_raised():
    x = np.array([0.1, 0.2, 2.0])
    found = native(in_a_scan(csp.ellipk), x)
    assert np.isnan(found(x)[2])
    with special.errstate(all="raise"), pytest.raises(special.SpecialFunctionError, match="domain error"):
        found(x)
    assert found(x[:2]).shape == (2,)
