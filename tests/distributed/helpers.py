"""What a training run needs, as a script: it saves what the helpers give, the same on any number of ranks."""

import sys

import numpy as np

import covector
import covector.distributed as dist
from covector import random
from covector.distributed import P


def loss(params, x, y):
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return np.mean((x @ w + b - y) ** 2)


def network(rng, sizes):
    return [(rng.normal(size=(m, n)) / np.sqrt(m), rng.normal(size=n)) for m, n in zip(sizes, sizes[1:])]


def main(out, folder, cupy=np):
    found = {}
    on = lambda tree: covector.tree.map(cupy.asarray, tree)  # noqa: E731 - on the device
    rng = np.random.default_rng(0)
    mesh = dist.Mesh((4,), ("data",))
    params, x, y = on((network(rng, (5, 16, 16, 3)), rng.normal(size=(16, 5)), rng.normal(size=(16, 3))))
    batch = dist.shard((x, y), mesh, P("data"))
    for name, options in {"plain": {}, "small": {"bucket_bytes": 64}, "micro": {"micro_batches": 2}}.items():
        value, gradient = dist.data_parallel_value_and_grad(loss, mesh, **options)(params, *batch)
        found[f"{name} value"] = value
        for k, g in enumerate(covector.tree.leaves(gradient)):
            found[f"{name} gradient {k}"] = g

    complex_params = on(np.arange(5) + 1j * np.arange(5.0)[::-1])
    found["complex"] = dist.data_parallel_value_and_grad(lambda w, x: np.mean(abs(x @ w) ** 2), mesh)(
        complex_params, batch[0])[1]
    nested = dist.data_parallel_value_and_grad(loss, mesh, micro_batches=2)
    for name, around in {"compiled": covector.jit, "mapped": lambda f: lambda p: covector.vmap(f)(
            covector.tree.map(lambda w: np.stack([w, 2 * w]), p))}.items():
        value, gradient = around(lambda params: nested(params, *batch))(params)
        found[f"{name} value"], found[f"{name} gradient"] = value, gradient[0][0]
    found["twice"] = covector.grad(lambda w: (nested([w, *params[1:]], *batch)[1][0][0] ** 2).sum())(params[0])[0]

    @dist.shard_map(mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=(P(), P()))
    def step(params, x, y):
        value, gradient = covector.value_and_grad(lambda p: covector.pmean(loss(p, x, y), "data"))(params)
        return value, gradient

    found["inside value"], gradient = step(params, *batch)
    for k, g in enumerate(covector.tree.leaves(gradient)):
        found[f"inside gradient {k}"] = g

    def wave(x):
        return np.sin(np.outer(x, x)).sum(1) * x

    rows = dist.sharded_jacobian(wave, mesh)(on(rng.normal(size=8)))
    found["jacobian"] = dist.gather(rows, mesh, P("data"))

    def chain(key):  # random-walk Metropolis on a normal distribution
        def move(carry, key):
            x = carry
            here, there = random.split(key)
            y = x + random.normal(here, (2,))
            accept = np.log(random.uniform(there)) < 0.5 * (x @ x - y @ y)
            return np.where(accept, y, x), x

        return covector.lax.scan(move, np.zeros(2), random.split(key, 50))[1]

    keys = dist.shard(random.split(random.key(3), 8), mesh, P("data"))
    chains = dist.shard_map(covector.vmap(chain), mesh, (P("data"),), P("data"))(keys)
    found["chains"] = dist.gather(chains, mesh, P("data"))

    square = dist.Mesh((2, 2), ("data", "model"))
    w1, w2 = on((rng.normal(size=(5, 8)), rng.normal(size=(8, 3))))
    specs = (P(None, "model"), P("model"), P("data"), P("data"))

    @dist.shard_map(mesh=square, in_specs=specs, out_specs=P())
    def split_loss(w1, w2, x, y):
        hidden = np.tanh(dist.dense_columns(x, w1))
        return covector.pmean(np.mean((dist.dense_rows(hidden, w2, axis_name="model") - y) ** 2), "data")

    local = [dist.shard(a, square, s) for a, s in zip((w1, w2, x, y), specs)]
    value, (d1, d2) = covector.value_and_grad(split_loss, (0, 1))(*local)
    found["split value"], found["split 1"] = value, dist.gather(d1, square, specs[0])
    found["split 2"] = dist.gather(d2, square, specs[1])

    stages = on(rng.normal(size=(4, 3, 3)))
    piped = dist.shard_map(lambda w, x: dist.pipeline(lambda w, x: np.tanh(x @ w[0]), w, x, axis_name="data"), mesh,
                           (P("data"), P()), P())
    found["pipeline"] = piped(dist.shard(stages, mesh, P("data")), x[:6, :3].reshape(3, 2, 3))
    dw = covector.grad(lambda w: np.sum(piped(w, x[:6, :3].reshape(3, 2, 3)) ** 2))(dist.shard(stages, mesh, P("data")))
    found["pipeline gradient"] = dist.gather(dw, mesh, P("data"))

    state = on({"w": np.arange(16.0).reshape(8, 2), "b": np.float32([1, 2]), "n": np.array(3)})
    specs = {"w": P("data"), "b": P(), "n": P()}
    if "--load" in sys.argv:
        like = dist.shard({k: np.zeros_like(v) for k, v in state.items()}, mesh, specs)
        loaded, number = dist.load(folder, like, mesh, specs)
        whole = dist.gather(loaded, mesh, specs)
        assert number == 5 and all((whole[k] == state[k]).all() for k in state), whole
    else:
        dist.save(folder, dist.shard(state, mesh, specs), mesh, specs, step=5)
    assert all(isinstance(v, cupy.ndarray | np.generic) for name, v in found.items() if name != "chains")
    if mesh.rank == 0:
        np.savez(out, **{k: v if isinstance(v, np.ndarray | np.generic) else cupy.asnumpy(v) for k, v in found.items()})


if __name__ == "__main__":
    main(*sys.argv[1:3])
