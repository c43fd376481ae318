"""1000 scalar reads and writes in a loop, with their gradient: on a buffer of covector, and on a tensor of the stateful
layer."""

import numpy as np
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector
import covector.compat.torch as compat

COUNT = 1000
POINT = np.linspace(0.1, 0.9, COUNT)


def cases() -> list[Timed]:
    functional, stateful = covector.grad(_by_elements), _on_tensors(compat)
    theirs = {} if torch is None else {TORCH: _on_tensors(torch)}
    return [
        Timed(name, title, {COVECTOR: run, **theirs}, arrays, (Bound(0.5, TORCH),), per=COUNT)
        for name, title, run in (
            ("indexing", "gradient of 1000 scalar reads and writes, per pair", lambda: functional(POINT)),
            ("compat-indexing", "compat: 1000 scalar reads and writes, backward(), per pair", stateful),
        )
    ]


def _by_elements(x):
    y = np.copy(x)
    for i in range(COUNT):
        y[i] = x[i] * 2.0
    return y.sum()


def _on_tensors(library):
    x = library.tensor(POINT, requires_grad=True)

    def run():
        x.grad = None
        y = x * 1.0
        for i in range(COUNT):
            y[i] = x[i] * 2.0
        y.sum().backward()
        return x.grad

    return run
