"""The fixed cost of one `grad` call: a function of three operations on 4 elements."""

import numpy as np
from case import AUTOGRAD, COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import autograd, autograd_numpy, torch

import covector


def three_operations(x):
    return np.sum(np.sin(x) * x)


def cases() -> list[Timed]:
    x = np.linspace(0.1, 0.9, 4)
    gradient = covector.grad(three_operations)
    sides = {COVECTOR: lambda: gradient(x), NUMPY: lambda: np.cos(x) * x + np.sin(x)}
    if torch is not None:
        leaf, constant = torch.tensor(x, requires_grad=True), torch.tensor(x)

        def theirs(x):
            return torch.sum(torch.sin(x) * x)

        functional = torch.func.grad(theirs)
        sides[TORCH] = lambda: torch.autograd.grad(theirs(leaf), leaf)[0]
        sides[TORCH_FUNC] = lambda: functional(constant)
    if autograd is not None:
        anp = autograd_numpy
        traced = autograd.grad(lambda x: anp.sum(anp.sin(x) * x))
        sides[AUTOGRAD] = lambda: traced(x)
    return [
        Timed(
            "fixed-cost",
            "`grad` of a function of 3 operations on 4 elements",
            sides,
            arrays,
            (Bound(15.0),),
        )
    ]
