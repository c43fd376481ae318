"""Tell whether code runs inside a transform, by inspecting the stack, at no cost to the transforms."""

import sys
from contextvars import ContextVar

from .tracer import last_level

# File -> whether what its functions call is traced: filled by the files of transforms that call the user's functions.
DRIVERS: dict[str, bool] = {}
# The newest level when the stack was last looked at and held no transform: as long as none was started, none is there.
_OUTSIDE = ContextVar("covector_outside", default=-1)


def drives(fun, traced=True):
    """Note that functions in the file of `fun` call the user's: with traced values, or with plain ones."""
    DRIVERS[fun.__code__.co_filename] = traced


def inside_transform():
    """Tell whether the caller runs in a function that a transform called. 0.1 us outside, 0.04 us a frame inside.

    An exception that leaves a transform takes its frames along, so there is nothing to restore.
    """
    level = last_level()
    # Levels grow with each trace started: an equal one says that no transform began since the stack was clean.
    if _OUTSIDE.get() == level:
        return False
    frame = sys._getframe(1)
    drivers = DRIVERS
    while frame is not None:
        name = frame.f_code.co_filename
        if name in drivers:
            return drivers[name]
        frame = frame.f_back
    _OUTSIDE.set(level)
    return False
