"""Sparse derivatives against JAX's dense ones."""

import numpy as np
import pytest

import covector
from covector.scipy import sparse as traced

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
pytest.importorskip("scipy.sparse")
pytestmark = pytest.mark.reference
jax.config.update("jax_enable_x64", True)
RNG = np.random.default_rng(0)


def reaction(np):
    def fun(y):
        u, v = y.reshape(2, 5, 5)
        flow = np.roll(u, 1, 0) + np.roll(u, -1, 1) - 2 * u
        return np.concatenate([(u**2 * v + flow).ravel(), np.where(v > 1.0, np.exp(-u), v * u).ravel()])

    return fun


def energy(np):
    return lambda x: np.sum(np.log1p(x[1:] ** 2 * x[:-1] ** 2)) + x[0] * x[-1]


@pytest.mark.parametrize("mode", ["fwd", "rev", "both"])
def test_jacobian_agrees_with_jax(mode):
    y = RNG.uniform(0.5, 1.5, 50)
    found = covector.sparse_jacobian(reaction(np), mode=mode)(y)
    np.testing.assert_allclose(found.toarray(), jax.jacfwd(reaction(jax.numpy))(y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("colouring", ["star", "acyclic"])
def test_hessian_agrees_with_jax(colouring):
    x = RNG.uniform(0.5, 1.5, 30)
    found = covector.sparse_hessian(energy(np), colouring=colouring)(x)
    np.testing.assert_allclose(found.toarray(), jax.hessian(energy(jax.numpy))(x), rtol=1e-10, atol=1e-12)


def test_gradient_of_a_sparse_solution_agrees_with_jax():
    a = np.diag(RNG.uniform(3, 4, 6)) + np.diag(RNG.normal(size=5), 1) + np.diag(RNG.normal(size=4), -2)
    b = RNG.normal(size=6)
    found = covector.grad(lambda a: np.sum(np.sin(traced.linalg.spsolve(a, b))))(traced.csr_array(a))
    want = jax.grad(lambda a: jax.numpy.sum(jax.numpy.sin(jax.numpy.linalg.solve(a, b))))(a)
    np.testing.assert_allclose(found.toarray(), want * (a != 0), rtol=1e-10)
