"""The kinds of elements that native code knows, and the dtypes that they are of."""

import numpy as np

from ....core.types import Any

KINDS: Any = {np.dtype(kind): name for kind, name in (
    (np.float64, "f64"), (np.float32, "f32"), (np.int64, "i64"), (np.int32, "i32"), (np.bool_, "b8"))}
DTYPES = {kind: dtype for dtype, kind in KINDS.items()}
BYTES = {"f64": 8, "f32": 4, "i64": 8, "i32": 4, "b8": 1}


def dtype_of(aval):
    """NumPy's own object for the dtype of an aval."""
    return DTYPES[KINDS[aval.dtype]]
