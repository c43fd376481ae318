"""Full Jacobians of a network from 200 inputs to 200 outputs, forward and reverse."""

import numpy as np
from case import AUTOGRAD, COVECTOR, NUMPY, TORCH, TORCH_FUNC, Bound, Timed, arrays
from libraries import autograd, autograd_numpy, torch

import covector

WIDTH = 200


def weights():
    rng = np.random.default_rng(0)
    return rng.normal(size=(2, WIDTH, WIDTH)) / np.sqrt(WIDTH)


def jacobian_by_hand(w1, w2, x):
    h = np.tanh(w1 @ x)
    y = np.tanh(w2 @ h)
    return (w2 * (1.0 - y * y)[:, None]) @ (w1 * (1.0 - h * h)[:, None])


def cases() -> list[Timed]:
    w1, w2 = weights()
    x = np.linspace(-1.0, 1.0, WIDTH)

    def network(x):
        return np.tanh(w2 @ np.tanh(w1 @ x))

    forward, backward = covector.jacfwd(network), covector.jacrev(network)
    return [
        _row("jacfwd", lambda: forward(x), w1, w2, x),
        _row("jacrev", lambda: backward(x), w1, w2, x),
    ]


def _row(name, ours, w1, w2, x) -> Timed:
    sides = {COVECTOR: ours, NUMPY: lambda: jacobian_by_hand(w1, w2, x)}
    if torch is not None:
        t1, t2, tx = torch.tensor(w1), torch.tensor(w2), torch.tensor(x)

        def theirs(x):
            return torch.tanh(t2 @ torch.tanh(t1 @ x))

        functional = getattr(torch.func, name)(theirs)
        sides[TORCH_FUNC] = lambda: functional(tx)
        if name == "jacrev":
            sides[TORCH] = lambda: torch.autograd.functional.jacobian(theirs, tx, vectorize=True)
    if autograd is not None and name == "jacrev":
        anp = autograd_numpy
        traced = autograd.jacobian(lambda x: anp.tanh(w2 @ anp.tanh(w1 @ x)))
        sides[AUTOGRAD] = lambda: traced(x)
    return Timed(
        name,
        f"{name} of a network 200-200-200, float64",
        sides,
        arrays,
        (Bound(0.5, TORCH_FUNC),),
    )
