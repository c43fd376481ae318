"""Report NumPy's floating-point warnings at the line of the user's code that called the operation.

NumPy warns at the line that calls it, which is one of ours in a transform, and Python gives a warning once for a line.
So while a transform runs the user's function NumPy writes its warnings to an object of ours, which finds the line.
"""

import os
import sys
import warnings
from contextvars import Context

import numpy as np

from ..errors import is_our_file
from .errstate import enter_error_state, error_state, leave_error_state, make_error_state

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
