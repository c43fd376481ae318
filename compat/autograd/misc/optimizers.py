"""autograd.misc.optimizers: gradient descent with momentum, RMSProp and Adam on pytrees."""

import numpy as np

from .._impl.missing import refusing as _refusing
from .._impl.wrap_util import wraps
from .flatten import flatten


def unflatten_optimizer(optimize):
    """An optimizer of pytrees, made of one of vectors."""

    @wraps(optimize)
    def _optimize(grad, x0, callback=None, *args, **kwargs):
        start, unflatten = flatten(x0)

        def flat_grad(x, i):
            return flatten(grad(unflatten(x), i))[0]

        def flat_callback(x, i, g):
            callback(unflatten(x), i, unflatten(g))

        return unflatten(optimize(flat_grad, start, flat_callback if callback else None, *args, **kwargs))

    return _optimize


@unflatten_optimizer
def sgd(grad, x, callback=None, num_iters=200, step_size=0.1, mass=0.9):
    """Stochastic gradient descent with momentum; `grad(x, i)` gives the gradient of iteration `i`."""
    velocity = np.zeros(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        velocity = mass * velocity - (1.0 - mass) * g
        x = x + step_size * velocity
    return x


@unflatten_optimizer
def rmsprop(grad, x, callback=None, num_iters=100, step_size=0.1, gamma=0.9, eps=10**-8):
    """Steps scaled by the root of a running mean of squared gradients; `grad(x, i)` as in `sgd`."""
    squares = np.ones(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        squares = squares * gamma + g**2 * (1 - gamma)
        x = x - step_size * g / (np.sqrt(squares) + eps)
    return x


@unflatten_optimizer
def adam(grad, x, callback=None, num_iters=100, step_size=0.001, b1=0.9, b2=0.999, eps=10**-8):
    """Adam (Kingma and Ba, 2015); `grad(x, i)` as in `sgd`."""
    mean = np.zeros(len(x))
    squares = np.zeros(len(x))
    for i in range(num_iters):
        g = grad(x, i)
        if callback:
            callback(x, i, g)
        mean = (1 - b1) * g + b1 * mean
        squares = (1 - b2) * g**2 + b2 * squares
        x = x - step_size * (mean / (1 - b1 ** (i + 1))) / (np.sqrt(squares / (1 - b2 ** (i + 1))) + eps)
    return x

_refusing("misc.optimizers")
