"""L-BFGS: quasi-Newton steps from the last gradients."""

from typing import Any, NamedTuple

import numpy as np

from ..core.types import PyTree
from ..transforms.control.loops import fori_loop
from ..tree.containers import ravel
from .optimizer import Optimizer, Schedule, check_alike, checked_rate, first_count, in_dtype, rate_at


class History(NamedTuple):
    """The state of `lbfgs`: the last changes of parameters and gradients, rows of two matrices, the newest last."""

    count: Any
    params: Any
    grads: Any
    steps: Any
    changes: Any


def lbfgs(learning_rate: float | Schedule = 1.0, memory_size: int = 10) -> Optimizer:
    """L-BFGS without line search (Nocedal and Wright 2006, algorithm 7.4).

    Args:
        learning_rate: a number, or a schedule; 1 is Newton's step. The first step goes along the gradient, and is
            no longer than the rate.
        memory_size: how many changes of parameters and gradients are kept.
    Returns:
        an `Optimizer`, whose `update` needs the parameters. Changes along which the gradient falls are left out.

    For a line search and bounds, `scipy.optimize.minimize(method="L-BFGS-B", jac=True)` takes `value_and_grad(f)`.

    >>> import numpy as np, covector
    >>> from covector import optimizers
    >>> slope = covector.grad(lambda x: np.sum((x - np.arange(3.0)) ** 2 * np.array([1.0, 4.0, 9.0])))
    >>> newton = optimizers.lbfgs(1.0)
    >>> x = np.ones(3)
    >>> state = newton.init(x)
    >>> for _ in range(40):
    ...     updates, state = newton.update(slope(x), state, x)
    ...     x = optimizers.apply_updates(x, updates)
    >>> bool(np.allclose(x, [0.0, 1.0, 2.0]))
    True
    """
    checked_rate(learning_rate, "lbfgs")

    def init(params: PyTree) -> History:
        flat, _ = ravel(params)
        memory = np.zeros((memory_size, flat.size), flat.dtype)
        return History(first_count(), np.zeros_like(flat), np.zeros_like(flat), memory, memory)

    def update(grads: PyTree, state: History, params: PyTree) -> tuple[PyTree, History]:
        check_alike(params, grads, "lbfgs", "gradients")
        x, _ = ravel(params)
        g, rebuild = ravel(grads)
        step, change = x - state.params, g - state.grads
        taken = (state.count > 0) & (np.sum(step * change) > 0)
        steps = np.where(taken, np.concatenate([state.steps[1:], step[None]]), state.steps)
        changes = np.where(taken, np.concatenate([state.changes[1:], change[None]]), state.changes)
        rate = rate_at(learning_rate, state.count)
        direction = in_dtype(-rate * _two_loops(g, steps, changes), g)
        return rebuild(direction), History(state.count + 1, x, g, steps, changes)

    return Optimizer(init, update)


def _two_loops(g: Any, steps: Any, changes: Any) -> Any:
    """The inverse Hessian that the changes stand for, times `g`; rows of zeros stand for nothing."""
    size = len(steps)
    rows = np.arange(size)
    curvature = np.sum(steps * changes, axis=1)
    known = curvature > 0
    inverse = np.where(known, 1.0 / np.where(known, curvature, 1.0), 0.0)

    def down(k: Any, carry: Any) -> Any:
        q, alphas = carry
        row = size - 1 - k
        alpha = inverse[row] * np.sum(steps[row] * q)
        return q - alpha * changes[row], np.where(rows == row, alpha, alphas)

    def up(k: Any, r: Any) -> Any:
        beta = inverse[k] * np.sum(changes[k] * r)
        return r + (alphas[k] - beta) * steps[k]

    q, alphas = fori_loop(0, size, down, (g, np.zeros_like(inverse)))
    squares = np.sum(changes[-1] ** 2)
    first = 1.0 / np.maximum(1.0, np.sqrt(np.sum(g * g)))  # nothing is known: a step of length 1 at most
    scale = np.where(known[-1], curvature[-1] / np.where(known[-1], squares, 1.0), first)
    return fori_loop(0, size, up, scale * q)

