"""Tell whether code runs inside a transform: those that call the user's functions say so."""

from contextvars import ContextVar

from ..arrays.errstate import error_state, leave_error_state
from ..arrays.fp_warnings import enter_reporting

INSIDE = ContextVar("covector_inside", default=False)
inside_transform = INSIDE.get


def call_inside(fun, *args, **kwargs):
    """Call a user's function with traced values: NumPy's warnings name the line that they are of."""
    state, inside = error_state(), INSIDE.get()
    try:
        INSIDE.set(True)
        enter_reporting()
        return fun(*args, **kwargs)
    finally:
        try:
            leave_error_state(state)
        finally:  # a signal may arrive after either
            INSIDE.set(inside)
