"""Error state of sweeps and singular rules, which emit no floating-point warning of their own.

It is an error state with a mark of ours, so an equation that is staged inside it can be told from others. One that is
staged inside the user's `np.errstate` runs in that state again.
"""

from contextlib import nullcontext
from typing import Any, cast

import numpy as np

from ...core.arrays.fp_warnings import (
    SILENT,
    enter_error_state,
    error_state,
    leave_error_state,
    mark,
    reporting,
    same_state,
)


def enter_quiet():
    """The scope around a sweep, or around a singular rule going forward, until `leave_error_state` of what
    `error_state` gave before."""
    enter_error_state(SILENT)


class within:  # noqa: N801 - used like a function
    """The scope of an error state that `error_state()` gave."""

    __slots__ = ("state", "token")

    def __init__(self, state):
        self.state = state if state is SILENT else reporting(state)

    def __enter__(self):
        self.token = error_state()
        try:
            enter_error_state(self.state)
        except BaseException:
            leave_error_state(self.token)
            raise

    def __exit__(self, *error):
        leave_error_state(self.token)


def quiet():
    """The scope of `enter_quiet` as a context, in compiled functions, which restore the error state themselves."""
    return within(SILENT)


_ALOUD = nullcontext()


def unmarked():
    """The scope to stage in: what is done there is told apart from what a sweep around it does."""
    return np.errstate(call=cast(Any, None)) if np.geterrcall() is mark else _ALOUD


def silence(start):
    """The warning mode of what is computed here: False as where the error state was `start`; True silent, in a sweep or
    a singular rule; otherwise the state that the user's `np.errstate` has set since.
    """
    now = error_state()
    if now is SILENT or np.geterrcall() is mark:
        return True
    return False if same_state(start, now) else now


def scope_of(silent):
    """The scope to compute in again what was computed where `silence` gave `silent`."""
    return quiet() if silent is True else _ALOUD if silent is False else within(silent)
