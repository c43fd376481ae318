"""Logistic regression, 10000 x 50: the Hessian, and its product with a vector."""

import numpy as np
from case import COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import torch

import covector

ROWS, COLUMNS = 10000, 50


def cases() -> list[Timed]:
    rng = np.random.default_rng(0)
    x, v, w = rng.normal(size=(ROWS, COLUMNS)), rng.normal(size=COLUMNS), 0.1 * rng.normal(size=COLUMNS)
    y = (rng.random(ROWS) < 0.5).astype(np.float64)

    def loss(w):
        z = x @ w
        return np.mean(np.logaddexp(0.0, z) - y * z)

    ours = covector.hessian(loss)
    def curvature():
        s = 1 / (1 + np.exp(-(x @ w)))
        return s * (1 - s) / ROWS

    whole = {COVECTOR: lambda: ours(w), NUMPY: lambda: x.T @ (curvature()[:, None] * x)}
    product = {COVECTOR: lambda: covector.hvp(loss, (w,), (v,))[0], NUMPY: lambda: (curvature() * (x @ v)) @ x}
    if torch is not None:
        tx, ty, tw, tv = (torch.tensor(a) for a in (x, y, w, v))
        zero = torch.zeros((), dtype=torch.float64)

        def theirs(w):
            z = tx @ w
            return (torch.logaddexp(zero, z) - ty * z).mean()

        whole[TORCH] = lambda: torch.autograd.functional.hessian(theirs, tw)
        product[TORCH] = lambda: torch.autograd.functional.hvp(theirs, tw, tv)[1]
        whole[TORCH_FUNC] = lambda: torch.func.hessian(theirs)(tw)
        product[TORCH_FUNC] = lambda: torch.func.jvp(torch.func.grad(theirs), (tw,), (tv,))[1]
    size = f"logistic regression {ROWS} x {COLUMNS}"
    note = "PyTorch, to which the bound refers, is torch.autograd.functional"
    return [
        Timed("logistic-hessian", f"Hessian of {size}", whole, arrays, (Bound(0.1, TORCH),), note=note),
        Timed("logistic-hvp", f"Hessian-vector product of {size}", product, arrays, (Bound(0.8, TORCH),), note=note),
    ]
