"""Gradients of functions that read one triangle, against PyTorch, JAX and autograd."""

import numpy as np
import pytest

import covector as cv

jax, autograd, autograd_numpy, torch = (
    pytest.importorskip(name, reason="needs the `reference` extra: pip install -e '.[reference]'")
    for name in ("jax", "autograd", "autograd.numpy", "torch")
)
jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.reference

RNG = np.random.default_rng(7)
REAL = RNG.normal(size=(4, 4)) + np.diag([9.0, 7.0, 5.0, 3.0])
MATRICES = {"real": REAL, "complex": REAL + 0.5j * RNG.normal(size=(4, 4)), "stack": np.stack([REAL, REAL.T])}
WEIGHTS = np.linspace(0.5, 2.0, 4)


def of_values(la, weights, a, uplo):
    return (weights * la.eigvalsh(a, uplo) ** 2).sum()


def of_vectors(la, weights, a, uplo):
    w, v = la.eigh(a, uplo)
    return (weights * w + weights**2 * abs(v[..., 1, :]) ** 2).sum()


def of_factor(la, weights, a, uplo):
    return (abs(la.cholesky(a, upper=uplo == "U")) ** 2 * weights).sum()


FUNCTIONS = {"eigvalsh": of_values, "eigh": of_vectors, "cholesky": of_factor}


@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_torch(name, matrix, uplo):
    fun, a = FUNCTIONS[name], MATRICES[matrix]
    value, gradient = cv.value_and_grad(lambda a: fun(np.linalg, WEIGHTS, a, uplo), conjugate=True)(a)
    t = torch.tensor(a, requires_grad=True)
    loss = fun(torch.linalg, torch.tensor(WEIGHTS), t, uplo)
    (want,) = torch.autograd.grad(loss, t)
    np.testing.assert_allclose(value, loss.item(), rtol=1e-10)
    want = want.numpy()
    if name == "cholesky" and matrix == "complex":  # PyTorch's has imaginary parts on the diagonal, which is not read
        want = (want + want.conj().T) / 2
    np.testing.assert_allclose(gradient, want, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("uplo", ["L", "U"])
def test_jax_at_the_matrix_of_that_triangle(uplo):
    """Its values read one triangle (with `symmetrize_input=False`), but its derivatives the mean of both."""
    for a in (REAL, MATRICES["complex"]):
        half = np.tril(a, -1) if uplo == "L" else np.triu(a, 1)
        whole = half + half.conj().T + np.diag(np.diag(a).real)
        found = cv.grad(lambda a: of_values(np.linalg, WEIGHTS, a, uplo))(a)
        want = jax.grad(lambda a: (WEIGHTS * jax.numpy.linalg.eigh(a, uplo, symmetrize_input=False)[0] ** 2).sum())
        np.testing.assert_allclose(found, want(whole), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("uplo", ["L", "U"])
def test_autograd_which_gives_the_slopes_of_the_elements_that_are_read(uplo):
    half = np.tril if uplo == "L" else np.triu
    found = cv.grad(lambda a: of_vectors(np.linalg, WEIGHTS, a, uplo))(REAL)
    want = autograd.grad(lambda a: of_vectors(autograd_numpy.linalg, WEIGHTS, a, uplo))(REAL)
    np.testing.assert_allclose(half(2 * found) - np.diag(np.diag(found)), want, rtol=1e-8, atol=1e-9)
