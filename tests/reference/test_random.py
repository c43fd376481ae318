"""covector.random against jax.random: the same keys give the same numbers; derivatives of draws of the gamma family."""

import numpy as np
import pytest

import covector as cv
from covector import random

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.reference

KEY, THEIRS = random.key(42), jax.random.PRNGKey(42)
X = np.arange(12.0).reshape(4, 3)
P = np.array([0.1, 0.2, 0.3, 0.4, 0.0])
LOGITS = np.log(np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))
MEAN, COV = np.array([1.0, 2.0]), np.array([[1.0, 0.5], [0.5, 2.0]])
PLAIN = "uniform normal exponential gumbel laplace logistic cauchy maxwell"
CALLS = [
    ("split",), ("split", 3), ("split", (2, 3)), ("fold_in", 5), ("bits", (3,)), ("bits", (3,), "uint8"),
    *[(name,) for name in PLAIN.split()], *[(name, (2, 50)) for name in PLAIN.split()],
    *[(name, (50,), np.float32) for name in PLAIN.split()],
    ("normal", (5,), np.complex128), ("uniform", (30_000,)), ("uniform", (5,), np.float16),
    ("uniform", (3,), np.float64, -2.0, np.arange(3.0)),
    ("truncated_normal", -1.0, np.array([1.0, 2.0, 3.0])), ("truncated_normal", -1.0, 2.0, (50,)),
    ("rayleigh", np.array([1.0, 2.0])), ("lognormal", 0.5, (5,)), ("pareto", 2.0, (5,)),
    ("weibull_min", 2.0, 1.5, (5,)),
    ("triangular", 0.0, 1.0, 3.0, (5,)), ("bernoulli",), ("bernoulli", 0.3, (20,)), ("rademacher", (20,)),
    ("geometric", 0.2, (20,)), *[("randint", (50,), a, b) for a, b in ((0, 10), (-5, 7), (0, 2**40), (5, 3), (0, 1))],
    ("randint", (50,), 0, 256, "uint8"), ("randint", (50,), -128, 128, "int8"), ("randint", (5,), -(2**63), 2**63 - 1),
    ("randint", (3,), np.array([0, 5, 9]), np.array([1, 9, 100])), ("randint", (50,), 0, 2**31 - 1, "int32"),
    ("permutation", 10), ("permutation", 5000), ("permutation", X), ("permutation", X, 1), ("permutation", X, 1, True),
    ("choice", 5), ("choice", 5, (3,)), ("choice", 5, (3,), False), ("choice", 5, (2, 2), True, P),
    ("choice", 5, (3,), False, P), ("choice", X, (2,)), ("choice", X, (2, 2), True, None, 1),
    ("choice", X, (2,), False, None, 1), ("categorical", LOGITS), ("categorical", LOGITS, 0),
    ("categorical", LOGITS, -1, (5, 2)), ("categorical", LOGITS, 0, (5, 3)), ("categorical", LOGITS, -1, (2, 2), False),
    ("categorical", LOGITS, 0, (2, 3), False),
    *[("multivariate_normal", MEAN, COV, (4,), None, method) for method in ("cholesky", "svd", "eigh")],
    ("multivariate_normal", MEAN, np.stack([COV, 2 * COV])), ("orthogonal", 3), ("orthogonal", 3, (2,), float, 2),
    ("orthogonal", 2, (2,), float, 3), ("orthogonal", 2, (), complex),
]


@pytest.mark.parametrize("call", CALLS, ids=[f"{k}-{call[0]}" for k, call in enumerate(CALLS)])
def test_keys_draw_the_numbers_of_jax(call):
    name, *args = call
    got, want = getattr(random, name)(KEY, *args), np.asarray(getattr(jax.random, name)(THEIRS, *args))
    assert np.shape(got) == want.shape and np.asarray(got).dtype.kind == want.dtype.kind
    tol = 1e-5 if want.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol)


@pytest.mark.parametrize("a", [0.01, 0.3, 1.0, 4.5, 300.0])
def test_draws_of_the_gamma_distribution_have_the_slopes_of_jax(a):
    x, slope = random.gamma(KEY, a, (20,)), cv.jacobian(lambda a: random.gamma(KEY, a, (20,)))(a)
    keep = x > 1e-250
    want = jax.lax.random_gamma_grad(np.full(20, a), x)
    np.testing.assert_allclose(slope[keep], np.asarray(want)[keep], rtol=1e-9)


def test_slopes_of_means_are_those_of_jax():
    """The numbers differ, the means of the derivatives do not."""
    alpha, w = np.array([0.5, 1.0, 2.0]), np.array([1.0, -1.0, 3.0])

    def mean(lib, keys, softly):
        slope = lib.vmap(lib.grad(lambda a, k: (softly(k, a) ** 2 @ w)), (None, 0))(alpha, keys)
        return np.asarray(slope).mean(axis=0), np.asarray(slope).std(axis=0) / np.sqrt(len(keys))

    ours, e = mean(cv, random.split(KEY, 4000), random.dirichlet)
    theirs, d = mean(jax, jax.random.split(THEIRS, 4000), jax.random.dirichlet)
    assert (np.abs(ours - theirs) < 5 * np.hypot(e, d)).all()
