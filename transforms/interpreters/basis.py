"""Push or pull a basis by vmap: columns or rows of a Jacobian, chunked to a memory budget."""

import numpy as np

from ...core.checks import whole
from ...core.ops.indexing.places import duplicate
from ...core.ops.shaping import concatenate
from ...core.progress import with_progress
from ...core.tape.lazy_cotangents import Units
from ...core.trace.device import constant, zeros_of
from ...core.trace.tracer import Tracer, unwrap
from ..arguments.arguments import settle
from ..arguments.escape_checks import apart, check_escaped
from .vmap import Mapping, unbox_out

MEMORY_BUDGET = 256 * 2**20  # bytes that one chunk of basis vectors may span, inputs and outputs together
FEW = 512  # elements of a basis that are sooner computed with than reasoned about


def chunks(total, width, itemsize, chunking):
    """The `(start, stop)` of each chunk of a basis; `chunking` is its size, if given, whom to tell, and who asks."""
    size, progress, name = chunking
    if size is None:
        # At least one vector: a single row over the budget cannot be cut further.
        size = max(1, min(total, MEMORY_BUDGET // max(1, width * itemsize)))
    else:
        size = whole(size, "chunk_size", 1)
    return with_progress([(start, min(start + size, total)) for start in range(0, total, size)], progress, name)


def push_basis(push, avals, inputs, chunking, like):
    """Columns of a Jacobian: `push` mapped over the unit tangents of the inputs, a chunk at a time."""
    if not inputs:
        zero = push(*[zeros_of(a, *like) for a in avals])
        return [[constant(np.zeros((*z.shape, *a.shape), z.dtype), z) for a in avals] for z in zero]
    parts = []
    for start, stop in chunks(inputs, 4 * inputs, 8, chunking):
        parts.append(_columns(push, _basis(avals, start, stop, like)))
    return [_blocks([p[k] for p in parts], avals) for k in range(len(parts[0]))]


def _columns(push, basis):
    """`push` of tangents, one a row of `basis`, one a column of the outputs."""
    with _mapping(basis, True) as trace:
        out = [unbox_out(trace, settle(v), -1) for v in push(*[trace.box(b) for b in basis])]
    check_escaped(out)
    return out


def pull_basis(pullback, avals, out_avals, outputs, inputs, chunking, like, holomorphic):
    """Rows of a Jacobian: `pullback` of the unit cotangents of the outputs, a chunk at a time."""
    # Real inputs receive Re(A^T w): two pullbacks for the two parts of a complex row.
    parted = [o.dtype.kind == "c" and not holomorphic for o in out_avals]
    if not outputs:
        return [[constant(np.zeros((*o.shape, *a.shape), a.dtype), *like) for a in avals] for o in out_avals]
    found = rows_between(pullback, out_avals, (0, outputs), inputs, chunking, like, parted)
    rows = []
    for rows_of_all, aval in zip(apart(found), avals):
        column, start = [], 0
        for o, both in zip(out_avals, parted):
            block = rows_of_all[start : start + o.size].reshape((*o.shape, *aval.shape))
            column.append(block.real if any(parted) and not both else block)
            start += o.size
        rows.append(column)
    return [[rows[k][j] for k in range(len(avals))] for j in range(len(out_avals))]


def rows_between(pullback, out_avals, between, inputs, chunking, like, parted):
    """The rows from one to another, counted through the elements of all outputs: an array for each input.

    Args:
        parted: whether an output is complex, while inputs are real: a bool each.
    """
    first, last = between
    outputs = sum([a.size for a in out_avals])
    parts = []
    for start, stop in chunks(last - first, 4 * max(inputs, outputs), 8, chunking):
        start, stop = first + start, first + stop
        part = _rows(pullback, out_avals, start, stop, like)
        if any(parted):
            basis = _basis(out_avals, start, stop, like)
            turned = _pulled(pullback, [b * -1j if both else b * 0.0 for b, both in zip(basis, parted)])
            part = [p + 1j * q for p, q in zip(part, turned)]
        parts.append(part)
    return [_concatenated([p[k] for p in parts], 0) for k in range(len(parts[0]))]


def _pulled(pullback, basis, units=False):
    """The pullback of cotangents, one a row of `basis`; `units` says that these are unit vectors."""
    with _mapping(basis, units) as trace:
        out = [unbox_out(trace, settle(v), 0) for v in pullback([trace.box(b) for b in basis])]
    check_escaped(out)
    return out


def _mapping(basis, units):
    """The scope in which the rows of `basis` are mapped over; where these are all unit vectors, products know it."""
    first = basis[0]
    scope = Mapping(first.shape[0])
    if units and len(basis) == 1 and type(first) is np.ndarray and first.shape == (first.shape[0], first.shape[0]):
        scope.trace.units = first
    return scope


def _rows(pullback, out_avals, start, stop, like):
    """The pullback of unit cotangents `start` to `stop`, one a row."""
    if (stop - start) * sum([a.size for a in out_avals]) < FEW:
        return _pulled(pullback, _basis(out_avals, start, stop, like), True)
    aliased = []
    basis, first = [], 1 - start
    with Mapping(stop - start) as trace:
        for a in out_avals:
            # Floats, since the pullback moves them as it moves cotangents: see `Units._moved`.
            places = np.arange(first, first + a.size, dtype=np.float64).reshape(a.shape)
            if first < 1 or first + a.size > stop - start + 1:
                places[(places < 1) | (places > stop - start)] = 0
            # One lazy batch in place of an identity matrix: elementwise pullbacks then cost O(n), not O(n²).
            basis.append(Units(trace, constant(np.ones(a.shape, a.dtype), *like), places, aliased, unit=True))
            first += a.size
        out = [unbox_out(trace, settle(v), 0) for v in pullback(basis)]
    check_escaped(out)
    return [duplicate(v) if _shares(v, aliased) else v for v in out]


def _shares(value, aliased):
    """Tell whether a value may lie in memory of any other."""
    value = unwrap(value)
    return type(value) is np.ndarray and any(np.may_share_memory(value, unwrap(v)) for v in aliased)


def _basis(avals, start, stop, like):
    """Rows `start` to `stop` of the identity, cut into the shapes of `avals`, in the library of `like`."""
    out = []
    offset = 0
    count = stop - start
    for a in avals:
        block = np.zeros((count, a.size), a.dtype)
        lo, hi = max(start, offset), min(stop, offset + a.size)
        if lo < hi:
            rows = np.arange(lo, hi)
            block[rows - start, rows - offset] = 1
        out.append(constant(block.reshape((count, *a.shape)), *like))
        offset += a.size
    return out


def _blocks(parts, avals):
    whole = _concatenated(parts, -1)
    head = whole.shape[:-1]
    out, start = [], 0
    for a in avals:
        piece = whole[..., start : start + a.size]
        out.append(piece.reshape((*head, *a.shape)))
        start += a.size
    return [_own(x) for x in out]


def _own(x):
    return x if isinstance(x, Tracer) or getattr(x, "base", None) is None else x.copy()


def _concatenated(parts, axis):
    return parts[0] if len(parts) == 1 else concatenate(*parts, axis=axis % parts[0].ndim)

