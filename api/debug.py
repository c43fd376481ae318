"""Inspecting traced code."""

from .transforms.debug.effects import debug_print as print  # noqa: A004 - covector.debug.print

__all__ = ["print"]
