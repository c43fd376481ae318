"""The scope in which sweeps and singular rules run: they make no floating-point warning that the function does not.

It is an error state with a mark of ours, so an equation that is staged inside it can be told from others.
"""

import numpy as np

from ...core.arrays.errstate import enter_error_state, leave_error_state, make_error_state


def _mark(kind, flag):
    """The handler that an error state of ours carries; never called, since everything is ignored."""


_QUIET = make_error_state(all="ignore", call=_mark)


class quiet:  # noqa: N801 - used like a function
    """The scope around a sweep, or around a singular rule going forward."""

    __slots__ = ("token",)

    def __enter__(self):
        self.token = enter_error_state(_QUIET)

    def __exit__(self, *error):
        leave_error_state(self.token)


def is_quiet():
    """Whether a sweep or a singular rule is running."""
    return np.geterrcall() is _mark
