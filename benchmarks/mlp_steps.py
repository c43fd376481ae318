"""Training steps of perceptrons: loss and gradients, of the batch and of each example."""

import numpy as np
from case import AUTOGRAD, COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import autograd, autograd_numpy, torch
from mlp import (
    LARGE,
    SMALL,
    classification,
    cross_entropy_by_hand,
    cross_entropy_in,
    cross_entropy_of_one_in,
    parameters,
    per_example_by_hand,
    regression,
    squared_error_by_hand,
    squared_error_in,
    torch_cross_entropy,
    torch_cross_entropy_of_one,
    torch_squared_error,
)

import covector


def cases() -> list[Timed]:
    return [
        _large(np.float32, tolerance=2e-5),
        _large(np.float64, tolerance=1e-12),
        _small(),
        _per_example(),
    ]


def _large(dtype, tolerance) -> Timed:
    name = np.dtype(dtype).name
    return _training_step(
        f"mlp-{name}",
        f"MLP 784-256-256-10, batch 128, {name}: loss and gradients",
        (parameters(LARGE, dtype), *classification(dtype)),
        (cross_entropy_in, torch_cross_entropy, cross_entropy_by_hand),
        (Bound(0.6, TORCH), Bound(1.25, NUMPY)),
        tolerance,
    )


def _small() -> Timed:
    return _training_step(
        "mlp-small",
        "MLP 4-32-32-1, batch 32, float64: loss and gradients",
        (parameters(SMALL, np.float64), *regression(np.float64)),
        (squared_error_in, torch_squared_error, squared_error_by_hand),
        (Bound(0.75, TORCH),),
        1e-9,
    )


def _training_step(name, title, data, losses, bounds, tolerance) -> Timed:
    params, x, y = data
    loss_in, torch_loss, by_hand = losses
    step = covector.value_and_grad(loss_in(np))
    sides = {
        COVECTOR: lambda: step(params, x, y),
        NUMPY: lambda: by_hand(params, x, y),
    }
    if torch is not None:
        sides |= _torch_step(torch_loss, params, x, y)
    if autograd is not None:
        theirs = autograd.value_and_grad(loss_in(autograd_numpy))
        sides[AUTOGRAD] = lambda: theirs(params, x, y)
    return Timed(name, title, sides, arrays, bounds, tolerance=tolerance)


def _torch_step(loss, params, x, y):
    leaves = {key: torch.tensor(value, requires_grad=True) for key, value in params.items()}
    constants = {key: torch.tensor(value) for key, value in params.items()}
    x, y = torch.tensor(x), torch.tensor(y)
    transformed = torch.func.grad_and_value(loss)

    def eager():
        value = loss(leaves, x, y)
        gradients = torch.autograd.grad(value, tuple(leaves.values()))
        return value, dict(zip(leaves, gradients, strict=True))

    def functional():
        gradients, value = transformed(constants, x, y)
        return value, gradients

    return {TORCH: eager, TORCH_FUNC: functional}


def _per_example() -> Timed:
    params = parameters(LARGE, np.float32)
    x, labels = classification(np.float32)
    gradients = covector.vmap(covector.grad(cross_entropy_of_one_in(np)), in_axes=(None, 0, 0))
    sides = {
        COVECTOR: lambda: gradients(params, x, labels),
        NUMPY: lambda: per_example_by_hand(params, x, labels),
    }
    if torch is not None:
        constants = {key: torch.tensor(value) for key, value in params.items()}
        tensor, targets = torch.tensor(x), torch.tensor(labels)
        theirs = torch.func.vmap(torch.func.grad(torch_cross_entropy_of_one), (None, 0, 0))
        sides[TORCH_FUNC] = lambda: theirs(constants, tensor, targets)
    return Timed(
        "mlp-per-example",
        "`vmap(grad)` of MLP 784-256-256-10 over 128 examples, float32",
        sides,
        arrays,
        (Bound(0.5, TORCH_FUNC),),
        tolerance=2e-5,
    )
