"""`numpy.fft` and `covector.numpy.fft` on traced arrays: values, dtypes, derivatives, batches."""

import sys

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp
from covector.extend import BACKENDS

RNG = np.random.default_rng(17)
X = RNG.normal(size=(4, 3, 5))
Z = X + 1j * RNG.normal(size=X.shape)
ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
MANY = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
REAL = ("rfft", "ihfft", "rfft2", "rfftn")
NORMS = (None, "backward", "ortho", "forward")


def operands(name):
    return (X,) if name in REAL else (X, Z)


@pytest.fixture(params=[np.fft, cnp.fft], ids=["numpy", "covector.numpy"])
def ft(request):
    return request.param


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE)
def test_along_one_axis(ft, name, norm, agrees):
    for x in operands(name):
        agrees(lambda x: getattr(ft, name)(x, norm=norm), x)
        for n in (1, 2, 3, 4, 6, 7):
            agrees(lambda x: getattr(ft, name)(x, n, axis=1, norm=norm), x)
        agrees(lambda x: getattr(ft, name)(x, axis=0, norm=norm), x)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", MANY)
def test_over_several_axes(ft, name, norm, agrees):
    for x in operands(name):
        agrees(lambda x: getattr(ft, name)(x, norm=norm), x)
        for s, axes in (((3, 4), (0, 2)), ((6, -1), (2, 0)), ((5, 3), (1, -1)), ((4,), (1,)), (None, (2, 0, 1))):
            agrees(lambda x: getattr(ft, name)(x, s, axes, norm), x)
        agrees(lambda x: getattr(ft, name)(x, s=(3, 4, 5), axes=(1, 1, 0), norm=norm), x)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts(ft, name, agrees):
    for axes in (None, 1, (0, 2), [-1]):
        agrees(lambda x: getattr(ft, name)(x, axes), X)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_depend_on_the_spacing(ft, name, agrees):
    np.testing.assert_array_equal(getattr(ft, name)(6), getattr(np.fft, name)(6))
    agrees(lambda d: getattr(ft, name)(5, d), np.array(0.3))


@pytest.mark.parametrize("name", ONE + MANY)
def test_single_precision_is_kept(ft, name):
    for x in operands(name):
        x = x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
        want = getattr(np.fft, name)(x)
        out, pullback = cv.vjp(getattr(ft, name), x)
        assert out.dtype == want.dtype
        np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)
        assert pullback(np.ones_like(out))[0].dtype == x.dtype


def test_integers_become_double_precision(ft):
    out = cv.vmap(ft.fft)(np.arange(6).reshape(2, 3))
    np.testing.assert_allclose(out, np.fft.fft(np.arange(6).reshape(2, 3)))
    assert out.dtype == np.complex128


def test_transform_of_a_real_signal_has_a_real_gradient(ft):
    def power(x):
        return np.sum(np.abs(ft.fft(x)) ** 2)

    np.testing.assert_allclose(cv.grad(power)(X), 2 * X.shape[-1] * X, rtol=1e-12)  # Parseval
    np.testing.assert_allclose(cv.jvp(cv.grad(power), (X,), (X,))[1], 2 * X.shape[-1] * X, rtol=1e-12)


def test_second_derivative_of_a_spectrum(ft):
    def f(x):
        return np.sum(np.abs(ft.rfft(x, 8)) ** 4)

    x, v = X[0, 0], X[1, 1]
    step = 1e-5
    want = (cv.grad(f)(x + step * v) - cv.grad(f)(x - step * v)) / (2 * step)
    np.testing.assert_allclose(cv.jvp(cv.grad(f), (x,), (v,))[1], want, rtol=1e-7)


def test_matrix_of_the_transform_is_its_jacobian(ft):
    n = 6
    matrix = np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
    z = RNG.normal(size=n) + 1j * RNG.normal(size=n)
    np.testing.assert_allclose(cv.jvp(ft.fft, (z,), (z,))[1], matrix @ z)
    np.testing.assert_allclose(cv.vjp(ft.fft, z)[1](z)[0], matrix.T @ z)
    half = np.concatenate([cv.vjp(ft.rfft, np.zeros(n))[1](e)[0][None] for e in np.eye(4, dtype=complex)])
    np.testing.assert_allclose(half, matrix[:4].real, atol=1e-12)


def test_graph_of_a_transform_computes_it(ft):
    graph = cv.make_graph(lambda x: ft.irfft2(ft.rfft2(x) * 2, s=(3, 5), axes=(-2, -1)))(X)
    np.testing.assert_allclose(graph(X + 1), 2 * (X + 1))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [(lambda ft, x: ft.fft(x, 0), ValueError, r"Invalid number of FFT data points \(0\)"),
     (lambda ft, x: ft.fft(x, norm="unitary"), ValueError, "norm must be .*'unitary'"),
     (lambda ft, x: ft.hfft(x, norm="unitary"), ValueError, "norm must be .*'unitary'"),
     (lambda ft, x: ft.fft(x, axis=3), np.exceptions.AxisError, "axis 3"),
     (lambda ft, x: ft.rfft(x * 1j), TypeError, r"rfft takes real values, but got complex128; use fft"),
     (lambda ft, x: ft.fftn(x, (2, 3), (0,)), ValueError, "different lengths: 2 and 1"),
     (lambda ft, x: ft.fft(x, out=np.zeros(X.shape, complex)), NotImplementedError, "does not write into out=")],
)  # fmt: skip
def test_misuse_is_refused(ft, call, error, words):
    with pytest.raises(error, match=words):
        cv.grad(lambda x: np.abs(call(ft, x)).sum())(X)


def test_lengths_without_axes_warn_as_numpy_does(ft):
    with pytest.warns(DeprecationWarning, match="`axes` should not be `None`"):
        out = cv.vjp(lambda x: ft.fftn(x, (3, 4)), X)[0]
    np.testing.assert_allclose(out, np.fft.fftn(X, (3, 4), (1, 2)))


@pytest.mark.parametrize("library", ["with SciPy", "without SciPy"])
@pytest.mark.parametrize("kind", ["f4", "f8", "c8", "c16", ">f8", "f2"])
@pytest.mark.parametrize("name", [*ONE[:4], *MANY])
def test_transforms_of_many_elements_are_numpys_to_rounding(name, kind, library, monkeypatch, request):
    if library == "without SciPy":
        again = BACKENDS["numpy"].fourier.cache_clear
        monkeypatch.setitem(sys.modules, "scipy.fft", None)
        again()
        request.addfinalizer(again)
    if np.dtype(kind).kind == "c" and name in REAL:
        kind = "f4"
    x = np.random.default_rng(0).normal(size=(70, 80)).astype(kind)
    for given in (x, x[::-1, ::2].repeat(2, 0), x.T):
        for norm in ("backward", "ortho"):
            wanted = getattr(np.fft, name)(given, norm=norm)
            found, tangent = cv.jvp(lambda x, norm=norm: getattr(cnp.fft, name)(x, norm=norm), (given,), (given,))
            assert found.dtype == wanted.dtype
            tolerance = {2: 1e-2, 4: 1e-5, 8: 1e-13}[wanted.real.dtype.itemsize] * np.abs(wanted).max()
            np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)
            np.testing.assert_allclose(tangent, wanted, rtol=0, atol=tolerance)
