"""Timing functions of several ranks in turns, on a machine that others use too."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from mpi4py import MPI

COMM = MPI.COMM_WORLD


def timed(functions: Sequence[Callable[[], object]], repeats: int, rounds: int, comm: MPI.Comm = COMM) -> list[float]:
    """Microseconds a call of each function: of every round the time of the slowest rank, and of all rounds the least.

    The functions take turns within a round, so that what another program takes of the machine falls on all of them, and
    a round is short, so that some are left alone.
    """
    spent = np.zeros((len(functions), rounds))
    for j in range(rounds):
        for k, f in enumerate(functions):
            f()
            comm.Barrier()
            begun = time.perf_counter()
            for _ in range(repeats):
                f()
            spent[k, j] = (time.perf_counter() - begun) / repeats
    comm.Allreduce(MPI.IN_PLACE, spent, MPI.MAX)
    return list(spent.min(axis=1) * 1e6)


def quiet_barrier(comm: MPI.Comm = COMM) -> None:
    """Wait for all ranks without using a core, for one of them may be measured alone."""
    request = comm.Ibarrier()
    while not request.Test():
        time.sleep(0.0005)
