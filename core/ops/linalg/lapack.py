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


def _of_one_matrix(name, message, public):
    """`f(xp, a)`: the routine of that name on one float64 matrix, raising `message`; `public(xp)` on anything else."""
    if not _FOUND:
        return lambda xp, a: public(xp)(a)

    def refuse(error, flag):
        raise np.linalg.LinAlgError(message)

    routine = getattr(_ROUTINES, name)
    # The state in which a routine that finds no output raises; as NumPy's functions set it.
    state = _UMATH._make_extobj(call=refuse, invalid="call", over="ignore", divide="ignore", under="ignore")

    def run(xp, a):
        if not (xp is np and a.dtype is _DOUBLE and a.ndim == 2 and a.shape[0] == a.shape[1] > 0):
            return public(xp)(a)
        token = _STATE.set(state)
        try:
            return routine(a)
        finally:
            _STATE.reset(token)

    return run


inverse = _of_one_matrix("inv", "Singular matrix", lambda xp: xp.linalg.inv)
lower_factor = _of_one_matrix("cholesky_lo", "Matrix is not positive definite", lambda xp: xp.linalg.cholesky)
