"""A training step of a small convolutional network."""

import numpy as np
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector


def cases() -> list[Timed]:
    x, point = data()
    ours = covector.value_and_grad(lambda p: loss(np, covector.nn.conv, x, *p))
    sides = {COVECTOR: lambda: ours(point)}
    if torch is not None:
        leaves, tensor = tuple(torch.tensor(p, requires_grad=True) for p in point), torch.tensor(x)

        def eager():
            value = loss(torch, torch.nn.functional.conv2d, tensor, *leaves)
            return value, torch.autograd.grad(value, leaves)

        sides[TORCH] = eager
    title = "CNN of two strided 3 x 3 convolutions, batch 16 of 28 x 28, float32: loss and gradients"
    return [Timed("cnn", title, sides, arrays, (Bound(1.3, TORCH),), tolerance=1e-4)]


def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(16, 1, 28, 28)).astype(np.float32)
    shapes = (8, 1, 3, 3), (16, 8, 3, 3), (16 * 7 * 7, 10)
    return x, tuple((0.1 * rng.normal(size=s)).astype(np.float32) for s in shapes)


def loss(library, conv, x, first, second, dense):
    h = library.tanh(conv(x, first, stride=2, padding=1))
    h = library.tanh(conv(h, second, stride=2, padding=1))
    return ((h.reshape(x.shape[0], -1) @ dense) ** 2).mean()
