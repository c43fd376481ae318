"""A training run that saves its state at each step: `training.py FOLDER STEPS`, from where the folder has it.

Each rank leaves a file beside the folder, named after its process.
"""

import os
import sys
from pathlib import Path

import numpy as np

import covector.distributed as dist
from covector.distributed import P


def main(folder, steps):
    ranks = Path(folder).with_suffix(".ranks")
    ranks.mkdir(parents=True, exist_ok=True)
    (ranks / str(os.getpid())).touch()
    mesh = dist.Mesh((4,), ("data",), time_limit=20)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 8))
    batch = dist.shard((x, x @ np.arange(8.0)), mesh, P("data"))
    step = dist.data_parallel_value_and_grad(lambda w, x, y: np.mean((x @ w - y) ** 2), mesh)
    specs = {"w": P(), "velocity": P("data")}
    state = {"w": np.zeros(8), "velocity": dist.shard(np.zeros(8), mesh, P("data"))}
    at = 0
    try:
        state, at = dist.load(folder, state, mesh, specs)
        if mesh.rank == 0:
            sys.stdout.write(f"went on from step {at}\n")
    except FileNotFoundError:
        pass
    assert np.isfinite(state["w"]).all()
    while at < steps:
        _, gradient = step(state["w"], *batch)
        velocity = 0.5 * state["velocity"] + dist.shard(gradient, mesh, P("data"))
        state = {"w": state["w"] - 0.05 * dist.gather(velocity, mesh, P("data")), "velocity": velocity}
        at += 1
        dist.save(folder, state, mesh, specs, step=at)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
