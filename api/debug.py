"""Inspecting traced code."""

from .core.foreign import DEBUG as _DEBUG, missing as _missing
from .transforms.debug.effects import (
    debug_callback as callback,
    debug_print as print,  # noqa: A004 - covector.debug.print
)

__all__ = ["callback", "print"]


def __getattr__(name: str) -> object:
    """Say what to use for the names of `jax.debug`."""
    raise _missing("covector.debug", name, _DEBUG)
