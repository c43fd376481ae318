"""No floating-point warnings inside operations: torch gives none."""

from ..... import extend

_QUIET = extend.make_error_state(all="ignore")

restore_fp_warnings = extend.leave_error_state


def suppress_fp_warnings():
    """Silence NumPy's floating-point warnings; returns what `restore_fp_warnings` takes."""
    return extend.enter_error_state(_QUIET)
