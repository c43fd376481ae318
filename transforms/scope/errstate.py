"""The scope in which sweeps and singular rules run: they make no floating point warning that the function does not.

It is an errstate with a mark of ours, so an equation that is staged inside it can be told from others.
"""

import numpy as np
from numpy._core import umath


def _mark(kind, flag):
    """The handler that an errstate of ours carries; never called, since everything is ignored."""


# NumPy keeps its error state in a context variable: setting that directly costs 0.2 us, np.errstate 0.8. Where a NumPy
# has it no longer, errstate does the same.
_STATE = getattr(umath, "_extobj_contextvar", None)

if _STATE is not None:
    _QUIET = umath._make_extobj(all="ignore", call=_mark)

    class quiet:  # noqa: N801 - used like a function
        """The scope around a sweep, or around a singular rule going forward."""

        __slots__ = ("token",)

        def __enter__(self):
            self.token = _STATE.set(_QUIET)

        def __exit__(self, *error):
            _STATE.reset(self.token)
else:

    def quiet():
        """The scope around a sweep, or around a singular rule going forward."""
        return np.errstate(all="ignore", call=_mark)


def is_quiet():
    """Whether a sweep or a singular rule is running."""
    return np.geterrcall() is _mark
