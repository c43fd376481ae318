"""bfloat16, which NumPy adds, multiplies and promotes as it comes: operations compute in float32 and round once."""

import numpy as np

from . import dtypes

SINGLE = np.dtype(np.float32)


def wants_single(row, given, named):
    """Tell whether an operation of core values is to be computed in float32: all its floating operands are bfloat16."""
    if row.exact:
        return False
    found = set()
    for v in (*given, *named.values()):
        if isinstance(v, np.dtype):
            return False  # the dtype of the output is chosen
        for x in v if type(v) in (list, tuple) else (v,):
            kind = getattr(x, "dtype", None)
            if kind is not None and kind.kind in "fcV":
                found.add(kind)
    return found == {dtypes.bfloat16.numpy}


def in_single(body, given, named):
    """The output of an operation whose operands are cast to float32, and its parts of float32 back."""
    return narrow(body(*[wide(v) for v in given], **{k: wide(v) for k, v in named.items()}))


def wide(v):
    """A value of bfloat16 in float32, also in a list."""
    if type(v) in (list, tuple):
        return type(v)([wide(x) for x in v])
    return v.astype(SINGLE) if getattr(v, "dtype", None) == dtypes.bfloat16.numpy else v


def narrow(v):
    """An output with its parts of float32 in bfloat16."""
    if isinstance(v, tuple):
        parts = [narrow(x) for x in v]
        return type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
    if isinstance(v, list):
        return [narrow(x) for x in v]
    return v.astype(dtypes.bfloat16.numpy) if getattr(v, "dtype", None) == SINGLE else v
