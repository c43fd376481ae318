"""NumPy's error states: which native code can do, since it warns of outputs that are not finite and of no more."""

from contextvars import Context

import numpy as np

from ....core.arrays.errstate import VARIABLE
from ....core.arrays.warned import is_reporting
from ....core.types import Any
from ...scope.errstate import within

STATE = "other error state"  # the name in the table: of one that native code can do, beside NumPy's own
DEFAULT: Any = None if VARIABLE is None else Context().run(VARIABLE.get)  # the state where nobody set one


def is_followed():
    """Whether the current state asks for warnings at most, and for none of underflow."""
    state = np.geterr()
    taken = ("ignore", "warn", "log") if is_reporting() else ("ignore", "warn")
    return state["under"] == "ignore" and all(state[kind] in taken for kind in ("divide", "over", "invalid"))


def may_be_native(eq):
    """Whether the state that an equation was staged in is one that native code can do."""
    if type(eq.quiet) is bool:
        return True
    with within(eq.quiet):
        return is_followed()
