"""NumPy's own inverse and Cholesky factor of one matrix, without the checks that take half of their time.

`np.linalg.inv` of 10 x 10 takes 8.1 us, the routine behind it 4.2; `np.linalg.cholesky` 5.0 and 2.1. The routines are
those of NumPy, found by name; where a NumPy has them no longer, its public functions do the same.
"""

import numpy as np

_DOUBLE = np.dtype(np.float64)
_UMATH = getattr(getattr(np, "_core", None), "umath", None)
_ROUTINES = getattr(np.linalg, "_umath_linalg", None)
_STATE = getattr(_UMATH, "_extobj_contextvar", None)
_FOUND = all(hasattr(home, name) for home, name in (
    (_UMATH, "_extobj_contextvar"), (_UMATH, "_make_extobj"), (_ROUTINES, "inv"), (_ROUTINES, "cholesky_lo")))


def _raising(message):
    """The state in which a routine that finds no answer raises; as NumPy's functions set it."""
    def refuse(error, flag):
        raise np.linalg.LinAlgError(message)

    return _UMATH._make_extobj(call=refuse, invalid="call", over="ignore", divide="ignore", under="ignore")


if _FOUND:
    _SINGULAR, _INDEFINITE = _raising("Singular matrix"), _raising("Matrix is not positive definite")


def inverse(xp, a):
    """`xp.linalg.inv(a)`."""
    if _FOUND and xp is np and a.dtype is _DOUBLE and a.ndim == 2 and a.shape[0] == a.shape[1] > 0:
        token = _STATE.set(_SINGULAR)
        try:
            return _ROUTINES.inv(a)
        finally:
            _STATE.reset(token)
    return xp.linalg.inv(a)


def lower_factor(xp, a):
    """`xp.linalg.cholesky(a)`."""
    if _FOUND and xp is np and a.dtype is _DOUBLE and a.ndim == 2 and a.shape[0] == a.shape[1] > 0:
        token = _STATE.set(_INDEFINITE)
        try:
            return _ROUTINES.cholesky_lo(a)
        finally:
            _STATE.reset(token)
    return xp.linalg.cholesky(a)
