"""Rules that cannot be batched, such as NumPy and SciPy code that wants plain arrays, run a row at a time."""

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.ops.shaping import stack
from ...core.trace.buffers import Buffer
from ...core.trace.device import zeros_of
from ...core.trace.tracer import Batched, Tracer

ndarray = np.ndarray


def by_rows(rule, values, linear=True):
    """`rule(values)`, a list of arrays or None, of lists of arrays; where it fails on batched ones, of each row.

    The rows run the whole rule again, so an error of its own is raised again. It stays the first one where a rule holds
    batched values of its own; and where it is no linear map, since it chooses by the values, say: with `linear`, a sum
    of the rows must give the sum of what they give.
    """
    trace = max((v.owner for v in values if type(v) is Batched), key=_level, default=None)
    if trace is None:
        return rule(values)
    try:
        return rule(values)
    except Exception:
        rows = []
        given = [[v.value[k] if type(v) is Batched and v.owner is trace else v for v in values]
                 for k in range(trace.size)]
        for row in given:
            outs = [out.read() if type(out) is Buffer else out for out in rule(row)]
            if any(_holds(out, trace) for out in outs):
                raise
            rows.append(outs)
        if linear and len(rows) > 1 and not _adds_up(rule, given, rows):
            raise
        return [_joined(column, trace) for column in zip(*rows)]


def _level(trace):
    return trace.level


def _holds(value, trace):
    while isinstance(value, Tracer):
        if value.owner is trace:
            return True
        value = value.value
    return False


def _adds_up(rule, given, rows):
    """Tell whether the rule of a weighted sum of rows is the sum of what it gave for them, roughly: solvers stop
    early."""
    if not all(v is None or type(v) is ndarray or isinstance(v, np.generic) for row in (*given, *rows) for v in row):
        return True  # traced values: they are looked at where they are plain
    weights = np.cos(1.0 + np.arange(len(given)) ** 2)
    found = rule([None if column[0] is None else _weighted(weights, column) for column in zip(*given)])
    for column, f in zip(zip(*rows), found):
        parts = [0.0 if v is None else v for v in column]
        wanted = _weighted(weights, parts)
        size = _weighted(abs(weights), [abs(np.asarray(v)) for v in parts])
        with np.errstate(all="ignore"):
            error = abs((0.0 if f is None else f) - wanted)
            if np.any(error > 0.01 * np.max(size, initial=0.0)):  # of NaN nothing is known
                return False
    return True


def _weighted(weights, parts):
    with np.errstate(all="ignore"):
        total = sum(w * part for w, part in zip(weights, parts))
    dtype = getattr(parts[0], "dtype", None)
    return total if dtype is None else np.asarray(total, dtype)


def _joined(column, trace):
    """One value of all rows, batched; None where all are."""
    some = next((v for v in column if v is not None), None)
    if some is None:
        return None
    return trace.box(stack(*[zeros_of(aval_of(some), some) if v is None else v for v in column], axis=0))
