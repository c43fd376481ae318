"""Cotangents of a recorded sweep that have no history of their own."""

import numpy as np

from ..... import _engine

Scatter = _engine.Scatter
_ARRAYS = frozenset({np.ndarray, np.float64, np.float32})


def untraced(ct):
    """Tell whether a cotangent is an array, or a lazy one of arrays alone."""
    if type(ct) is Scatter:
        return (ct.buffer is None or type(ct.buffer) in _ARRAYS) and (ct.piece is None or type(ct.piece[1]) in _ARRAYS)
    return type(ct) in _ARRAYS
