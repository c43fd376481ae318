"""NumPy's floating-point error state, and its warnings at the line of the user's code that called the operation."""

import os
import sys
import warnings
from contextvars import Context

import numpy as np
from numpy._core import umath

from ..errors import is_our_file

# NumPy's floating-point error state, entered directly where NumPy allows it.
#
# NumPy keeps its error state in a context variable. Setting that takes 0.2 us; `np.errstate` takes 0.8, most of a
# small operation. Where a NumPy has the variable no longer, `np.seterr` does the same.
#
# What enters a state reads the one before by `error_state` first, and enters inside the `try` whose `finally` gives
# that to `leave_error_state`: a signal may arrive after any call.

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


# File of a compiled program -> for each of its lines None, or the user's line, as `line_of` gives it.
PROGRAMS: dict[str, list] = {}
# The code of a function that runs equations -> the name of its variable that holds the one that runs.
RUNNERS: dict = {}
_KINDS = ("divide", "over", "under", "invalid")


class Reporter:
    """The target of NumPy's warnings: `Warning: divide by zero encountered in log`."""

    def write(self, text):
        message = text.removeprefix("Warning: ").rstrip("\n")
        frame = sys._getframe(1)
        while frame is not None:
            file, number, scope = frame.f_code.co_filename, frame.f_lineno, frame.f_globals
            lines = PROGRAMS.get(file)
            line = None if lines is None else lines[number - 1]
            if frame.f_code in RUNNERS:
                line = frame.f_locals[RUNNERS[frame.f_code]].line
            if line is not None:
                return _warn(message, line.file, line.number, _scope_of(line.file, frame) or scope)
            if lines is None and not is_our_file(file):
                return _warn(message, file, number, scope)
            frame = frame.f_back
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def warn_user(message):
    """Give a warning of NumPy's that is no floating-point one, at the line of the user's code."""
    _REPORTER.write(message)


def _warn(message, file, number, scope):
    name = scope.get("__name__") or os.path.splitext(os.path.basename(file))[0]
    warnings.warn_explicit(message, RuntimeWarning, file, number, name, scope.setdefault("__warningregistry__", {}))


def _scope_of(file, frame):
    """The names of a module that runs on the stack, by its file."""
    while frame is not None:
        if frame.f_code.co_filename == file:
            return frame.f_globals
        frame = frame.f_back
    return None


_REPORTER = Reporter()


def runs_equations(function, variable):
    """Note that `function` runs equations, of which its `variable` holds the one that runs."""
    RUNNERS[function.__code__] = variable


def same_state(start, now):
    """Tell whether the error state `now` is `start`, or what that is in a transform."""
    known, meant = _last
    return now == start or start is _USUAL and now is _REPORTING or start is known and now is meant


def is_reporting():
    """Tell whether `log`, in the current error state, means a warning."""
    return np.geterrcall() is _REPORTER


def reporting(state):
    """An error state in which NumPy reports instead of warning; the same one where it asks for no warnings. 4 us."""
    token = error_state()
    try:
        enter_error_state(state)
        kinds = np.geterr()
        asked = {kind: "log" for kind in _KINDS if kinds[kind] == "warn"}
        return make_error_state(**kinds | asked, call=_REPORTER) if asked and np.geterrcall() is None else state
    finally:
        leave_error_state(token)


_USUAL = Context().run(error_state)  # where nobody set one
_REPORTING = reporting(_USUAL)
_last = (None, None)  # another error state, and what it is in a transform; None where it was met once


def enter_reporting():
    """Have NumPy report its warnings, until `leave_error_state` of what `error_state` gave before.

    A state that `np.errstate` made for one call stays as it is, for that costs less than another one.
    """
    global _last
    state = error_state()
    if state is _USUAL or state is _REPORTING:
        enter_error_state(_REPORTING)
        return
    known, meant = _last
    if state is not known:
        _last = (state, None)
        enter_error_state(state)
        return
    if meant is None:
        meant = reporting(state)
        _last = (state, meant)
    enter_error_state(meant)
