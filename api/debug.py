"""Inspecting traced code: printing, and pictures of graphs, tapes and patterns."""

from .core.foreign import DEBUG as _DEBUG, missing as _missing
from .transforms.graph.spy import spy as spy
from .transforms.interpreters.tape_steps import tape as tape
from .transforms.staging.effects import debug_callback as callback, debug_print as print
from .transforms.staging.graph_drawing import draw as draw

__all__ = ["callback", "draw", "print", "spy", "tape"]


def __getattr__(name: str) -> object:
    """Say what to use for the names of `jax.debug`."""
    raise _missing("covector.debug", name, _DEBUG)
