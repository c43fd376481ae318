"""A chain of 100 small operations: the cost of recording and sweeping, per operation."""

from types import ModuleType

import numpy
from case import AUTOGRAD, COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import autograd, autograd_numpy, torch

import covector
import covector.numpy

ROUNDS, OPERATIONS = 25, 100


def chain_in(np: ModuleType):
    """Return the chain in one library's namespace; half functions, half operators."""

    def chain(x):
        y = x
        for _ in range(ROUNDS):
            y = np.sin(y)
            y = y * x
            y = np.tanh(y)
            y = y + 0.5
        return y.sum()

    return chain


def gradient_by_hand(x):
    """Write the same forward and backward loops in bare NumPy; saves what the rules need."""
    y, saved = x, []
    for _ in range(ROUNDS):
        s = numpy.sin(y)
        t = numpy.tanh(s * x)
        saved.append((y, s, t))
        y = t + 0.5
    value, ct, gradient = y.sum(), numpy.ones_like(x), 0.0
    for y, s, t in reversed(saved):
        ct = ct * (1.0 - t * t)
        gradient = gradient + ct * s
        ct = ct * x * numpy.cos(y)
    return value, gradient + ct


def tangent_by_hand(x, dx):
    """Push one tangent through the chain in bare NumPy."""
    y, dy = x, dx
    for _ in range(ROUNDS):
        dy = dy * numpy.cos(y)
        y = numpy.sin(y)
        dy = dy * x + y * dx
        y = numpy.tanh(y * x)
        dy = dy * (1.0 - y * y)
        y = y + 0.5
    return y.sum(), dy.sum()


def cases() -> list[Timed]:
    x = numpy.linspace(0.1, 0.9, 4)
    return [_gradient(x), _gradient_own_namespace(x), _jvp(x), _vmap(x)]


def _gradient(x) -> Timed:
    step = covector.value_and_grad(chain_in(numpy))
    sides = {COVECTOR: lambda: step(x), NUMPY: lambda: gradient_by_hand(x)}
    sides |= _torch_gradient(x)
    if autograd is not None:
        theirs = autograd.value_and_grad(chain_in(autograd_numpy))
        sides[AUTOGRAD] = lambda: theirs(x)
    return Timed(
        "chain",
        "gradient of a chain of 100 operations on 4 elements, per operation",
        sides,
        arrays,
        (Bound(0.45, TORCH), Bound(0.2, AUTOGRAD)),
        per=OPERATIONS,
        note="unmodified np.sin, np.tanh and operators",
    )


def _gradient_own_namespace(x) -> Timed:
    step = covector.value_and_grad(chain_in(covector.numpy))
    sides = {COVECTOR: lambda: step(x), NUMPY: lambda: gradient_by_hand(x)}
    return Timed(
        "chain-cnp",
        "the same chain written with covector.numpy, per operation",
        sides | _torch_gradient(x),
        arrays,
        (Bound(0.45, TORCH),),
        per=OPERATIONS,
    )


def _torch_gradient(x):
    if torch is None:
        return {}
    chain = chain_in(torch)
    leaf = torch.tensor(x, requires_grad=True)

    def eager():
        value = chain(leaf)
        return value, torch.autograd.grad(value, leaf)[0]

    transformed = torch.func.grad_and_value(chain)
    constant = torch.tensor(x)

    def functional():
        gradient, value = transformed(constant)
        return value, gradient

    return {TORCH: eager, TORCH_FUNC: functional}


def _jvp(x) -> Timed:
    dx = numpy.linspace(1.0, -1.0, 4)
    chain = chain_in(numpy)
    sides = {
        COVECTOR: lambda: covector.jvp(chain, (x,), (dx,)),
        NUMPY: lambda: tangent_by_hand(x, dx),
    }
    if torch is not None:
        theirs, primal, tangent = chain_in(torch), torch.tensor(x), torch.tensor(dx)
        sides[TORCH_FUNC] = lambda: torch.func.jvp(theirs, (primal,), (tangent,))
    return Timed(
        "chain-jvp",
        "jvp of the chain, per operation",
        sides,
        arrays,
        (Bound(0.3, TORCH_FUNC),),
        per=OPERATIONS,
    )


def _vmap(x) -> Timed:
    batch = x + numpy.linspace(0.0, 0.5, 32)[:, None]
    mapped = covector.vmap(chain_in(numpy))
    sides = {COVECTOR: lambda: mapped(batch), NUMPY: lambda: _batched_by_hand(batch)}
    if torch is not None:
        theirs, tensor = torch.func.vmap(chain_in(torch)), torch.tensor(batch)
        sides[TORCH_FUNC] = lambda: theirs(tensor)
    return Timed(
        "chain-vmap",
        "vmap of the chain over 32 rows, per operation",
        sides,
        arrays,
        (Bound(0.8, TORCH_FUNC),),
        per=OPERATIONS,
    )


def _batched_by_hand(batch):
    y = batch
    for _ in range(ROUNDS):
        y = numpy.tanh(numpy.sin(y) * batch) + 0.5
    return y.sum(axis=1)
