"""NumPy's floating-point error state, entered directly where NumPy allows it.

NumPy keeps its error state in a context variable. Setting that takes 0.2 us; `np.errstate` takes 0.8, most of a
small operation. Where a NumPy has the variable no longer, `np.errstate` does the same.
"""

import numpy as np
from numpy._core import umath

VARIABLE = getattr(umath, "_extobj_contextvar", None)

if VARIABLE is not None and hasattr(umath, "_make_extobj"):
    make_error_state = umath._make_extobj
    enter_error_state = VARIABLE.set
    leave_error_state = VARIABLE.reset
    error_state = VARIABLE.get
else:

    def make_error_state(**kinds):
        """The error state that `np.errstate(**kinds)` would set, as `enter_error_state` takes it."""
        return kinds

    def error_state():
        """The error state that holds here, as `enter_error_state` takes it."""
        return {**np.geterr(), "call": np.geterrcall()}

    def enter_error_state(state):
        """Set an error state; returns what `leave_error_state` takes."""
        scope = np.errstate(**state)
        scope.__enter__()
        return scope

    def leave_error_state(token):
        """Restore the error state from before `enter_error_state`."""
        token.__exit__(None, None, None)


def mark(kind, flag):
    """The handler that the error state of sweeps carries; never called, since everything is ignored."""


SILENT = make_error_state(all="ignore", call=mark)  # of sweeps, and of rules that go forward and may meet infinities
