"""Weak scaling of four programs: `mpiexec -n N python benchmarks/scaling.py`; each rank has the same work at any N.

It prints the seconds of a step, the least of several: computing time of this process, and wall clock where the machine
is quiet. Efficiency is that of one rank divided by that of N.
"""

import json
import sys
import time

import numpy as np

import covector as cv
import covector.distributed as dist
from covector import random
from covector.distributed import P

MESH = dist.Mesh((int(sys.argv[1]),), ("data",))


def network():
    rng = np.random.default_rng(0)
    sizes = (64, 256, 256, 10)
    params = [(rng.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)) for m, n in zip(sizes, sizes[1:])]
    x, y = rng.normal(size=(512, 64)), rng.normal(size=(512, 10))

    def loss(params, x, y):
        for w, b in params[:-1]:
            x = np.tanh(x @ w + b)
        w, b = params[-1]
        return np.mean((x @ w + b - y) ** 2)

    step = dist.data_parallel_value_and_grad(loss, MESH)
    return lambda: step(params, x, y)


def jacobian():
    n = 64 * MESH.shape[0]
    a = np.random.default_rng(1).normal(size=(n, 256))

    def f(x):
        return np.tanh(a @ np.sin(x))

    x = np.ones(256)
    rows = dist.sharded_jacobian(f, MESH)
    return lambda: rows(x)


def chains():
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

    mapped = cv.jit(cv.vmap(chain))
    keys, xs = random.split(random.key(MESH.rank), 256), np.zeros((256, 20))
    return lambda: mapped(keys, xs)


def heat():
    steps = 40

    def energy(u, source):
        right = [(k, (k + 1) % MESH.shape[0]) for k in range(MESH.shape[0])]
        left = [(b, a) for a, b in right]
        for _ in range(steps):
            before, after = cv.ppermute(u[-1:], "data", right), cv.ppermute(u[:1], "data", left)
            wide = np.concatenate([before, u, after])
            u = u + 0.1 * (wide[2:] - 2 * u + wide[:-2]) + 0.01 * source
        return cv.psum(np.sum(u * u), "data")

    f = cv.jit(cv.grad(dist.shard_map(energy, MESH, (P("data"), P("data")), P()), (0, 1)))
    u = np.random.default_rng(3).normal(size=(256, 256))
    return lambda: f(u, 0.1 * u)


def main():
    found = {}
    for make in (network, jacobian, chains, heat):
        step = make()
        for _ in range(3):
            step()
        best = [float("inf")] * 2
        for _ in range(25):
            MESH.barrier()
            begun, used = time.perf_counter(), time.process_time()
            step()
            best = [min(best[0], time.perf_counter() - begun), min(best[1], time.process_time() - used)]
        found[make.__name__] = [max(column) for column in zip(*MESH.collect(best))]
    if MESH.rank == 0:
        print(json.dumps(found))


main()
