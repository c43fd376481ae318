"""Functions of Hermitian matrices that read one triangle: values as NumPy's, gradients along Hermitian matrices."""

import numpy as np
import pytest
import scipy.linalg

import covector as cv
import covector.numpy as cnp

RNG = np.random.default_rng(5)
REAL = RNG.normal(size=(4, 4)) + np.diag([9.0, 7.0, 5.0, 3.0])
COMPLEX = REAL + 0.5j * RNG.normal(size=(4, 4))
STACK = np.stack([REAL, REAL.T, 2.0 * REAL])
MATRICES = {"real": REAL, "complex": COMPLEX, "stack": STACK, "single": REAL.astype("f4"),
            "complex stack": STACK - 0.2j}
WEIGHTS = np.linspace(0.5, 2.0, 4)


def eigenvalues(uplo):
    return lambda la, a: np.sum(WEIGHTS * la.eigvalsh(a, uplo) ** 2)


def eigenvectors(uplo):
    def fun(la, a):
        w, v = la.eigh(a, uplo)
        return np.sum(WEIGHTS * w + WEIGHTS**2 * np.abs(v[..., 1, :]) ** 2)

    return fun


def factor(upper):
    return lambda la, a: np.sum(np.abs(la.cholesky(a, upper=upper)) ** 2 * WEIGHTS) + np.sum(
        la.cholesky(a, upper=upper).real * WEIGHTS[:, None])


# name -> (whether it reads the upper triangle, a real function)
FUNCTIONS = {
    "eigvalsh L": (False, eigenvalues("L")), "eigvalsh U": (True, eigenvalues("U")),
    "eigvalsh u": (True, eigenvalues("u")), "eigh L": (False, eigenvectors("L")), "eigh U": (True, eigenvectors("U")),
    "cholesky": (False, factor(False)), "cholesky upper": (True, factor(True)),
    "svd": (False, lambda la, a: np.sum(WEIGHTS * la.svd(a, compute_uv=False, hermitian=True))),
    "svd vectors": (False, lambda la, a: np.sum(np.abs(la.svd(a, hermitian=True)[0][..., 0, :]) ** 2 * WEIGHTS)),
    "pinv": (False, lambda la, a: np.sum(la.pinv(a, hermitian=True).real * WEIGHTS)),
}


def whole(a, upper):
    """The Hermitian matrices of one triangle."""
    half = np.triu(a, 1) if upper else np.tril(a, -1)
    rows = np.arange(a.shape[-1])
    out = half + np.conj(np.swapaxes(half, -1, -2))
    out[..., rows, rows] = a[..., rows, rows].real
    return out


def hermitian(a):
    return (a + np.conj(np.swapaxes(a, -1, -2))) / 2


def real_dot(a, b):
    return float(np.sum(a.real * b.real) + np.sum(a.imag * b.imag))


def directions(a):
    for _ in range(3):
        d = RNG.normal(size=a.shape) + (1j * RNG.normal(size=a.shape) if a.dtype.kind == "c" else 0.0)
        yield d.astype(a.dtype)


@pytest.mark.parametrize("la", [np.linalg, cnp.linalg], ids=["numpy", "covector.numpy"])
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_value_and_gradient(name, matrix, la):
    upper, fun = FUNCTIONS[name]
    a = MATRICES[matrix]
    single = matrix == "single"
    tolerance = 1e-4 if single else 1e-9
    value, gradient = cv.value_and_grad(lambda a: fun(la, a), conjugate=True)(a)
    np.testing.assert_allclose(value, fun(np.linalg, a), rtol=1e-5 if single else 1e-13)
    assert gradient.dtype == a.dtype
    np.testing.assert_allclose(gradient, hermitian(gradient), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(gradient, cv.grad(lambda a: fun(la, a), conjugate=True)(whole(a, upper)), rtol=tolerance,
                               atol=tolerance)
    for d in directions(a):
        slope = real_dot(gradient, d)
        _, tangent = cv.jvp(lambda a: fun(la, a), (a,), (d,))
        np.testing.assert_allclose(tangent, slope, rtol=tolerance, atol=tolerance)  # any direction, as a Hermitian one
        if not single:
            h = 1e-5 * hermitian(d)
            difference = (fun(np.linalg, a + h) - fun(np.linalg, a - h)) / 2e-5
            np.testing.assert_allclose(slope, difference, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("matrix", ["real", "complex"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_order(name, matrix):
    _, fun = FUNCTIONS[name]
    a = MATRICES[matrix]
    gradient = cv.grad(lambda a: fun(np.linalg, a), conjugate=True)
    u, d = map(hermitian, list(directions(a))[:2])
    _, forward = cv.jvp(gradient, (a,), (d,))
    difference = (gradient(a + 1e-5 * d) - gradient(a - 1e-5 * d)) / 2e-5
    np.testing.assert_allclose(forward, difference, rtol=1e-5, atol=1e-6)
    reverse = cv.grad(lambda a: np.sum((gradient(a) * np.conj(u)).real), conjugate=True)(a)
    np.testing.assert_allclose(real_dot(reverse, d), real_dot(forward, u), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_and_mapped(name):
    _, fun = FUNCTIONS[name]

    def f(a):
        return fun(np.linalg, a)

    wanted = [cv.grad(f)(a) for a in STACK]
    np.testing.assert_allclose(cv.jit(f)(REAL), f(REAL), rtol=1e-12)
    np.testing.assert_allclose(cv.jit(cv.grad(f))(REAL), wanted[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(cv.grad(cv.jit(f))(REAL), wanted[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(cv.vmap(f)(STACK), [f(a) for a in STACK], rtol=1e-12)
    np.testing.assert_allclose(cv.vmap(cv.grad(f))(STACK), wanted, rtol=1e-9, atol=1e-12)


def test_what_is_not_read_may_be_anything():
    a = whole(REAL, False)
    spoilt = np.where(np.tril(np.ones((4, 4))) > 0, a, np.nan)
    for name, (upper, fun) in FUNCTIONS.items():
        given = spoilt.T.copy() if upper else spoilt
        found = cv.grad(lambda a, fun=fun: fun(np.linalg, a))(given)
        np.testing.assert_allclose(found, cv.grad(lambda a, fun=fun: fun(np.linalg, a))(a), rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("lower", [False, True])
def test_scipys_factor_reads_the_triangle_that_it_gives(lower):
    def f(a):
        return np.sum(cv.scipy.linalg.cholesky(a, lower=lower) ** 2 * WEIGHTS)

    np.testing.assert_allclose(f(REAL), np.sum(scipy.linalg.cholesky(REAL, lower=lower) ** 2 * WEIGHTS))
    value, gradient = cv.value_and_grad(f)(REAL)
    np.testing.assert_allclose(value, f(REAL))
    np.testing.assert_allclose(gradient, cv.grad(f)(whole(REAL, not lower)), rtol=1e-9)
    np.testing.assert_allclose(cv.scipy.linalg.cho_factor(REAL, lower)[0], scipy.linalg.cholesky(REAL, lower=lower))


def test_a_matrix_that_is_made_of_one_triangle_has_the_gradient_of_its_elements():
    def f(a):
        return np.sum(WEIGHTS * np.linalg.eigvalsh(np.tril(a) + np.tril(a, -1).T) ** 2)

    found = cv.grad(f)(REAL)
    for place in np.ndindex(4, 4):
        step = np.zeros((4, 4))
        step[place] = 1e-5
        np.testing.assert_allclose(found[place], (f(REAL + step) - f(REAL - step)) / 2e-5, rtol=1e-6, atol=1e-6)


def test_a_triangle_that_is_none():
    with pytest.raises(ValueError, match="eigh takes UPLO 'L' or 'U', but got 'X'"):
        cv.grad(lambda a: np.sum(np.linalg.eigvalsh(a, "X")))(REAL)
