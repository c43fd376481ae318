"""The whole Hessian of a perceptron with 200 parameters."""

import numpy as np
from case import COVECTOR, TORCH_FUNC, Bound, Timed, arrays
from libraries import torch

import covector


def cases() -> list[Timed]:
    x, p = data()
    ours = covector.hessian(lambda p: loss(np, x, p))
    sides = {COVECTOR: lambda: ours(p)}
    if torch is not None:
        tx, tp = torch.tensor(x), torch.tensor(p)
        theirs = torch.func.hessian(lambda p: loss(torch, tx, p))
        sides[TORCH_FUNC] = lambda: theirs(tp)
    title = "Hessian of MLP 8-20-1, 200 parameters, batch 32"
    return [Timed("mlp-hessian", title, sides, arrays, (Bound(0.5, TORCH_FUNC),))]


def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(32, 8)), 0.3 * rng.normal(size=200)


def loss(library, x, p):
    h = library.tanh(x @ p[:160].reshape(8, 20) + p[160:180])
    return ((h @ p[180:]) ** 2).mean()
