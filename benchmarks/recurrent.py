"""An LSTM over 50 steps: many small matrix products and elementwise gates."""

import numpy as np
from case import COVECTOR, NUMPY, TORCH, Bound, Timed, arrays
from libraries import torch

import covector

STEPS, BATCH, INPUT, HIDDEN = 50, 16, 32, 128


def unrolled(cell, state, xs):
    for x in xs:
        state = cell(state, x)
    return state


def loss_in(library, sigmoid, loop=unrolled):
    """Return the loss of the weights, the inputs and the initial state."""

    def loss(weights, x, zero):
        w, u, b = weights

        def cell(state, x):
            h, c = state
            z = x @ w + h @ u + b
            i, f = sigmoid(z[:, :HIDDEN]), sigmoid(z[:, HIDDEN : 2 * HIDDEN])
            g, o = library.tanh(z[:, 2 * HIDDEN : 3 * HIDDEN]), sigmoid(z[:, 3 * HIDDEN :])
            c = f * c + i * g
            return o * library.tanh(c), c

        h, _ = loop(cell, (zero, zero), x)
        return (h * h).sum()

    return loss


def loss_by_hand(weights, x, zero):
    """Return loss and gradients; the products that no step waits for are taken over all steps at once."""
    w, u, b = weights
    flat = x.reshape(-1, INPUT)
    z = (flat @ w + b).reshape(STEPS, BATCH, 4, HIDDEN)
    h, c, hidden, saved = zero, zero, np.empty((STEPS, BATCH, HIDDEN)), []
    for t in range(STEPS):
        hidden[t] = h
        gates = z[t] + (h @ u).reshape(BATCH, 4, HIDDEN)
        s = 1 / (1 + np.exp(-gates))
        i, f, o, g = s[:, 0], s[:, 1], s[:, 3], np.tanh(gates[:, 2])
        saved.append((i, f, g, o, c))
        c = f * c + i * g
        saved[-1] += (tanh := np.tanh(c),)
        h = o * tanh
    value, dh, dc = (h * h).sum(), 2 * h, 0.0
    for t in reversed(range(STEPS)):
        i, f, g, o, before, tanh = saved[t]
        dc = dc + dh * o * (1 - tanh * tanh)
        dz = z[t]
        dz[:, 0], dz[:, 1] = dc * g * i * (1 - i), dc * before * f * (1 - f)
        dz[:, 2], dz[:, 3] = dc * i * (1 - g * g), dh * tanh * o * (1 - o)
        dh, dc = dz.reshape(BATCH, -1) @ u.T, dc * f
    dz = z.reshape(-1, 4 * HIDDEN)
    return value, (flat.T @ dz, hidden.reshape(-1, HIDDEN).T @ dz, dz.sum(axis=0))


def data():
    """Return the weights, the inputs and the initial state."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(STEPS, BATCH, INPUT))
    shapes = (INPUT, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (4 * HIDDEN,)
    return tuple(0.1 * rng.normal(size=s) for s in shapes), x, np.zeros((BATCH, HIDDEN))


def cases() -> list[Timed]:
    given = weights, x, zero = data()
    ours = covector.value_and_grad(loss_in(np, covector.nn.sigmoid))
    sides = {COVECTOR: lambda: ours(*given), NUMPY: lambda: loss_by_hand(*given)}
    if torch is not None:
        leaves = tuple(torch.tensor(a, requires_grad=True) for a in weights)
        tensor, nothing, loss = torch.tensor(x), torch.tensor(zero), loss_in(torch, torch.sigmoid)

        def eager():
            value = loss(leaves, tensor, nothing)
            return value, torch.autograd.grad(value, leaves)

        sides[TORCH] = eager
    title = "LSTM, 50 steps, hidden 128, batch 16, float64: loss and gradients"
    return [Timed("lstm", title, sides, arrays, (Bound(0.8, TORCH),))]
