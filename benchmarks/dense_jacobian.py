"""Full Jacobians of a network from 200 inputs to 200 outputs, forward and reverse."""

from types import ModuleType

import numpy as np
from case import AUTOGRAD, COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import autograd, autograd_numpy, torch

import covector

WIDTH = 200


def weights():
    rng = np.random.default_rng(0)
    return rng.normal(size=(2, WIDTH, WIDTH)) / np.sqrt(WIDTH)


def network_in(np: ModuleType):
    """Return the network in one library's namespace."""
    return lambda x, w1, w2: np.tanh(w2 @ np.tanh(w1 @ x))


def jacobian_by_hand(x, w1, w2):
    h = np.tanh(w1 @ x)
    y = np.tanh(w2 @ h)
    return (w2 * (1.0 - y * y)[:, None]) @ (w1 * (1.0 - h * h)[:, None])


def cases() -> list[Timed]:
    w1, w2 = weights()
    x = np.linspace(-1.0, 1.0, WIDTH)

    network = network_in(np)
    forward, backward = covector.jacfwd(network), covector.jacrev(network)
    return [
        _row("jacfwd", lambda: forward(x, w1, w2), w1, w2, x),
        _row("jacrev", lambda: backward(x, w1, w2), w1, w2, x),
    ]


def _row(name, ours, w1, w2, x) -> Timed:
    sides = {COVECTOR: ours, NUMPY: lambda: jacobian_by_hand(x, w1, w2)}
    if torch is not None:
        t1, t2, tx = torch.tensor(w1), torch.tensor(w2), torch.tensor(x)

        def theirs(x):
            return network_in(torch)(x, t1, t2)

        functional = getattr(torch.func, name)(theirs)
        sides[TORCH_FUNC] = lambda: functional(tx)
        if name == "jacrev":
            sides[TORCH] = lambda: torch.autograd.functional.jacobian(theirs, tx, vectorize=True)
    if autograd is not None and name == "jacrev":
        traced = autograd.jacobian(network_in(autograd_numpy))
        sides[AUTOGRAD] = lambda: traced(x, w1, w2)
    return Timed(
        name,
        f"{name} of a network 200-200-200, float64",
        sides,
        arrays,
        (Bound(0.5, TORCH_FUNC),),
    )
