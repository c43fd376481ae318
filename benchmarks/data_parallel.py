"""The data-parallel step of a network beside DistributedDataParallel over gloo.

`mpiexec -n 2 python benchmarks/data_parallel.py`, and without mpiexec for one rank. Both compute loss and gradients of
the same network in float32, each rank on its own 512 rows, and average the gradients. They take turns; milliseconds,
the least of the rounds.
"""

import argparse

import gloo
import numpy as np
import torch
from ranks import COMM, timed
from torch.nn.parallel import DistributedDataParallel

import covector.distributed as dist

SIZES = (64, 256, 256, 10)


def arrays():
    rng = np.random.default_rng(0)
    layers = list(zip(SIZES, SIZES[1:]))
    params = [((rng.normal(size=(m, n)) / np.sqrt(m)).astype("f4"), np.zeros(n, "f4")) for m, n in layers]
    rng = np.random.default_rng(1 + COMM.rank)
    return params, rng.normal(size=(512, 64)).astype("f4"), rng.normal(size=(512, 10)).astype("f4")


def of_covector():
    params, x, y = arrays()

    def loss(params, x, y):
        for w, b in params[:-1]:
            x = np.tanh(x @ w + b)
        w, b = params[-1]
        return np.mean((x @ w + b - y) ** 2)

    step = dist.data_parallel_value_and_grad(loss, dist.Mesh((COMM.size,), ("data",)))
    return lambda: step(params, x, y)


def of_torch():
    params, x, y = arrays()
    layers = []
    for w, b in params:
        layer = torch.nn.Linear(*w.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(w.T))
            layer.bias.copy_(torch.from_numpy(b))
        layers += [layer, torch.nn.Tanh()]
    net = torch.nn.Sequential(*layers[:-1])
    model = DistributedDataParallel(net) if COMM.size > 1 else net
    x, y = torch.from_numpy(x), torch.from_numpy(y)

    def step():
        model.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        return loss.detach(), [p.grad for p in net.parameters()]

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    gloo.start()
    ours, theirs = of_covector(), of_torch()
    gradient, other = ours()[1], theirs()[1]
    np.testing.assert_allclose(gradient[0][0], other[0].numpy().T, rtol=2e-3, atol=1e-6)
    a, b = timed([ours, theirs], 1, options.rounds)
    if COMM.rank == 0:
        print(f"{COMM.size} ranks: covector {a / 1e3:.2f} ms, DistributedDataParallel {b / 1e3:.2f} ms")
    gloo.end()


main()
