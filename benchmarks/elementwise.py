"""A chain of elementwise functions over a million elements: memory traffic and kernels."""

import numpy as np
from case import COVECTOR, NUMPY, TORCH, Bound, Timed, arrays
from libraries import torch

import covector

SIZE = 1_000_000


def cases() -> list[Timed]:
    return [_case(np.float64, 1e-9), _case(np.float32, 1e-4)]


def loss_in(library):
    return lambda x: library.sum(library.tanh(x) * library.exp(-(x**2)) + library.log1p(x**2))


def gradient_by_hand(x):
    square = x * x
    t, e = np.tanh(x), np.exp(-square)
    value = np.sum(t * e + np.log1p(square))
    return value, e * (1 - t * t - 2 * x * t) + 2 * x / (1 + square)


def _case(dtype, tolerance) -> Timed:
    x = np.linspace(-2.0, 2.0, SIZE).astype(dtype)
    ours = covector.value_and_grad(loss_in(np))
    sides = {COVECTOR: lambda: ours(x), NUMPY: lambda: gradient_by_hand(x)}
    if torch is not None:
        leaf, loss = torch.tensor(x, requires_grad=True), loss_in(torch)

        def eager():
            value = loss(leaf)
            return value, torch.autograd.grad(value, leaf)[0]

        sides[TORCH] = eager
    name = np.dtype(dtype).name
    title = f"sum(tanh(x) exp(-x²) + log1p(x²)), 10⁶ elements, {name}: value and gradient"
    bounds = (Bound(1.1, NUMPY), Bound(0.6, TORCH))
    return Timed(f"elementwise-{name}", title, sides, arrays, bounds, tolerance=tolerance)
