"""The element kinds of native code, and their dtypes."""

import numpy as np

from ....core.types import Any

KINDS: Any = {np.dtype(kind): name for kind, name in (
    (np.float64, "f64"), (np.float32, "f32"), (np.int64, "i64"), (np.int32, "i32"), (np.uint64, "u64"),
    (np.uint32, "u32"), (np.bool_, "b8"))}
DTYPES = {kind: dtype for dtype, kind in KINDS.items()}
BYTES = {"f64": 8, "f32": 4, "i64": 8, "i32": 4, "u64": 8, "u32": 4, "b8": 1, "f16": 2}  # in memory


def held(kind):
    """The kind of a value that is an element of a kind in memory: the bits of a half, which nothing computes with."""
    return "i32" if kind == "f16" else kind
