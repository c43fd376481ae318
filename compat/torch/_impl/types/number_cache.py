"""Python numbers beside tensors, as arrays without axes that are made once."""

import numpy as np

from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings

EXACT = 2**53  # integers below are floats
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
CONSTS = {d: {} for d in FLOATS}
_LIMIT = 256


def constant(number, dtype):
    """A number as a 0-d array of a dtype; zero and NaN are not kept: -0.0 hashes like 0.0."""
    known = CONSTS[dtype].get(number)
    if known is not None:
        return known
    token = error_state()
    try:
        suppress_fp_warnings()
        c = np.asarray(number, dtype)
    finally:
        restore_fp_warnings(token)
    if number == number and number != 0:
        consts = CONSTS[dtype]
        if len(consts) >= _LIMIT:
            consts.clear()
        consts[number] = c
    return c
