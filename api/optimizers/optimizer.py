"""The optimizer protocol, two pure functions, and its combinators."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.checks import check_function
from ..core.errors import ShapeError, at_user_line
from ..core.ops.selection import astype
from ..core.types import Array, PyTree
from ..transforms.arguments.arguments import described
from ..tree.containers import leaves, map as map_tree, structure

Schedule = Callable[[Any], Any]  # from the number of steps so far to a number


class Optimizer(NamedTuple):
    """Two pure functions: `init(params)` gives a state, `update(grads, state, params)` gives `(updates, state)`.

    States are pytrees of arrays, so `jit`, `scan` and `vmap` take them. `apply_updates` adds updates to parameters.

    >>> import numpy as np, covector
    >>> from covector import optimizers
    >>> adam = optimizers.adam(0.1)
    >>> @covector.jit
    ... def step(params, state):
    ...     grads = covector.grad(lambda p: np.sum((p["w"] - 3.0) ** 2))(params)
    ...     updates, state = adam.update(grads, state, params)
    ...     return optimizers.apply_updates(params, updates), state
    >>> params = {"w": np.zeros(2)}
    >>> state = adam.init(params)
    >>> for _ in range(200):
    ...     params, state = step(params, state)
    >>> bool(np.allclose(params["w"], 3.0, atol=1e-3))
    True
    """

    init: Callable[[PyTree], Any]
    update: Callable[..., tuple[PyTree, Any]]


def apply_updates(params: PyTree, updates: PyTree) -> PyTree:
    """Add updates to parameters, leaf by leaf, in the dtype of each parameter.

    Args:
        params: a pytree of arrays and numbers.
        updates: a pytree of the same structure.
    Returns:
        the new parameters.
    Raises:
        ShapeError: the structures differ.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> optimizers.apply_updates({"w": np.ones(2)}, {"w": np.array([0.5, -0.5])})
    {'w': array([1.5, 0.5])}
    """
    check_alike(params, updates, "apply_updates", "updates")
    return map_tree(lambda p, u: in_dtype(p + u, p), params, updates)


def chain(*optimizers: Optimizer) -> Optimizer:
    """Run optimizers one after the other: each is given what the one before it gives in place of gradients.

    Args:
        optimizers: each an `Optimizer`.
    Returns:
        an `Optimizer`, whose state is the tuple of theirs.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> clipped = optimizers.chain(optimizers.clip_by_global_norm(1.0), optimizers.sgd(0.1))
    >>> updates, state = clipped.update(np.array([30.0, 40.0]), clipped.init(np.zeros(2)))
    >>> updates
    array([-0.06, -0.08])
    """
    def init(params: PyTree) -> Any:
        return tuple([each.init(params) for each in optimizers])

    def update(grads: PyTree, state: Any, params: PyTree = None) -> tuple[PyTree, Any]:
        states = []
        for each, one in zip(optimizers, state, strict=True):
            grads, one = each.update(grads, one, params)
            states.append(one)
        return grads, tuple(states)

    return Optimizer(init, update)


def clip(max_delta: float) -> Optimizer:
    """Limit each element of the gradients to `[-max_delta, max_delta]`.

    Args:
        max_delta: the largest absolute value.
    Returns:
        an `Optimizer` without state, for `chain`.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> small = optimizers.clip(1.0)
    >>> small.update(np.array([0.5, -7.0]), small.init(np.zeros(2)))[0]
    array([ 0.5, -1. ])
    """
    return _stateless(lambda grads: map_tree(lambda g: np.clip(g, -max_delta, max_delta), grads))


def clip_by_global_norm(max_norm: float) -> Optimizer:
    """Scale all gradients by one factor, so that their norm is at most `max_norm`.

    Args:
        max_norm: the largest norm of all gradients together.
    Returns:
        an `Optimizer` without state, for `chain`.

    >>> import numpy as np
    >>> from covector import optimizers
    >>> small = optimizers.clip_by_global_norm(1.0)
    >>> scaled, _ = small.update({"a": 3.0, "b": 4.0}, small.init({"a": 0.0, "b": 0.0}))
    >>> round(float(scaled["a"]), 6), round(float(scaled["b"]), 6)
    (0.6, 0.8)
    """
    def clipped(grads: PyTree) -> PyTree:
        norm = global_norm(grads)
        factor = max_norm / np.maximum(norm, max_norm)
        return map_tree(lambda g: in_dtype(g * factor, g), grads)

    return _stateless(clipped)


def global_norm(tree: PyTree) -> Array:
    """The square root of the sum of squares of all elements of a pytree.

    Args:
        tree: a pytree of arrays and numbers.
    Returns:
        a number.

    >>> from covector import optimizers
    >>> float(optimizers.global_norm({"a": 3.0, "b": [4.0]}))
    5.0
    """
    return np.sqrt(sum([np.sum(np.abs(x) ** 2) for x in leaves(tree)]))


def _stateless(change: Callable[[PyTree], PyTree]) -> Optimizer:
    return Optimizer(lambda params: (), lambda grads, state, params=None: (change(grads), state))


# for the optimizers of this package

def rate_at(learning_rate: float | Schedule, count: Any) -> Any:
    """The learning rate after so many steps."""
    return learning_rate(count) if callable(learning_rate) else learning_rate


def checked_rate(learning_rate: Any, name: str) -> Any:
    """A number or a schedule."""
    if not isinstance(learning_rate, int | float | np.number | np.ndarray):
        check_function(learning_rate, f"the learning rate of {name} is a number, or a schedule: it",
                       "give a number, as 0.1, or a function of the number of steps")
    return learning_rate


def in_dtype(x: Any, like: Any) -> Any:
    """`x` in the dtype of a parameter."""
    dtype = getattr(like, "dtype", None)
    return x if dtype is None or x.dtype == dtype else astype(x, dtype)


def zeros_as(params: PyTree) -> PyTree:
    """Zeros in the shape and dtype of each parameter."""
    return map_tree(lambda p: np.zeros_like(p), params)


def first_count() -> Any:
    """The number of steps before the first."""
    return np.zeros((), np.int64)


def check_alike(params: PyTree, other: PyTree, name: str, what: str) -> None:
    """Raise for pytrees of two structures."""
    if structure(params) != structure(other):
        raise ShapeError(f"{name} needs {what} of the structure of the parameters, {described(params)}, but got "
                         f"{described(other)}; differentiate with respect to all parameters{at_user_line()}")
