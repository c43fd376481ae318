"""Collectives of mpi4jax beside bare mpi4py: `mpiexec -n 2 python benchmarks/beside_mpi4jax.py`.

It needs an environment with jax, mpi4py and mpi4jax, and no covector: bare mpi4py, measured in turns with each, is what
both are compared with.
"""

import jax
import jax.numpy as jnp
import mpi4jax
import numpy as np
from mpi4py import MPI
from ranks import COMM, timed

jax.config.update("jax_enable_x64", True)
SIZES = [8, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20]


def main():
    left, right = (COMM.rank - 1) % COMM.size, (COMM.rank + 1) % COMM.size
    calls = {
        "psum": lambda x: mpi4jax.allreduce(x, op=MPI.SUM, comm=COMM),
        "all_gather": lambda x: mpi4jax.allgather(x, comm=COMM),
        "all_to_all": lambda x: mpi4jax.alltoall(jnp.stack([x] * COMM.size), comm=COMM),
        "ppermute": lambda x: mpi4jax.sendrecv(x, x, source=left, dest=right, comm=COMM),
    }
    for b in SIZES:
        m = b // 8
        x, cut = np.ones(m), np.ones((COMM.size, m))
        bare = {
            "psum": lambda x=x, m=m: COMM.Allreduce(x, np.empty(m)),
            "all_gather": lambda x=x, m=m: COMM.Allgather(x, np.empty((COMM.size, m))),
            "all_to_all": lambda cut=cut, m=m: COMM.Alltoall(cut, np.empty((COMM.size, m))),
            "ppermute": lambda x=x, m=m: COMM.Sendrecv(x, dest=right, recvbuf=np.empty(m), source=left),
        }
        for name, call in calls.items():
            f, here = jax.jit(call), jnp.ones(m)
            found = timed([bare[name], lambda f=f, here=here: f(here).block_until_ready()],
                          max(2, min(40, (1 << 21) // b)), 40)
            if COMM.rank == 0:
                print(f"{name:13} {b:9} B  bare {found[0]:9.1f} us  mpi4jax {found[1]:9.1f}", flush=True)


main()
