"""Weak scaling of programs: `mpiexec -n N python benchmarks/scaling.py`; each rank has the same work at any N.

Three ways take turns: the first rank alone with a mesh of one place while the others sleep; every rank with a mesh of
its own, independently of the others, which is what the machine gives at best when N programs share its memory, its
clock and its cores with everybody else; and the mesh of N ranks. Each figure is the least of the rounds, in
milliseconds: the wall clock, and the processor time of a rank, in which waiting for others counts as computing.
"""

import argparse
import json
import time

import numpy as np
from mpi4py import MPI
from ranks import COMM, quiet_barrier

import covector as cv
import covector.distributed as dist
from covector import random
from covector.distributed import P


def network(mesh):
    rng = np.random.default_rng(0)
    sizes = (64, 256, 256, 10)
    params = [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for m, n in zip(sizes, sizes[1:])]
    x, y = rng.normal(size=(512, 64)), rng.normal(size=(512, 10))

    def loss(params, x, y):
        for w, b in params[:-1]:
            x = np.tanh(x @ w + b)
        w, b = params[-1]
        return np.mean((x @ w + b - y) ** 2)

    step = dist.data_parallel_value_and_grad(loss, mesh)
    return lambda: step(params, x, y)


def jacobian(mesh):
    n = 64 * mesh.shape[0]
    a = np.random.default_rng(1).normal(size=(n, 256))

    def f(x):
        return np.tanh(a @ np.sin(x))

    x = np.ones(256)
    rows = dist.sharded_jacobian(f, mesh)
    return lambda: rows(x)


def chains(mesh):
    a = np.random.default_rng(2).normal(size=(20, 20)) / 5
    precision = a @ a.T + np.eye(20)

    def energy(x):
        return 0.5 * x @ precision @ x

    force = cv.grad(energy)

    def chain(key, x):
        here, there = random.split(key)
        p = random.normal(here, (20,))
        q, before = x, energy(x) + 0.5 * p @ p
        for _ in range(10):
            p = p - 0.05 * force(q)
            q = q + 0.1 * p
            p = p - 0.05 * force(q)
        accept = np.log(random.uniform(there)) < before - energy(q) - 0.5 * p @ p
        return np.where(accept, q, x)

    mapped = cv.jit(dist.shard_map(cv.vmap(chain), mesh, (P("data"), P("data")), P("data")))
    keys, xs = random.split(random.key(mesh.rank), 256), np.zeros((256, 20))
    return lambda: mapped(keys, xs)


def heat(mesh, n=256):
    steps = 40

    def energy(u, source):
        right = [(k, (k + 1) % mesh.shape[0]) for k in range(mesh.shape[0])]
        left = [(b, a) for a, b in right]
        for _ in range(steps):
            before, after = cv.ppermute(u[-1:], "data", right), cv.ppermute(u[:1], "data", left)
            wide = np.concatenate([before, u, after])
            u = u + 0.1 * (wide[2:] - 2 * u + wide[:-2]) + 0.01 * source
        return cv.psum(np.sum(u * u), "data")

    f = cv.jit(cv.grad(dist.shard_map(energy, mesh, (P("data"), P("data")), P()), (0, 1)))
    u = np.random.default_rng(3).normal(size=(n, n))
    return lambda: f(u, 0.1 * u)


def large_heat(mesh):
    return heat(mesh, 512)


def once(step):
    begun, used = time.perf_counter(), time.process_time()
    step()
    return time.perf_counter() - begun, time.process_time() - used


def measured(make, rounds):
    """`{way: (wall, processor)}` in seconds, each the least over rounds of the slowest rank."""
    together = make(dist.Mesh((COMM.size,), ("data",)))
    alone = make(dist.Mesh((1,), ("data",), MPI.COMM_SELF))
    for _ in range(3):
        alone()
        together()
    spent = np.zeros((rounds, 3, 2))
    for k in range(rounds):
        quiet_barrier()
        if COMM.rank == 0:
            spent[k, 0] = once(alone)
        quiet_barrier()
        COMM.Barrier()
        spent[k, 1] = once(alone)
        COMM.Barrier()
        spent[k, 2] = once(together)
    COMM.Allreduce(MPI.IN_PLACE, spent, MPI.MAX)
    return dict(zip(("alone", "beside", "together"), spent.min(axis=0).tolist()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--out", help="a JSON file")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    found = {}
    for make in (network, jacobian, chains, heat, large_heat):
        if options.names and make.__name__ not in options.names:
            continue
        ways = found[make.__name__] = measured(make, options.rounds)
        if COMM.rank == 0:
            for name, (wall, used) in ways.items():
                print(f"{make.__name__:10} {name:9} {wall * 1e3:8.2f} ms, processor {used * 1e3:8.2f}")
            (a, p), (b, q), (c, r) = (ways[name] for name in ("alone", "beside", "together"))
            print(f"{'':10} efficiency {a / c:.2f}, beside {b / c:.2f}; by processor {p / r:.2f}, {q / r:.2f}",
                  flush=True)
    if COMM.rank == 0 and options.out:
        with open(options.out, "w", encoding="utf-8") as out:
            json.dump({"ranks": COMM.size, "programs": found}, out)


main()
