"""Complex numbers in native code, as their real and imaginary parts."""

import numpy as np
import pytest

import covector as cv
from covector.core.arrays.small_ufuncs import loop_of
from covector.extend import REGISTRY

pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")
COMPILED = loop_of(np.sin, "d->d") is not None  # where nothing tells where loops lie, NumPy calls them
PARTS = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e200, 3e-200]
VALUES = np.array([complex(a, b) for a in PARTS for b in PARTS])


def looped(compiled, *args):
    """Tell whether no loop runs in Python."""
    return not any(how == "loop" for how, _ in compiled.explain(*args).parts)


def repeated(fun, length=60):
    return lambda x: cv.scan(lambda c, _: (fun(c), None), x, None, length=length)[0]


RNG = np.random.default_rng(0)
Z = RNG.normal(size=6) + 1j * RNG.normal(size=6)
M = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))


def gates(x):
    """A circuit of one-qubit rotations."""
    def gate(state, angle):
        u = np.cos(angle) * np.eye(2) + 1j * np.sin(angle) * np.array([[0, 1], [1, 0]])
        return np.reshape(u @ np.reshape(state, (2, 8)), (16,)), None

    return np.abs(cv.scan(gate, np.eye(16)[0] + 0j, x)[0][:4]) ** 2


PROGRAMS = {
    "circuit": (gates, RNG.normal(size=16)),
    "mandelbrot": (lambda x: np.abs(repeated(lambda c: np.where(np.abs(c) < 2, c * c + (x + 0.3j), c))(0j * x)),
                   Z.real),
    "phases": (lambda x: np.abs(cv.scan(lambda c, v: (c * np.exp(1j * v) + v * 0.1, c), x[0] + 0j, x)[1]) ** 2, Z.real),
    "given": (repeated(lambda c: c * (0.9 + 0.1j) + 0.01), Z),
    "single": (repeated(lambda c: c * np.complex64(0.9 + 0.1j) + np.float32(0.01)), Z.astype(np.complex64)),
    "quotients": (repeated(lambda c: (c + 1.0) / (c * c + 2.0)), Z),
    "products": (repeated(lambda c: (c @ M) * 0.3), M),
    "collected": (lambda z: cv.scan(lambda c, v: (c * 0.5 + v, c.conj() * 2), z[0], z)[1], Z),
    "branches": (lambda z: cv.scan(lambda c, v: (
        cv.cond(v.real > 0, lambda c: c * 1j, lambda c: c + v, c), c), z[0], z)[1],
                 Z),
    "parts": (repeated(lambda c: c[::-1] * 0.5 + cv.numpy.concatenate([c[1:], c[:1]]).imag), Z),
    "exponentials": (repeated(lambda c: np.exp(c * 1j) * 0.5), Z),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_of_complex_numbers(name):
    fun, x = PROGRAMS[name]
    compiled, expected = cv.jit(fun), fun(x)
    found = compiled(x)
    assert found.dtype == expected.dtype and looped(compiled, x)
    np.testing.assert_allclose(found, expected, 1e-12 if x.dtype != np.complex64 else 1e-5)

    def total(x):
        y = fun(x)
        return np.sum(y.real * y.real + y.imag * y.imag * 0.5)

    slope = cv.jit(cv.grad(total))
    np.testing.assert_allclose(slope(x), cv.grad(total)(x), 1e-10 if x.dtype != np.complex64 else 1e-3)


def test_a_loop_that_ends_by_a_test():
    def turns(x):
        return cv.while_loop(lambda c: np.sum(np.abs(c[0]) ** 2) < 1e6, lambda c: (c[0] * (1 + 0.1j), c[1] + 1),
                             (x + 0j, 0))[1]

    compiled = cv.jit(turns)
    assert compiled(Z.real) == turns(Z.real) > 1000 and looped(compiled, Z.real)


@pytest.mark.reference
@pytest.mark.parametrize("name", ["circuit", "phases"])
def test_circuits_are_those_of_jax(name):
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    fun, x = PROGRAMS[name]

    def circuit(x):
        def gate(state, angle):
            u = jnp.cos(angle) * np.eye(2) + 1j * jnp.sin(angle) * np.array([[0, 1], [1, 0]])
            return jnp.reshape(u @ jnp.reshape(state, (2, 8)), (16,)), None

        return jnp.abs(jax.lax.scan(gate, jnp.array(np.eye(16)[0] + 0j), x)[0][:4]) ** 2

    def phases(x):
        return jnp.abs(jax.lax.scan(lambda c, v: (c * jnp.exp(1j * v) + v * 0.1, c), x[0] + 0j, x)[1]) ** 2

    with jax.experimental.enable_x64():
        other = {"circuit": circuit, "phases": phases}[name]
        np.testing.assert_allclose(cv.jit(fun)(x), other(x), 1e-12)
        slope = jax.grad(lambda x: jnp.sum(other(x) ** 2))(x)
    np.testing.assert_allclose(cv.jit(cv.grad(lambda x: np.sum(fun(x) ** 2)))(x), slope, 1e-10)


OPERATIONS = {
    "multiply": lambda a, b: a * b, "divide": lambda a, b: a / b, "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b, "by a real": lambda a, b: a * b.real, "over a real": lambda a, b: a / b.real,
    "of a real": lambda a, b: a.real / b, "conjugate": lambda a, b: a.conj(), "negative": lambda a, b: -a,
    "equal": lambda a, b: np.where(a == b, a, b), "absolute": lambda a, b: np.abs(a) + 0j,
    "cut": lambda a, b: REGISTRY["strong_zero"].fun(a, b), "cut of a real": lambda a, b: (
        REGISTRY["strong_zero"].fun(a, b.real) + 0j),
    "exp": lambda a, b: np.exp(a),
}


def coded(x):
    """Finite numbers for all: outputs that are not finite would be NumPy's."""
    codes = np.where(np.isnan(x), 7.125, np.where(x > 0, 8.25, 9.5))
    return np.where(np.isfinite(x), x, codes)


@pytest.mark.parametrize("name", OPERATIONS)
def test_infinities_and_nan_are_those_of_numpy(name):
    """Of single numbers: of arrays NumPy may round a product and a sum once, and has an infinity for a NaN by that."""
    fun = OPERATIONS[name]
    a, b = map(np.ravel, np.meshgrid(VALUES, VALUES))

    def rows(a, b):
        found = cv.scan(lambda c, v: (c + 1.0, fun(v[0], v[1])), 0.0, cv.numpy.stack([a, b], axis=1))[1]
        return coded(found.real), coded(found.imag)

    compiled = cv.jit(rows)
    with np.errstate(all="ignore"):
        re, im = compiled(a, b)
        expected = np.array([fun(x, y) for x, y in zip(a, b)])
    assert looped(compiled, a, b)
    np.testing.assert_allclose(re, coded(expected.real), 1e-14)
    np.testing.assert_allclose(im, coded(expected.imag), 1e-14)
    if name != "exp":
        np.testing.assert_array_equal(np.signbit(re), np.signbit(coded(expected.real)))
        np.testing.assert_array_equal(np.signbit(im), np.signbit(coded(expected.imag)))


def test_what_has_no_formula_stays_numpys():
    """A loop with one such operation, with its warning; and what numbers NumPy computes where one is not finite."""
    def fun(z):
        return cv.scan(lambda c, _: (np.arccosh(c) + c, None), z, None, length=50)[0]

    np.testing.assert_allclose(cv.jit(fun)(Z), fun(Z), 1e-12)
    grown = repeated(lambda c: c * c, 12)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(cv.jit(grown)(Z * 3), grown(Z * 3), 1e-10)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("shape, axis", [((8,), 0), ((5,), 0), ((3, 6, 2), 1), ((4, 7), 0), ((1, 2), 0)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fourier_transforms_are_numpys_own_inside_of_native_programs(shape, axis, norm, dtype):
    x = np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)

    def filtered(x):
        spectrum = np.fft.rfft(x, axis=axis, norm=norm) * (1.0 + 0.5j)
        return np.fft.irfft(spectrum, n=shape[axis], axis=axis, norm=norm) * x

    def turned(x):
        both = np.fft.ifft(np.fft.fft(x, axis=axis, norm=norm) * np.exp(1j * x), axis=axis, norm=norm)
        return both.real + np.fft.fftn(x, norm=norm).imag

    slopes = [cv.grad(lambda x, fun=fun: np.sum(fun(x) ** 2)) for fun in (filtered, turned)]
    for fun in (filtered, turned, *slopes):
        compiled = cv.jit(fun)
        expected, found = fun(x), compiled(x)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=2e-4 if dtype == np.float32 else 1e-10,
                                   atol=(1e-3 if dtype == np.float32 else 1e-10) * np.abs(expected).max())
        if COMPILED:
            assert "NumPy" not in str(compiled.explain(x))


def test_spectral_steps_are_one_native_loop():
    k = np.fft.rfftfreq(32, 1 / 32)

    def steps(u):
        def step(u, _):
            return np.fft.irfft(np.fft.rfft(u) * np.exp(-1e-3 * k * k), 32) - 0.01 * u**3, None

        return cv.scan(step, u, None, length=10)[0]

    u = np.random.default_rng(0).normal(size=32)
    compiled, slope = cv.jit(steps), cv.jit(cv.grad(lambda u: np.sum(steps(u) ** 2)))
    np.testing.assert_allclose(compiled(u), steps(u), 1e-12)
    np.testing.assert_allclose(slope(u), cv.grad(lambda u: np.sum(steps(u) ** 2))(u), 1e-10)
    assert not COMPILED or looped(compiled, u) and looped(slope, u)
