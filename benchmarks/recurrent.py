"""An LSTM over 50 steps: many small matrix products and elementwise gates."""

import numpy as np
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector

STEPS, BATCH, INPUT, HIDDEN = 50, 16, 32, 128


def cases() -> list[Timed]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(STEPS, BATCH, INPUT))
    w, u, b = (0.1 * rng.normal(size=s) for s in ((INPUT, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (4 * HIDDEN,)))
    ours = covector.value_and_grad(lambda p: _loss(np, covector.nn.sigmoid, np.zeros((BATCH, HIDDEN)), x, *p))
    sides = {COVECTOR: lambda: ours((w, u, b))}
    if torch is not None:
        leaves = tuple(torch.tensor(a, requires_grad=True) for a in (w, u, b))
        tensor, zero = torch.tensor(x), torch.zeros((BATCH, HIDDEN), dtype=torch.float64)

        def eager():
            value = _loss(torch, torch.sigmoid, zero, tensor, *leaves)
            return value, torch.autograd.grad(value, leaves)

        sides[TORCH] = eager
    title = "LSTM, 50 steps, hidden 128, batch 16, float64: loss and gradients"
    return [Timed("lstm", title, sides, arrays, (Bound(0.8, TORCH),))]


def _loss(library, sigmoid, zero, x, w, u, b):
    h = c = zero
    for t in range(STEPS):
        z = x[t] @ w + h @ u + b
        i, f = sigmoid(z[:, :HIDDEN]), sigmoid(z[:, HIDDEN : 2 * HIDDEN])
        g, o = library.tanh(z[:, 2 * HIDDEN : 3 * HIDDEN]), sigmoid(z[:, 3 * HIDDEN :])
        c = f * c + i * g
        h = o * library.tanh(c)
    return (h * h).sum()
