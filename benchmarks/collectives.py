"""Latency and bandwidth of collectives beside bare mpi4py: `mpiexec -n 2 python benchmarks/collectives.py`."""

import json
import sys
import time

import numpy as np
from mpi4py import MPI

import covector.distributed as dist

COMM = MPI.COMM_WORLD
SIZES = [8, 1024, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20]


def bare(n):
    x, out = np.ones(n // 8), np.empty(n // 8)
    wide = np.empty(n // 8 * COMM.size)
    cut = np.ones(n // 8 * COMM.size)
    part = np.empty(n // 8)
    left, right = (COMM.rank - 1) % COMM.size, (COMM.rank + 1) % COMM.size
    return {
        "psum": lambda: COMM.Allreduce(x, out),
        "all_gather": lambda: COMM.Allgather(x, wide),
        "psum_scatter": lambda: COMM.Reduce_scatter_block(cut, part),
        "all_to_all": lambda: COMM.Alltoall(cut, wide),
        "ppermute": lambda: COMM.Sendrecv(x, dest=right, recvbuf=out, source=left),
    }


def ours(group, n):
    x = np.ones(n // 8)
    cut = np.ones((COMM.size, n // 8))
    ring = tuple((k, (k + 1) % COMM.size) for k in range(COMM.size))
    return {
        "psum": lambda: group.sum(x),
        "all_gather": lambda: group.gather(x),
        "psum_scatter": lambda: group.scatter(cut),
        "all_to_all": lambda: group.exchange(cut),
        "ppermute": lambda: group.shift(x, ring),
    }


def timed(f, g, rounds):
    """The least times of two functions, run in turns."""
    best = [float("inf")] * 2
    for _ in range(7):
        for k, h in enumerate((f, g)):
            COMM.Barrier()
            begun = time.perf_counter()
            for _ in range(rounds):
                h()
            best[k] = min(best[k], (time.perf_counter() - begun) / rounds)
    return [COMM.allreduce(t, MPI.MAX) for t in best]


def main():
    rows = []
    for check in ("first", "always"):
        mesh = dist.Mesh((COMM.size,), ("data",), check=check)
        group = mesh.group("data")
        for n in SIZES:
            theirs, mine = bare(n), ours(group, n)
            for name in theirs:
                a, b = timed(theirs[name], mine[name], max(5, min(200, (1 << 22) // n)))
                rows.append({"check": check, "name": name, "bytes": n, "bare": a * 1e6, "ours": b * 1e6})
    if COMM.rank == 0:
        for r in rows:
            print(f"{r['check']:7} {r['name']:13} {r['bytes']:9} B  bare {r['bare']:9.1f} us  "
                  f"ours {r['ours']:9.1f} us  {r['ours'] / r['bare']:5.2f} x  + {r['ours'] - r['bare']:7.1f} us")
        if len(sys.argv) > 1:
            with open(sys.argv[1], "w", encoding="utf-8") as out:
                json.dump(rows, out)


main()
