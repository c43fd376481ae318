"""Logistic regression, 10000 x 50: the Hessian, and its product with a vector."""

import numpy as np
from case import COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import torch

import covector

ROWS, COLUMNS = 10000, 50


def loss_in(library, zero=0.0):
    """Return the mean loss of the weights, over rows and labels."""

    def loss(w, x, y):
        z = x @ w
        return (library.logaddexp(zero, z) - y * z).mean()

    return loss


def probabilities(w, x):
    return 1 / (1 + np.exp(-(x @ w)))


def gradient_by_hand(w, x, y):
    return (probabilities(w, x) - y) @ x / ROWS


def hessian_by_hand(w, x, y):
    s = probabilities(w, x)
    return x.T @ ((s * (1 - s) / ROWS)[:, None] * x)


def product_by_hand(w, v, x, y):
    s = probabilities(w, x)
    return (s * (1 - s) / ROWS * (x @ v)) @ x


def data():
    """Return the weights, a direction, the rows and their labels."""
    rng = np.random.default_rng(0)
    x, v, w = rng.normal(size=(ROWS, COLUMNS)), rng.normal(size=COLUMNS), 0.1 * rng.normal(size=COLUMNS)
    return w, v, x, (rng.random(ROWS) < 0.5).astype(np.float64)


def cases() -> list[Timed]:
    w, v, x, y = data()

    def loss(w):
        return loss_in(np)(w, x, y)

    ours = covector.hessian(loss)
    whole = {COVECTOR: lambda: ours(w), NUMPY: lambda: hessian_by_hand(w, x, y)}
    product = {COVECTOR: lambda: covector.hvp(loss, (w,), (v,))[0], NUMPY: lambda: product_by_hand(w, v, x, y)}
    if torch is not None:
        tx, ty, tw, tv = (torch.tensor(a) for a in (x, y, w, v))
        zero = torch.zeros((), dtype=torch.float64)

        def theirs(w):
            return loss_in(torch, zero)(w, tx, ty)

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
