"""The stateful layer, `covector.compat.torch`, against PyTorch: the same lines on both."""

from types import ModuleType

import numpy
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch
from mlp import LARGE, SMALL, classification, parameters, regression

import covector.compat.torch as compat

ROUNDS, WRITES = 25, 100
TRAINED = (64, 128, 128, 10)


def cases() -> list[Timed]:
    return [_chain(), _writes(), _view_writes(), _large(), _small(), _adam_update(), _adam_step()]


def _sides(make):
    """One call a library, made by `make(torch)`."""
    sides = {COVECTOR: make(compat)}
    if torch is not None:
        sides[TORCH] = make(torch)
    return sides


def _leaf(library: ModuleType, array):
    return library.tensor(array, requires_grad=True)


def _chain() -> Timed:
    def make(library):
        x = _leaf(library, numpy.linspace(0.1, 0.9, 4).astype(numpy.float32))

        def step():
            x.grad = None
            y = x
            for _ in range(ROUNDS):
                y = library.sin(y)
                y = y * x
                y = library.tanh(y)
                y = y + 0.5
            y.sum().backward()
            return x.grad

        return step

    return Timed("compat-chain", "compat: backward() of a chain of 100 operations on 4 elements, per operation",
                 _sides(make), arrays, (Bound(0.7, TORCH),), per=4 * ROUNDS, tolerance=1e-4)


def _writes() -> Timed:
    def make(library):
        x = _leaf(library, numpy.linspace(0.1, 0.9, 4).astype(numpy.float32))
        step = library.tensor(numpy.full(4, 0.01, numpy.float32))

        def run():
            x.grad = None
            y = x * 2.0
            for _ in range(WRITES):
                y.add_(step)
            y.sum().backward()
            return x.grad

        return run

    title = "compat: add_ on a recorded tensor, forward and backward, per write"
    return Timed("compat-add_", title, _sides(make), arrays,
                 (Bound(0.8, TORCH),), per=WRITES, tolerance=1e-5)


def _view_writes() -> Timed:
    def make(library):
        x = _leaf(library, numpy.linspace(0.1, 0.9, 4).astype(numpy.float32))

        def run():
            x.grad = None
            y = x * 2.0
            v = y[1:3]
            for _ in range(WRITES):
                v.add_(0.5)
            y.sum().backward()
            return x.grad

        return run

    return Timed("compat-view-add_", "compat: add_ on a view of a recorded tensor, forward and backward, per write",
                 _sides(make), arrays, (Bound(0.8, TORCH),), per=WRITES, tolerance=1e-5)


def _classifier(library: ModuleType, p, x, labels):
    h = library.relu(library.addmm(p["b1"], x, p["w1"]))
    h = library.relu(library.addmm(p["b2"], h, p["w2"]))
    return library.nn.functional.cross_entropy(library.addmm(p["b3"], h, p["w3"]), labels)


def _regressor(library: ModuleType, p, x, y):
    h = library.tanh(library.addmm(p["b1"], x, p["w1"]))
    h = library.tanh(library.addmm(p["b2"], h, p["w2"]))
    return library.nn.functional.mse_loss(library.addmm(p["b3"], h, p["w3"]), y)


def _steps(loss, sizes, batch):
    def make(library):
        p = {k: _leaf(library, v) for k, v in parameters(sizes, batch[0].dtype).items()}
        x, y = (library.tensor(a) for a in batch)

        def step():
            for t in p.values():
                t.grad = None
            value = loss(library, p, x, y)
            value.backward()
            return value, {k: t.grad for k, t in p.items()}

        return step

    return _sides(make)


def _large() -> Timed:
    sides = _steps(_classifier, LARGE, classification(numpy.float32))
    return Timed("compat-mlp", "compat: MLP 784-256-256-10, batch 128, float32: loss and backward()", sides, arrays,
                 (Bound(0.7, TORCH),), tolerance=1e-3)


def _small() -> Timed:
    sides = _steps(_regressor, SMALL, regression(numpy.float64))
    return Timed("compat-mlp-small", "compat: MLP 4-32-32-1, batch 32, float64: loss and backward()", sides, arrays,
                 (Bound(0.9, TORCH),), tolerance=1e-9)


def _adam_update() -> Timed:
    def make(library):
        p = {k: _leaf(library, v) for k, v in parameters(TRAINED, numpy.float32).items()}
        for t in p.values():
            t.grad = t.detach() * 0.5
        optimizer = library.optim.Adam(list(p.values()), foreach=True)

        def step():
            optimizer.step()
            return p

        return step

    return Timed("compat-adam-update", "compat: the update of Adam, 6 parameters of MLP 64-128-128-10, float32 "
                 "(PyTorch's foreach form)", _sides(make), arrays, (Bound(1.0, TORCH),), tolerance=1e-5)


def _adam_step() -> Timed:
    def make(library):
        p = {k: _leaf(library, v) for k, v in parameters(TRAINED, numpy.float32).items()}
        rng = numpy.random.default_rng(1)
        x = library.tensor(rng.random((64, TRAINED[0])).astype(numpy.float32))
        labels = library.tensor(rng.integers(0, TRAINED[-1], 64))
        optimizer = library.optim.Adam(list(p.values()), foreach=True)

        def step():
            optimizer.zero_grad()
            value = _classifier(library, p, x, labels)
            value.backward()
            optimizer.step()
            return value

        return step

    return Timed("compat-adam-step", "compat: a step of Adam, MLP 64-128-128-10, batch 64, float32",
                 _sides(make), arrays, (Bound(0.8, TORCH),), tolerance=1e-4)
