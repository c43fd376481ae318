"""The log-likelihood of a Gaussian mixture and its gradient, as in the ADBench suite."""

import numpy as np
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector

DIMENSION, COMPONENTS, POINTS = 10, 25, 1000


def cases() -> list[Timed]:
    point, constants = data()
    ours = covector.value_and_grad(lambda p: likelihood(np, covector.nn.logsumexp, *constants, *p))
    sides = {COVECTOR: lambda: ours(point)}
    if torch is not None:
        leaves = tuple(torch.tensor(p, requires_grad=True) for p in point)
        tensors = [torch.tensor(a) for a in constants]

        def eager():
            value = likelihood(torch, torch.logsumexp, *tensors, *leaves)
            return value, torch.autograd.grad(value, leaves)

        sides[TORCH] = eager
    title = f"Gaussian mixture, d {DIMENSION}, K {COMPONENTS}, n {POINTS}: log-likelihood and gradient"
    return [Timed("mixture", title, sides, arrays, (Bound(0.6, TORCH),))]


def data():
    """Return the parameters, and the points with two constant matrices."""
    rng = np.random.default_rng(0)
    d, k = DIMENSION, COMPONENTS
    x = rng.normal(size=(POINTS, d))
    point = rng.normal(size=k), rng.normal(size=(k, d)), 0.1 * rng.normal(size=(k, d)), 0.1 * rng.normal(size=(k, d, d))
    return point, (x, np.tril(np.ones((d, d)), -1), np.eye(d))


def likelihood(library, logsumexp, x, lower, identity, weights, means, scales, factors):
    """`factors` below the diagonal and `exp(scales)` on it are the inverse square roots of the covariances."""
    roots = factors * lower + library.exp(scales)[:, :, None] * identity
    centred = x[:, None, :] - means
    whitened = library.einsum("kij,nkj->nki", roots, centred)
    inner = weights + scales.sum(1) - 0.5 * (whitened**2).sum(2)
    return logsumexp(inner, 1).sum() - x.shape[0] * logsumexp(weights, 0)
