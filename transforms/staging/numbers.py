"""Weakly typed results of staged functions: Python numbers that take the dtype of what they meet."""

import numpy as np

from ...core.arrays.avals import WEAK
from ...core.trace.tracer import Dual, Rev, Staged, Tracer

NUMBERS = {"i": int, "f": float, "c": complex}  # kinds of dtypes -> types


def is_derived(tracer):
    """Tell whether a weak value is one that an operation of a graph computes."""
    while isinstance(tracer, Tracer):
        if type(tracer) is Staged:
            return not tracer.node.aval.weak
        tracer = tracer.value
    return False


def as_number(value):
    """A result that operators made of Python numbers alone, as a number: it takes the dtype of what it meets."""
    if not isinstance(value, Tracer):
        return value.item() if isinstance(value, np.generic | np.ndarray) and not value.ndim else value
    x = value
    while type(x) is Rev or type(x) is Dual:
        x.aval = WEAK[NUMBERS[x.aval.dtype.kind]]
        x = x.value
    if type(x) is Staged:
        x.owner.number(x, x.node)
    return value


def unboxed(operands, values):
    """`values` of operands, of which those of traced Python numbers are such numbers again."""
    return [v.item() if isinstance(a, Tracer) and a.aval.weak and isinstance(v, np.generic) else v
            for a, v in zip(operands, values)]


def as_numbers(values, flags):
    """`values`, of which those that are flagged are numbers."""
    return [as_number(v) if flag else v for v, flag in zip(values, flags)]
