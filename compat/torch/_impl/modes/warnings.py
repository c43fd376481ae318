"""Warnings: those that are given once a process or always (`set_warn_always`), and those of operations."""

import sys
import warnings
from contextvars import ContextVar

from ..... import _engine

_ALWAYS = [False]
_GIVEN = set()  # which of them were given
# What is raised in place of a warning while a program is made: a call that warns must run its body each time.
INSTEAD: ContextVar[type[Exception] | None] = ContextVar("covector_torch_instead_of_warning", default=None)


def first(key):
    """Tell whether a warning is to be given now: the first time, or always. A body that asks has no program."""
    if (refusal := INSTEAD.get()) is not None:
        raise refusal
    if _ALWAYS[0]:
        return True
    if key in _GIVEN:
        return False
    _GIVEN.add(key)
    return True


def tell(message):
    """A warning by the body of an operation, at the user's line, however deep in the library it is found."""
    if (refusal := INSTEAD.get()) is not None:
        raise refusal
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_engine.LIBRARY_FOLDERS):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def set_warn_always(b):
    """Give warnings each time that PyTorch gives once a process.

    >>> import covector.compat.torch as torch
    >>> torch.set_warn_always(False)
    >>> torch.is_warn_always_enabled()
    False
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _ALWAYS[0] = b


def is_warn_always_enabled():
    """The last argument of `set_warn_always`; False at first."""
    return _ALWAYS[0]


# No floating-point warnings inside operations: torch gives none.

QUIET = _engine.make_error_state(all="ignore")

enter_error_state = _engine.enter_error_state
restore_fp_warnings = _engine.leave_error_state
error_state = _engine.error_state


def suppress_fp_warnings():
    """Silence NumPy's floating-point warnings, until `restore_fp_warnings` of what `error_state` gave before."""
    enter_error_state(QUIET)
