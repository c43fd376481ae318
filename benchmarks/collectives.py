"""Latency and bandwidth of collectives beside bare mpi4py: `mpiexec -n 2 python benchmarks/collectives.py`.

Three or four ways take turns: the blocking call of mpi4py with a result made anew at each call, as a function that
returns arrays has to; the same into one array that is used again; `covector.distributed`; and with `--gloo` that of
torch.distributed into one array that is used again.
"""

import argparse
import json
from importlib import import_module

import numpy as np
from mpi4py import MPI
from ranks import COMM, timed

import covector.distributed as dist

SIZES = [8, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20]


def bare(n, fresh):
    m = n // 8
    x, cut = np.ones(m), np.ones((COMM.size, m))
    left, right = (COMM.rank - 1) % COMM.size, (COMM.rank + 1) % COMM.size
    kept, many = np.empty(m), np.empty((COMM.size, m))

    def one():
        return np.empty(m) if fresh else kept

    def all_():
        return np.empty((COMM.size, m)) if fresh else many

    return {
        "psum": lambda: COMM.Allreduce(x, one()),
        "all_gather": lambda: COMM.Allgather(x, all_()),
        "psum_scatter": lambda: COMM.Reduce_scatter_block(cut, one()),
        "all_to_all": lambda: COMM.Alltoall(cut, all_()),
        "ppermute": lambda: COMM.Sendrecv(x, dest=right, recvbuf=one(), source=left),
    }


def ours(group, n):
    x, cut = np.ones(n // 8), np.ones((COMM.size, n // 8))
    ring = tuple((k, (k + 1) % COMM.size) for k in range(COMM.size))
    return {
        "psum": lambda: group.sum(x),
        "all_gather": lambda: group.gather(x),
        "psum_scatter": lambda: group.scatter(cut),
        "all_to_all": lambda: group.exchange(cut),
        "ppermute": lambda: group.shift(x, ring),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gloo", action="store_true")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--checks", nargs="+", default=["first", "always"])
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--out", help="a JSON file")
    options = parser.parse_args()
    rows = []
    theirs = import_module("gloo") if options.gloo else None  # needs torch
    if theirs:
        theirs.start()
    for check in options.checks:
        group = dist.Mesh((COMM.size,), ("data",), check=check).group("data")
        for n in options.sizes:
            sides = {"bare": bare(n, True), "again": bare(n, False), "covector": ours(group, n)}
            if theirs:
                sides["gloo"] = theirs.collectives(n)
            for name in sides["bare"]:
                repeats = max(2, min(40, (1 << 21) // n))
                found = timed([side[name] for side in sides.values()], repeats, options.rounds)
                row = {"check": check, "name": name, "bytes": n, **dict(zip(sides, found))}
                rows.append(row)
                if COMM.rank == 0:
                    more = f"  gloo {row['gloo']:9.1f}" if theirs else ""
                    print(f"{check:7} {name:13} {n:9} B  bare {row['bare']:9.1f} us  again {row['again']:9.1f}  "
                          f"covector {row['covector']:9.1f} {row['covector'] / row['bare']:5.2f} x "
                          f"{row['covector'] - row['bare']:+7.1f} us{more}", flush=True)
    if COMM.rank == 0 and options.out:
        with open(options.out, "w", encoding="utf-8") as out:
            library = MPI.Get_library_version().split("\n")[0]
            json.dump({"ranks": COMM.size, "mpi": library, "rows": rows}, out, indent=1)
    if theirs:
        theirs.end()


main()
