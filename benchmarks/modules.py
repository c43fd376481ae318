"""Modules and optimizers of the stateful layer against PyTorch's: steps of small networks."""

from types import ModuleType

import numpy
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector.compat.torch as compat


def seeded(library: ModuleType, module):
    """A module with weights from NumPy's generator."""
    rng = numpy.random.default_rng(0)
    with library.no_grad():
        for p in module.parameters():
            p.copy_(library.from_numpy(rng.normal(size=tuple(p.shape)).astype(numpy.float32) * 0.1))
    return module


def _data(library, *shapes):
    rng = numpy.random.default_rng(1)
    return [library.from_numpy(rng.normal(size=s).astype(numpy.float32)) for s in shapes]


def _perceptron(library):
    nn = library.nn
    model = seeded(library, nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(),
                                          nn.Linear(128, 10)))
    (x,) = _data(library, (32, 64))
    labels = library.from_numpy(numpy.random.default_rng(2).integers(0, 10, 32))
    return model, lambda: nn.functional.cross_entropy(model(x), labels)


def _lstm(library):
    model = seeded(library, library.nn.LSTM(8, 32, batch_first=True))
    (x,) = _data(library, (8, 20, 8))
    return model, lambda: model(x)[0].square().mean()


def _cells(library):
    model = seeded(library, library.nn.LSTMCell(8, 32))
    x, h, c = _data(library, (20, 8, 8), (8, 32), (8, 32))

    def loss():
        state = h, c
        for row in x:
            state = model(row, state)
        return state[0].square().mean()

    return model, loss


def _attention(library):
    model = seeded(library, library.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True))
    (x,) = _data(library, (8, 16, 32))
    return model, lambda: model(x).square().mean()


def _convolutional(library):
    nn = library.nn
    model = seeded(library, nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(784, 10)))
    (x,) = _data(library, (8, 1, 14, 14))
    return model, lambda: model(x).square().mean()


def _embedding(library):
    nn = library.nn
    model = seeded(library, nn.Sequential(nn.Embedding(1000, 32), nn.Linear(32, 100)))
    rng = numpy.random.default_rng(3)
    tokens, labels = (library.from_numpy(rng.integers(0, n, 256)) for n in (1000, 100))
    return model, lambda: nn.functional.cross_entropy(model(tokens), labels)


def _step(make):
    def side(library):
        model, loss = make(library)

        def step():
            model.zero_grad()
            value = loss()
            value.backward()
            return [value.detach(), *[p.grad for p in model.parameters()]]

        return step

    return side


def _quietly(make):
    def side(library):
        model, loss = make(library)

        def step():
            with library.no_grad():
                return loss()

        return step

    return side


def _adam(make, alone):
    def side(library):
        model, loss = make(library)
        optimizer = library.optim.Adam(model.parameters(), lr=1e-9)
        loss().backward()

        def step():
            if not alone:
                optimizer.zero_grad()
                loss().backward()
            optimizer.step()

        return step

    return side


ROWS = {
    "mlp": ("MLP 64-128-128-10, batch 32: loss and backward()", _step(_perceptron), 1.0),
    "mlp-no-grad": ("MLP 64-128-128-10, batch 32, in no_grad", _quietly(_perceptron), 1.0),
    "mlp-adam": ("MLP 64-128-128-10, batch 32: a step of Adam", _adam(_perceptron, False), 0.8),
    "adam": ("the update of Adam alone, six parameters", _adam(_perceptron, True), 1.0),
    "lstm": ("nn.LSTM, 20 steps, batch 8, width 32: loss and backward()", _step(_lstm), 0.9),
    "cells": ("nn.LSTMCell in a loop of 20: loss and backward()", _step(_cells), 0.9),
    "attention": ("nn.TransformerEncoderLayer, 8 x 16 x 32: loss and backward()", _step(_attention), 1.0),
    "attention-no-grad": ("nn.TransformerEncoderLayer in no_grad", _quietly(_attention), 1.0),
    "cnn": ("two convolutions, batch_norm, pooling, batch 8: loss and backward()", _step(_convolutional), 1.2),
    "embedding": ("embedding and cross-entropy, 256 tokens: loss and backward()", _step(_embedding), 1.0),
}


def cases() -> list[Timed]:
    """A row for each."""
    found = []
    for name, (title, make, limit) in ROWS.items():
        sides = {COVECTOR: make(compat)}
        if torch is not None:
            sides[TORCH] = make(torch)
        found.append(Timed(f"modules-{name}", title, sides, lambda r: arrays([] if r is None else r),
                           (Bound(limit, TORCH),), tolerance=1e-3))
    return found
