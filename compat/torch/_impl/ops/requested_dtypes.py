"""Dtypes that reductions are asked for: PyTorch's refusals, and operands in them."""

import numpy as np

from ....._engine import Ambient
from ..types.dtypes import OF_NUMPY, promote_types, type_word


def mean_dtype(name, dtype):
    """Refuse integers for a mean."""
    if dtype is not None and np.dtype(dtype).kind in "biu":
        raise RuntimeError(f"{name}(): could not infer output dtype. Optional dtype must be either a floating point or "
                           f"complex dtype. Got: {type_word(np.dtype(dtype))}")


def norm_dtype(given, dtype):
    """Refuse integers for a norm, and a dtype of the other kind than that of its operand."""
    if dtype.kind in "biu":
        raise RuntimeError(f"linalg.vector_norm: dtype should be floating point or complex, but got {type_word(dtype)}")
    if (given.kind == "c") != (dtype.kind == "c"):
        kind = "complex" if given.kind == "c" else "real"
        raise RuntimeError(f"linalg.vector_norm: dtype should be {kind} for {kind} inputs, but got {type_word(dtype)}")
    if promote_types(*[OF_NUMPY[np.dtype(d)] for d in (given, dtype)]).numpy != dtype:
        raise RuntimeError(f"linalg.vector_norm: the dtype of the input ({type_word(given)}) should be convertible "
                           f"without narrowing to the specified dtype ({type_word(dtype)})")


def in_dtype(x, dtype):
    """An operand in the dtype of its sum or product; PyTorch refuses integers for one that is recorded."""
    if dtype is None or x.dtype == dtype:
        return x
    if np.dtype(dtype).kind in "biu" and isinstance(x, Ambient) and x.node is not None and x.owner.recording:
        raise RuntimeError(f"Autograd not support dtype: {type_word(np.dtype(dtype))}")
    return x.astype(dtype)
