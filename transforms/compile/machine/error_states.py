"""NumPy error states that native code supports: warnings on non-finite outputs only."""

import ctypes
import threading
from contextvars import Context

import numpy as np

from ....core.arrays.fp_warnings import VARIABLE, error_state, is_reporting
from ....core.types import Any
from ...scope.errstate import within

STATE = "other error state"  # the name in the table: of one that native code can do, beside NumPy's own
DEFAULT: Any = None if VARIABLE is None else Context().run(VARIABLE.get)  # the state where nobody set one


def is_followed():
    """Tell whether the current state asks for warnings at most, and for none of underflow."""
    state = np.geterr()
    taken = ("ignore", "warn", "log") if is_reporting() else ("ignore", "warn")
    return state["under"] == "ignore" and all(state[kind] in taken for kind in ("divide", "over", "invalid"))


def may_be_native(eq):
    """Tell whether the state that an equation was staged in is one that native code can do."""
    if type(eq.quiet) is bool:
        return True
    with within(eq.quiet):
        return is_followed()


class OtherState:
    """The check of a kernel that does not know the error state: `handle` is called in its place.

    `run` is a weak reference to the kernel; `place` is where its table has the address of the state that it knows
    beside the default one, None where C code does not ask for it.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.place: Any = None
        self.run: Any = None
        self.state: Any = None

    def is_known(self):
        """Tell whether the table has the current error state: False if it has it now, None if native code cannot do
        it."""
        now = error_state()
        if now is DEFAULT or now is self.state:
            return True
        if not is_followed():  # native code cannot raise or call as such an error state asks
            return None
        if self.place is not None:
            with self.lock:  # the table never has the address of a state that nobody keeps
                ctypes.c_uint64.from_address(self.place).value = id(now)
                self.state = now
        return False

    def handle(self, *values):
        """The result under an error state that is new, if native code can do it; else None."""
        return self.run()(*values) if self.is_known() is False else None
