"""Collectives of few ranks as point-to-point messages received directly into the result.

They have fewer copies than MPI's own, and can be waited for with a limit, as MPI's calls that block cannot. Each is an
iterable of requests: whoever runs it asks each whether it is complete, for as long as it cares to, before it takes the
next. A sum, a gather or a scatter of 64 KiB over two ranks takes about half the time of the blocking call of mpich 5.0,
and what goes straight from rank to rank takes as long (`benchmarks/collectives.py`).

A message carries the tag of its call, which tells operation, shape and dtype: others never meet.
"""

import numpy as np

DIRECT = 8  # ranks up to which each sends to each
CUT = 1 << 20  # bytes from which a sum is cut into as many parts as there are ranks


def swapped(comm, tag, kind, send, out, source, target):
    """Send to one rank, and receive from one into `out`; None for neither."""
    if source is None:
        return () if target is None else (comm.Isend((send, send.nbytes, kind), target, tag),)
    arriving = comm.Irecv((out, out.nbytes, kind), source, tag)
    return (arriving,) if target is None else (arriving, comm.Isend((send, send.nbytes, kind), target, tag))


def gathered(comm, tag, group, send, out):
    """`out[k]` is the array of rank k."""
    n, kind = send.nbytes, group.byte
    requests = [comm.Irecv((out, n, k * n, kind), k, tag) for k in group.sources]
    requests += [comm.Isend((send, n, kind), k, tag) for k in group.targets]
    out.reshape((group.size, -1))[group.rank] = send.reshape(-1)
    return requests


def exchanged(comm, tag, group, send, out):
    """`out[k]` is the slice `send[rank]` of rank k."""
    n, kind = send.nbytes // group.size, group.byte
    requests = [comm.Irecv((out, n, k * n, kind), k, tag) for k in group.sources]
    requests += [comm.Isend((send, n, k * n, kind), k, tag) for k in group.targets]
    if send.ndim > 1:
        out[group.rank] = send[group.rank]
    else:
        out.reshape((group.size, -1))[group.rank] = send.reshape((group.size, -1))[group.rank]
    return requests


def scattered(comm, tag, group, parts, out):
    """`out` is the sum of the slices `parts[rank]` of all ranks, which may have different lengths."""
    n, kind = out.nbytes, group.byte
    mine, spare = parts[group.rank], None
    for source, target in zip(group.sources, group.targets):
        put = out if spare is None else spare
        arriving = comm.Irecv((put, n, kind), source, tag)
        leaving = comm.Isend((parts[target], parts[target].nbytes, kind), target, tag)
        yield arriving
        np.add(out, mine if spare is None else spare, out)
        yield leaving
        if spare is None and group.size > 2:
            spare = np.empty_like(out)


def summed(comm, tag, group, send, out):
    """`out` is the sum of the arrays of all ranks: each adds one part, and all gather the parts."""
    size, kind = group.size, group.byte
    send, out = send.reshape(-1), out.reshape(-1)
    cuts = [len(out) * k // size for k in range(size + 1)]
    parts = [send[a:b] for a, b in zip(cuts, cuts[1:])]
    totals = [out[a:b] for a, b in zip(cuts, cuts[1:])]
    mine = totals[group.rank]
    yield from scattered(comm, tag, group, parts, mine)
    requests = [comm.Irecv((totals[k], totals[k].nbytes, kind), k, tag) for k in group.sources]
    yield from [*requests, *[comm.Isend((mine, mine.nbytes, kind), k, tag) for k in group.targets]]


def doubled(comm, tag, group, send, out):
    """`out` is the sum of the arrays of 2, 4 or 8 ranks: pairs of ranks add what they have, then pairs of pairs.

    Both sides of a pair add the same two numbers, so that all ranks have the same bits.
    """
    n, kind, put, step = send.nbytes, group.byte, out, 1
    while True:
        other = group.rank ^ step
        arriving = comm.Irecv((put, n, kind), other, tag)
        leaving = comm.Isend((send, n, kind), other, tag)
        yield arriving
        yield leaving
        np.add(put, send, out)
        step *= 2
        if step == group.size:
            return
        send, put = out, np.empty_like(out)
