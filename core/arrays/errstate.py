"""NumPy's floating-point error state, entered directly where NumPy allows it.

NumPy keeps its error state in a context variable. Setting that takes 0.2 us; `np.errstate` takes 0.8, most of a
small operation. Where a NumPy has the variable no longer, `np.seterr` does the same.

What enters a state reads the one before by `error_state` first, and enters inside the `try` whose `finally` gives that
to `leave_error_state`: a signal may arrive after any call.
"""

import numpy as np
from numpy._core import umath

VARIABLE = getattr(umath, "_extobj_contextvar", None)

if VARIABLE is not None and hasattr(umath, "_make_extobj"):
    make_error_state = umath._make_extobj
    enter_error_state = leave_error_state = VARIABLE.set
    error_state = VARIABLE.get
else:

    def make_error_state(**kinds):
        """The error state that `np.errstate(**kinds)` would set, as `enter_error_state` takes it."""
        return kinds

    def error_state():
        """The error state that holds here, as `enter_error_state` takes it."""
        return {**np.geterr(), "call": np.geterrcall()}

    def enter_error_state(state):
        """Set an error state."""
        np.seterrcall(state.get("call"))
        np.seterr(**{kind: how for kind, how in state.items() if kind != "call"})

    leave_error_state = enter_error_state


def mark(kind, flag):
    """The handler that the error state of sweeps carries; never called, since everything is ignored."""


SILENT = make_error_state(all="ignore", call=mark)  # of sweeps, and of rules that go forward and may meet infinities
