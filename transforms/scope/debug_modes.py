"""Dynamically scoped debug modes: debug_nans and debug_mutation."""

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Modes(NamedTuple):
    """The active debug modes."""

    nans: bool = False
    mutation: bool = False


_OFF = Modes()
MODES = ContextVar("covector_debug", default=_OFF)


def modes():
    """Return the active debug modes."""
    return MODES.get()


LISTENERS: list = []  # functions of the modes that hold from now on


def on_debug(listener: Callable[[Modes], None]) -> Callable[[Modes], None]:
    """Call `listener(modes)` whenever a debug mode is switched on or off, for a layer that keeps its own modes.

    Args:
        listener: takes the modes that are active from now on; `modes.nans` says whether `debug_nans` is.
    Returns:
        the listener.

    >>> from covector._interpreters import on_debug
    >>> from covector import debug_nans
    >>> seen = []
    >>> listener = on_debug(seen.append)
    >>> with debug_nans():
    ...     pass
    >>> [modes.nans for modes in seen]
    [True, False]
    """
    LISTENERS.append(listener)
    return listener


def _switch(to):
    MODES.set(to)
    for listener in LISTENERS:
        listener(to)


@contextmanager
def _with(**changes):
    previous = MODES.get()
    _switch(previous._replace(**changes))
    try:
        yield
    finally:
        _switch(previous)


def debug_nans(enabled: bool = True) -> AbstractContextManager[None]:
    """Raise where a NaN first appears in traced code, in the forward or the backward pass; slow, for debugging.

    Args:
        enabled: False disables it inside an outer one.
    Returns:
        a context manager. Inside it, operations on traced values (of reverse mode, forward mode and vmap) raise
        FloatingPointError when they produce a NaN, in a value or in a tangent, with the user's line, the shapes and a
        sample of the operands; in the backward pass, with the line of the forward operation, its cotangent and its
        saved values. A NaN in the arguments or in arrays that are not traced is not an error until it reaches a
        pullback. A function of `jit` runs without compilation, and once more, traced, if it returns a NaN. Plain
        arrays outside transforms are not checked; tensors of `covector.compat.torch` are checked
        inside and outside transforms.

    >>> import numpy as np, covector
    >>> with covector.debug_nans(), np.errstate(invalid="ignore"):
    ...     covector.grad(lambda x: np.log(x).sum())(np.array([-1.0]))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    FloatingPointError: log produced a NaN ...
    """
    return _with(nans=bool(enabled))


def debug_mutation(enabled: bool = True) -> AbstractContextManager[None]:
    """Check every byte of large saved arrays at the pullback, instead of 64 elements; slow, for debugging.

    Args:
        enabled: False disables it inside an outer one.
    Returns:
        a context manager for both the forward pass and the pullback.

    >>> import numpy as np, covector
    >>> x = np.ones(10_000)
    >>> with covector.debug_mutation():
    ...     out, pullback = covector.vjp(lambda x: x * x, x)
    ...     x[1234] = 5.0
    ...     pullback(np.ones(10_000))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    covector.core.errors.MutationError: an array of shape (10000,) ...
    """
    return _with(mutation=bool(enabled))
