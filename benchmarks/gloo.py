"""Collectives of torch.distributed over gloo, between the processes that mpiexec started."""

import os

import torch
import torch.distributed as td
from ranks import COMM


def start():
    """Join the ranks of MPI to a process group."""
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ["MASTER_PORT"] = COMM.bcast(os.environ.get("MASTER_PORT", "29531"))
    torch.set_num_threads(1)
    td.init_process_group("gloo", rank=COMM.rank, world_size=COMM.size)


def collectives(n):
    """Those of n bytes, into tensors that are used again."""
    m = n // 8
    x, cut = torch.ones(m, dtype=torch.float64), torch.ones(COMM.size * m, dtype=torch.float64)
    total, whole, part = x.clone(), cut.clone(), x.clone()
    left, right = (COMM.rank - 1) % COMM.size, (COMM.rank + 1) % COMM.size

    def shift():
        for work in td.batch_isend_irecv([td.P2POp(td.isend, x, right), td.P2POp(td.irecv, part, left)]):
            work.wait()

    return {
        "psum": lambda: td.all_reduce(total),
        "all_gather": lambda: td.all_gather_into_tensor(whole, x),
        "psum_scatter": lambda: td.reduce_scatter_tensor(part, cut),
        "all_to_all": lambda: td.all_to_all_single(whole, cut),
        "ppermute": shift,
    }


def end():
    td.destroy_process_group()
