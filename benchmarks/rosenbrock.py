"""Rosenbrock's function in 10 variables: slicing, powers, and a Hessian."""

from types import ModuleType

import numpy as np
from case import AUTOGRAD, COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import autograd, autograd_numpy, torch

import covector


def rosenbrock_in(np: ModuleType):
    """Return the function in one library's namespace."""
    return lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def gradient_by_hand(x):
    residual = x[1:] - x[:-1] ** 2
    gradient = np.zeros_like(x)
    gradient[1:] = 200.0 * residual
    gradient[:-1] -= 400.0 * residual * x[:-1] + 2.0 * (1.0 - x[:-1])
    return gradient


def hessian_by_hand(x):
    hessian = np.diag(-400.0 * x[:-1], 1) + np.diag(-400.0 * x[:-1], -1)
    diagonal = np.zeros_like(x)
    diagonal[1:] = 200.0
    diagonal[:-1] += 1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0
    return hessian + np.diag(diagonal)


def cases() -> list[Timed]:
    x = np.linspace(-1.2, 1.4, 10)
    return [_gradient(x), _hessian(x)]


def _gradient(x) -> Timed:
    gradient = covector.grad(rosenbrock_in(np))
    sides = {COVECTOR: lambda: gradient(x), NUMPY: lambda: gradient_by_hand(x)}
    if torch is not None:
        leaf, constant = torch.tensor(x, requires_grad=True), torch.tensor(x)
        theirs = rosenbrock_in(torch)
        functional = torch.func.grad(theirs)
        sides[TORCH] = lambda: torch.autograd.grad(theirs(leaf), leaf)[0]
        sides[TORCH_FUNC] = lambda: functional(constant)
    if autograd is not None:
        traced = autograd.grad(rosenbrock_in(autograd_numpy))
        sides[AUTOGRAD] = lambda: traced(x)
    return Timed(
        "rosenbrock-gradient",
        "Rosenbrock n = 10, gradient",
        sides,
        arrays,
        (Bound(0.5, TORCH),),
    )


def _hessian(x) -> Timed:
    hessian = covector.hessian(rosenbrock_in(np))
    sides = {COVECTOR: lambda: hessian(x), NUMPY: lambda: hessian_by_hand(x)}
    if torch is not None:
        tensor = torch.tensor(x)
        theirs = rosenbrock_in(torch)
        functional = torch.func.hessian(theirs)
        sides[TORCH] = lambda: torch.autograd.functional.hessian(theirs, tensor)
        sides[TORCH_FUNC] = lambda: functional(tensor)
    if autograd is not None:
        traced = autograd.hessian(rosenbrock_in(autograd_numpy))
        sides[AUTOGRAD] = lambda: traced(x)
    return Timed(
        "rosenbrock-hessian",
        "Rosenbrock n = 10, Hessian (PyTorch: autograd.functional.hessian)",
        sides,
        arrays,
        (Bound(0.5, TORCH),),
    )
