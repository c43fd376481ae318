"""Tell whether an elementwise primitive gives floats where it is given floats, on which the lanes rely."""

import numpy as np

from ..arrays.avals import make_aval


def keeps_floats(prim):
    """Tell whether float64 comes out where float64 goes in; of our own primitives the checker sees that."""
    if prim.flat or (prim.impl.__module__ or "").startswith("covector."):
        return True
    try:
        found = prim.shape([make_aval((1,), np.dtype(float))] * len(prim.operands), ())
    except (TypeError, ValueError):
        return False
    return found.dtype == np.float64
