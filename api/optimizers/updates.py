"""Optimizers by the gradient of each step."""

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import at_user_line
from ..core.types import PyTree
from ..tree.containers import map as map_tree
from .optimizer import Optimizer, Schedule, check_alike, checked_rate, first_count, in_dtype, rate_at, zeros_as


class Momentum(NamedTuple):
    """The state of `sgd`."""

    count: Any
    trace: PyTree


class Moments(NamedTuple):
    """The state of `adam`, `adamw`: means of the gradients and of their squares."""

    count: Any
    mean: PyTree
    square: PyTree


class Squares(NamedTuple):
    """The state of `rmsprop`."""

    count: Any
    square: PyTree
    trace: PyTree


class Mean(NamedTuple):
    """The state of `lion`."""

    count: Any
    mean: PyTree


def sgd(learning_rate: float | Schedule, momentum: float = 0.0, nesterov: bool = False) -> Optimizer:
    """Stochastic gradient descent: `m = g + momentum m`, updates `-rate m`, or `-rate (g + momentum m)` by Nesterov.

    Args:
        learning_rate: a number, or a schedule: a function of the number of steps before this one.
        momentum: the share of the trace that is kept.
        nesterov: look one step ahead (Sutskever et al., 2013).
    Returns:
        an `Optimizer`.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> sgd = optimizers.sgd(0.1)
    >>> sgd.update(np.array([1.0, 2.0]), sgd.init(np.zeros(2)))[0]
    array([-0.1, -0.2])
    """
    checked_rate(learning_rate, "sgd")

    def init(params: PyTree) -> Momentum:
        return Momentum(first_count(), zeros_as(params) if momentum else ())

    def update(grads: PyTree, state: Momentum, params: PyTree = None) -> tuple[PyTree, Momentum]:
        rate = rate_at(learning_rate, state.count)
        trace = state.trace
        if momentum:
            check_alike(trace, grads, "sgd", "gradients")
            trace = map_tree(lambda g, m: g + momentum * m, grads, trace)
            grads = map_tree(lambda g, m: g + momentum * m, grads, trace) if nesterov else trace
        return map_tree(lambda g: in_dtype(-rate * g, g), grads), Momentum(state.count + 1, trace)

    return Optimizer(init, update)


def adam(learning_rate: float | Schedule, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Optimizer:
    """Adam (Kingma and Ba, 2015): `-rate m / (sqrt(v) + eps)`, with unbiased means m of gradients and v of squares.

    Args:
        learning_rate: a number, or a schedule: a function of the number of steps before this one.
        b1, b2: the shares of the means that are kept.
        eps: added to the root.
    Returns:
        an `Optimizer`.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> adam = optimizers.adam(0.1)
    >>> np.round(adam.update(np.array([1.0, -5.0]), adam.init(np.zeros(2)))[0], 6)
    array([-0.1,  0.1])
    """
    return _adam("adam", learning_rate, b1, b2, eps, 0.0)


def adamw(
    learning_rate: float | Schedule, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8, weight_decay: float = 1e-4
) -> Optimizer:
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019): `-rate weight_decay params` on top.

    Args:
        learning_rate: a number, or a schedule: a function of the number of steps before this one.
        b1, b2, eps: as for `adam`.
        weight_decay: the share of each parameter that is taken away, times the rate.
    Returns:
        an `Optimizer`, whose `update` needs the parameters.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> adamw = optimizers.adamw(0.1, weight_decay=0.5)
    >>> np.round(adamw.update(np.zeros(1), adamw.init(np.ones(1)), np.ones(1))[0], 6)
    array([-0.05])
    """
    return _adam("adamw", learning_rate, b1, b2, eps, weight_decay)


def _adam(name: str, learning_rate: Any, b1: float, b2: float, eps: float, weight_decay: float) -> Optimizer:
    checked_rate(learning_rate, name)

    def init(params: PyTree) -> Moments:
        return Moments(first_count(), zeros_as(params), zeros_as(params))

    def update(grads: PyTree, state: Moments, params: PyTree = None) -> tuple[PyTree, Moments]:
        check_alike(state.mean, grads, name, "gradients")
        count = state.count + 1
        rate = rate_at(learning_rate, state.count)
        mean = map_tree(lambda g, m: b1 * m + (1.0 - b1) * g, grads, state.mean)
        square = map_tree(lambda g, v: b2 * v + (1.0 - b2) * np.abs(g) ** 2, grads, state.square)
        first, second = 1.0 - b1**count, 1.0 - b2**count
        updates = map_tree(
            lambda m, v: in_dtype(-rate * (m / in_dtype(first, m)) / (np.sqrt(v / in_dtype(second, v)) + eps), m),
            mean, square)
        return decayed(name, updates, rate, weight_decay, params), Moments(count, mean, square)

    return Optimizer(init, update)


def rmsprop(
    learning_rate: float | Schedule, decay: float = 0.9, eps: float = 1e-8, momentum: float = 0.0
) -> Optimizer:
    """RMSProp (Tieleman and Hinton, 2012): `-rate g / sqrt(v + eps)`, with the mean v of squares.

    Args:
        learning_rate: a number, or a schedule: a function of the number of steps before this one.
        decay: the share of the mean that is kept.
        eps: added below the root.
        momentum: the share of a trace of the scaled gradients that is kept.
    Returns:
        an `Optimizer`.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> rmsprop = optimizers.rmsprop(0.1, decay=0.75)
    >>> np.round(rmsprop.update(np.array([1.0, -5.0]), rmsprop.init(np.zeros(2)))[0], 6)
    array([-0.2,  0.2])
    """
    checked_rate(learning_rate, "rmsprop")

    def init(params: PyTree) -> Squares:
        return Squares(first_count(), zeros_as(params), zeros_as(params) if momentum else ())

    def update(grads: PyTree, state: Squares, params: PyTree = None) -> tuple[PyTree, Squares]:
        check_alike(state.square, grads, "rmsprop", "gradients")
        rate = rate_at(learning_rate, state.count)
        square = map_tree(lambda g, v: decay * v + (1.0 - decay) * np.abs(g) ** 2, grads, state.square)
        scaled = map_tree(lambda g, v: g / np.sqrt(v + eps), grads, square)
        trace = state.trace
        if momentum:
            scaled = trace = map_tree(lambda g, m: g + momentum * m, scaled, trace)
        updates = map_tree(lambda g: in_dtype(-rate * g, g), scaled)
        return updates, Squares(state.count + 1, square, trace)

    return Optimizer(init, update)


def lion(
    learning_rate: float | Schedule, b1: float = 0.9, b2: float = 0.99, weight_decay: float = 1e-3
) -> Optimizer:
    """Lion (Chen et al., 2023): `-rate (sign(b1 m + (1 - b1) g) + weight_decay params)`, with a mean m kept by `b2`.

    Args:
        learning_rate: a number, or a schedule: a function of the number of steps before this one.
        b1: the share of the mean in the direction.
        b2: the share of the mean that is kept.
        weight_decay: the share of each parameter that is taken away, times the rate.
    Returns:
        an `Optimizer`, whose `update` needs the parameters unless `weight_decay` is 0.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> lion = optimizers.lion(0.1, weight_decay=0.0)
    >>> lion.update(np.array([0.3, -7.0]), lion.init(np.zeros(2)))[0]
    array([-0.1,  0.1])
    """
    checked_rate(learning_rate, "lion")

    def init(params: PyTree) -> Mean:
        return Mean(first_count(), zeros_as(params))

    def update(grads: PyTree, state: Mean, params: PyTree = None) -> tuple[PyTree, Mean]:
        check_alike(state.mean, grads, "lion", "gradients")
        rate = rate_at(learning_rate, state.count)
        updates = map_tree(lambda g, m: in_dtype(-rate * np.sign(b1 * m + (1.0 - b1) * g), g), grads, state.mean)
        mean = map_tree(lambda g, m: b2 * m + (1.0 - b2) * g, grads, state.mean)
        return decayed("lion", updates, rate, weight_decay, params), Mean(state.count + 1, mean)

    return Optimizer(init, update)


def decayed(name: str, updates: PyTree, rate: Any, weight_decay: float, params: PyTree) -> PyTree:
    """Updates with weight decay."""
    if not weight_decay:
        return updates
    if params is None:
        raise TypeError(f"{name} takes a share of the parameters away, but its update was not given them; call "
                        f"update(grads, state, params), or set weight_decay=0{at_user_line()}")
    return map_tree(lambda u, p: in_dtype(u - rate * weight_decay * p, u), updates, params)
