"""Programs over a mesh of four places, in words that covector and JAX share: run as a script, it saves what they give.

`python programs.py OUT` runs them with covector, on as many processes as mpiexec starts; `--jax` with JAX on four
devices. `on_devices.py` runs them with arrays of CuPy.
"""

import os
import sys
from types import SimpleNamespace

import numpy as np

RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
MESHES = {"line": ((4,), ("i",)), "square": ((2, 2), ("j", "i"))}  # the collectives go along i


def with_covector(cupy=np):
    import covector
    import covector.distributed as dist

    names = {name: getattr(covector, name) for name in (
        "psum", "pmean", "pmax", "pmin", "all_gather", "psum_scatter", "ppermute", "all_to_all", "axis_index",
        "axis_size", "grad", "jvp", "vjp", "vmap", "jit", "checkpoint")}
    meshes = {}

    def run(mesh, fun, specs, out, *args, around=lambda f: f):
        found = meshes.get(mesh) or meshes.setdefault(mesh, dist.Mesh(*MESHES[mesh]))
        spec = lambda s: dist.P(*s)  # noqa: E731
        local = [dist.shard(cupy.asarray(a), found, spec(s)) for a, s in zip(args, specs)]
        outs = tuple(spec(s) for s in out)
        result = around(dist.shard_map(fun, found, tuple(map(spec, specs)), outs))(*local)
        return dist.gather(tuple(result), found, outs)

    def gradients(mesh, fun, spec, w, x, around):
        """Those of a whole map, put together: each process has its part of the one by x."""
        found = meshes.get(mesh) or meshes.setdefault(mesh, dist.Mesh(*MESHES[mesh]))
        specs = dist.P(), dist.P(*spec)
        both = around(covector.grad(dist.shard_map(fun, found, specs, dist.P()), (0, 1)))
        dw, dx = both(cupy.asarray(w), dist.shard(cupy.asarray(x), found, specs[1]))
        return dw, dist.gather(dx, found, specs[1])

    return SimpleNamespace(np=covector.numpy, run=run, gradients=gradients,
                           rank=lambda: next(iter(meshes.values())).rank, **names)


def with_jax():
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    import jax

    jax.config.update("jax_enable_x64", True)
    lax = jax.lax
    names = {name: getattr(lax, name) for name in (
        "psum", "pmean", "pmax", "pmin", "all_gather", "psum_scatter", "ppermute", "all_to_all", "axis_index",
        "axis_size")}
    names |= {name: getattr(jax, name) for name in ("grad", "jvp", "vjp", "vmap", "jit", "checkpoint")}
    P = jax.sharding.PartitionSpec  # noqa: N806
    meshes = {k: jax.make_mesh(*v, axis_types=(jax.sharding.AxisType.Auto,) * len(v[0])) for k, v in MESHES.items()}

    def run(mesh, fun, specs, out, *args, around=lambda f: f):
        mapped = jax.shard_map(fun, mesh=meshes[mesh], in_specs=tuple(P(*s) for s in specs),
                               out_specs=tuple(P(*s) for s in out))
        return jax.jit(around(mapped))(*args)  # without it each operation is compiled by itself

    def gradients(mesh, fun, spec, w, x, around):
        mapped = jax.shard_map(fun, mesh=meshes[mesh], in_specs=(P(), P(*spec)), out_specs=P())
        return jax.jit(jax.grad(mapped, (0, 1)))(w, x)

    return SimpleNamespace(np=jax.numpy, run=run, gradients=gradients, rank=lambda: 0, **names)


# Each collective of an array of shape (n, 2), with n places along i.
COLLECTIVES = {
    "psum": lambda lib, x, n: lib.psum(x, "i"),
    "pmean": lambda lib, x, n: lib.pmean(x, "i"),
    "pmax": lambda lib, x, n: lib.pmax(x, "i"),
    "pmin": lambda lib, x, n: lib.pmin(x, "i"),
    "all_gather": lambda lib, x, n: lib.all_gather(x, "i"),
    "all_gather tiled": lambda lib, x, n: lib.all_gather(x, "i", axis=1, tiled=True),
    "psum_scatter": lambda lib, x, n: lib.psum_scatter(x, "i"),
    "psum_scatter tiled": lambda lib, x, n: lib.psum_scatter(x, "i", scatter_dimension=0, tiled=True),
    "ppermute": lambda lib, x, n: lib.ppermute(x, "i", RING if n == 4 else [(0, 1), (1, 0)]),
    "ppermute open": lambda lib, x, n: lib.ppermute(x, "i", RING[: n - 1]),
    "all_to_all": lambda lib, x, n: lib.all_to_all(x, "i", 0, 1),
    "all_to_all tiled": lambda lib, x, n: lib.all_to_all(x, "i", 0, 0, tiled=True),
    "axis_index": lambda lib, x, n: x * lib.axis_index("i").astype(x.dtype),
    "axis_size": lambda lib, x, n: x * lib.axis_size("i"),
}
MODES = {"float64": None, "int32": ("value", "vmap", "jit"), "float32": ("value", "jvp", "inside total", "outside"),
         "complex128": ("value", "jvp", "jit", "outside")}
ON_SQUARE = ("value", "inside total", "jit of gradient", "second order", "outside")
IN_JAX = ("value", "inside", "inside total", "second order")
# In JAX, which has no derivative of the former, and transposes the latter with its axes exchanged.
WITHOUT_DERIVATIVE = {"pmax", "pmin", "all_to_all"}


def loss_of(lib, y):
    return (y * y.conj()).real.sum() if lib.np.iscomplexobj(y) else lib.np.sin(y).sum()


def functions(lib, collective, n, axes):
    """`{mode: function of w and x at one place}`: w is the same at all places, x varies, and so do the last results."""
    def op(w, x):
        return collective(lib, w * x, n)

    def vary(y):
        for axis in axes:
            y = y + (0 * lib.axis_index(axis)).astype(y.dtype)
        return y

    def local(w, x):
        return loss_of(lib, op(w, x))

    def total(w, x):
        return lib.psum(vary(local(w, x)), axes)

    def gradients(f):
        return lambda w, x: lib.grad(f, (0, 1))(w, x)

    def weights(f, w):
        return lib.np.stack([f(w), f(2 * w), f(3 * w)])

    return total, {
        "value": lambda w, x: (vary(op(w, x)),),
        "jvp": lambda w, x: (vary(lib.jvp(op, (w, x), (w, x))[1]),),
        "inside": gradients(lambda w, x: vary(local(w, x))),
        "inside total": gradients(total),
        "jit": lambda w, x: (vary(lib.jit(op)(w, x)),),
        "jit of gradient": lambda w, x: lib.jit(gradients(total))(w, x),
        "vmap": lambda w, x: (vary(lib.vmap(lambda w: op(w, x), out_axes=-1)(lib.np.stack([w, 2 * w]))),),
        "vmap of gradient": lambda w, x: (lib.vmap(lambda w: gradients(total)(w, x)[0])(lib.np.stack([w, 2 * w])), x),
        "checkpoint": gradients(lib.checkpoint(total)),
        "second order": lambda w, x: lib.jvp(gradients(total), (w, x), (w, x))[1],
        "twice in reverse": gradients(lambda w, x: (gradients(total)(w, x)[0] ** 2).sum()),
    }


def data(dtype, n, j):
    rng = np.random.default_rng(n)
    shape = (j * n * n, 2)
    x, w = rng.normal(size=shape), rng.normal(size=(2,)) + 2.0
    if dtype == "complex128":
        return (w + 1j).astype(dtype), (x + 1j * rng.normal(size=shape)).astype(dtype)
    if dtype == "int32":
        return np.array([2, 3], dtype), rng.integers(-5, 6, shape).astype(dtype)
    return w.astype(dtype), x.astype(dtype)


def programs(lib, jax=False, one_dtype=False):
    """`(name, results)` of every program; with JAX, or on request, of those in float64 alone."""
    for mesh, (sizes, axes) in MESHES.items():
        n, j = sizes[-1], 4 // sizes[-1]
        cut = (axes,)
        for name, collective in COLLECTIVES.items():
            skips = jax and name in WITHOUT_DERIVATIVE
            for dtype, wanted in MODES.items():
                if name in ("pmax", "pmin") and dtype == "complex128":
                    continue
                if (jax or one_dtype) and dtype != "float64":
                    continue
                w, x = data(dtype, n, j)
                total, table = functions(lib, collective, n, axes)
                for mode, fun in table.items():
                    if wanted and mode not in wanted or mesh == "square" and mode not in ON_SQUARE:
                        continue
                    if jax and (mode not in IN_JAX or skips and mode != "value"):
                        continue  # each takes a quarter of a second to compile there
                    two = mode not in ("value", "jvp", "jit", "vmap")
                    out = ((), cut) if two else (cut,)
                    yield f"{mesh} {name} {dtype} {mode}", lib.run(mesh, fun, ((), cut), out, w, x)
                if dtype != "int32" and not skips:
                    yield f"{mesh} {name} {dtype} outside", lib.gradients(mesh, total, cut, w, x, lambda f: f)
                if dtype == "float64" and not jax:
                    yield f"{mesh} {name} {dtype} jit outside", lib.gradients(mesh, total, cut, w, x, lib.jit)


def main(out, jax, cupy=np, one_dtype=False):
    lib = with_jax() if jax else with_covector(cupy)
    found = {f"{name} {k}": v for name, results in programs(lib, jax, one_dtype) for k, v in enumerate(results)}
    assert jax or all(isinstance(v, cupy.ndarray | np.generic) for v in found.values())
    found = {name: np.asarray(v) if cupy is np else cupy.asnumpy(v) for name, v in found.items()}
    if lib.rank() == 0:
        np.savez(out, **found)


if __name__ == "__main__":
    main(sys.argv[1], "--jax" in sys.argv)
