"""Gradients through a 10 x 10 solve and a 10 x 10 Cholesky factor."""

import numpy as np
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector


def cases() -> list[Timed]:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(10, 10)), rng.normal(size=10)
    a = a @ a.T + 10 * np.eye(10)
    return [
        _case("solve", lambda library, a, b: (library.linalg.solve(a, b) ** 2).sum(), (a, b)),
        _case("cholesky", lambda library, a: (library.linalg.cholesky(a @ a.T) ** 3).sum(), (a,)),
    ]


def _case(name, loss, point) -> Timed:
    ours = covector.grad(lambda p: loss(np, *p))
    sides = {COVECTOR: lambda: ours(point)}
    if torch is not None:
        leaves = tuple(torch.tensor(p, requires_grad=True) for p in point)
        sides[TORCH] = lambda: torch.autograd.grad(loss(torch, *leaves), leaves)
    return Timed(f"{name}-gradient", f"gradient through {name}, 10 x 10", sides, arrays, (Bound(0.7, TORCH),))
