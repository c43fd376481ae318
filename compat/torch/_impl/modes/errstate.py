"""No floating-point warnings inside operations: torch gives none."""

from ..... import _engine

QUIET = _engine.make_error_state(all="ignore")

enter_error_state = _engine.enter_error_state
restore_fp_warnings = _engine.leave_error_state
error_state = _engine.error_state


def suppress_fp_warnings():
    """Silence NumPy's floating-point warnings, until `restore_fp_warnings` of what `error_state` gave before."""
    enter_error_state(QUIET)
