"""Inverses and Cholesky factors of one matrix, by NumPy's routines without the checks that take half of their time.

`np.linalg.inv` of 10 x 10 takes 8.1 us, the routine behind it 4.2; `np.linalg.cholesky` 5.0 and 2.1. The routines are
those of NumPy, found by name; where a NumPy has them no longer, its public functions do the same.
"""

import numpy as np

from ...arrays.errstate import enter_error_state, error_state, leave_error_state, make_error_state

_DOUBLE = np.dtype(np.float64)
_ROUTINES = getattr(np.linalg, "_umath_linalg", None)


def _of_one_matrix(name, message, public):
    """`f(xp, a)`: the routine of that name on one float64 matrix, raising `message`; `public(xp)` on anything else."""
    routine = getattr(_ROUTINES, name, None)
    if routine is None:
        return lambda xp, a: public(xp)(a)

    def refuse(error, flag):
        raise np.linalg.LinAlgError(message)

    # The state in which a routine that finds no result raises; as NumPy's functions set it.
    state = make_error_state(call=refuse, invalid="call", over="ignore", divide="ignore", under="ignore")

    def run(xp, a):
        if not (xp is np and a.dtype is _DOUBLE and a.ndim == 2 and a.shape[0] == a.shape[1] > 0):
            return public(xp)(a)
        token = error_state()
        try:
            enter_error_state(state)
            return routine(a)
        finally:
            leave_error_state(token)

    return run


inverse = _of_one_matrix("inv", "Singular matrix", lambda xp: xp.linalg.inv)
lower_factor = _of_one_matrix("cholesky_lo", "Matrix is not positive definite", lambda xp: xp.linalg.cholesky)
_BLOCK = 32  # rows of a triangle that are inverted at once


def inverse_of_lower(a):
    """The inverse of a plain lower triangular matrix, in a sixth of the products that `np.linalg.inv` takes."""
    n = a.shape[-1]
    if n <= _BLOCK:
        return inverse(np, a[::-1, ::-1])[::-1, ::-1]
    middle = n // 2
    out = np.zeros_like(a)
    out[:middle, :middle] = x = inverse_of_lower(a[:middle, :middle])
    out[middle:, middle:] = y = inverse_of_lower(a[middle:, middle:])
    np.negative(y.dot(a[middle:, :middle].dot(x)), out=out[middle:, :middle])
    return out
