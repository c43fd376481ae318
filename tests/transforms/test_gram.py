"""Hessians XᵀDX of functions of X @ w: with a factor of one sign they are products of a matrix with its transpose."""

import numpy as np
import pytest

import covector as cv

RNG = np.random.default_rng(3)
X = RNG.normal(size=(2000, 30))
W = 0.1 * RNG.normal(size=30)

LOSSES = {  # of z = x @ w, and their second derivatives
    "convex": (lambda z: np.sum(np.logaddexp(0.0, z)), lambda z: np.exp(-z) / (1 + np.exp(-z)) ** 2),
    "concave": (lambda z: np.sum(np.log(np.cos(0.1 * z))), lambda z: -0.01 / np.cos(0.1 * z) ** 2),
    "neither": (lambda z: np.sum(np.sin(z)), lambda z: -np.sin(z)),
    "flat in places": (lambda z: np.sum(np.where(z > 0, z**2, 0.0)), lambda z: 2.0 * (z > 0)),
    "infinite": (lambda z: np.sum(np.exp(z + np.where(np.arange(2000) == 7, 800.0, 0.0))), None),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", LOSSES)
def test_hessians_of_linear_models(name, turned):
    loss, second = LOSSES[name]
    hessian = cv.hessian((lambda w: loss(w @ np.ascontiguousarray(X.T))) if turned else lambda w: loss(X @ w))(W)
    if second is None:
        assert not np.isfinite(hessian).any()
        return
    want = X.T @ (second(X @ W)[:, None] * X)
    np.testing.assert_allclose(hessian, want, rtol=1e-12, atol=1e-12 * np.abs(want).max())
    if name in ("convex", "concave"):
        assert np.array_equal(hessian, hessian.T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes_and_chunks(dtype):
    x, w = X.astype(dtype), W.astype(dtype)
    want = X.T @ (LOSSES["convex"][1](X @ W)[:, None] * X)
    for chunk in (None, 5, 1):
        found = cv.jacobian(cv.grad(lambda w: np.sum(np.logaddexp(0.0, x @ w))), mode="rev", chunk_size=chunk)(w)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, want, rtol=0, atol=(1e-4 if dtype is np.float32 else 1e-12) * want.max())
