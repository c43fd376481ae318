"""The scope in which sweeps and singular rules run: they make no floating point warning that the function does not.

It is an errstate with a mark of ours, so an equation that is staged inside of it can be told from others.
"""

import numpy as np


def _mark(kind, flag):
    """The handler that an errstate of ours carries; never called, since everything is ignored."""


def quiet():
    """The errstate around a sweep, or around a singular rule going forward (0.75 us)."""
    return np.errstate(all="ignore", call=_mark)


def is_quiet():
    """Whether a sweep or a singular rule is running."""
    return np.geterrcall() is _mark
