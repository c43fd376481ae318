"""On a GPU: compiled functions of CuPy arrays beside jax.jit and torch.compile. `python benchmarks/device.py`

Each side computes the same numbers, which are compared first. A figure is the median time of a call, with the device
waited for after every 20; the sides take turns. `--rows chain,sums --sides eager,kernels` are some of them. Needs CuPy
and a device; JAX and PyTorch are left out where they are missing, or find none.
"""

import argparse
import time
from statistics import median

import numpy as np
from libraries import jax, torch

import covector as cv

try:
    import cupy
except ImportError:
    cupy = None

REPEATS, CALLS = 15, 20
WAIT = 'extern "C" __global__ void wait() { for (long long t = clock64(); clock64() - t < 20000000;); }'  # 10 ms


def chain(np):
    def fun(x):
        for _ in range(50):
            x = np.tanh(np.sin(x) * 1.1 + 0.1)
        return x.sum()

    return fun


def shaken(np):
    def fun(x):
        for _ in range(8):
            x = x / x.sum() + x.max()
        return (x * x).sum()

    return fun


def logistic(np):
    def fun(x):
        return np.log1p(np.exp(-x * 2.0)).sum() + (x * x).sum() * 0.1

    return fun


ROWS = {"chain": ("chain of 150 operations, 1,000 elements", chain, 1000),
        "long": ("chain of 150 operations, 10⁶ elements", chain, 10**6),
        "sums": ("16 sums and maxima, 10⁵ elements", shaken, 10**5),
        "logistic": ("logistic loss, 10⁷ elements", logistic, 10**7)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default=",".join(ROWS), help="of " + ", ".join(ROWS))
    parser.add_argument("--sides", default=",".join(SIDES), help="of " + ", ".join(SIDES))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    given = parser.parse_args()
    if cupy is None or not cupy.is_available():
        raise SystemExit("CuPy is not installed, or finds no CUDA device: nothing to time")
    print(f"{cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}, CuPy {cupy.__version__}; microseconds of a "
          f"value and its gradient, float32", flush=True)
    for row in given.rows.split(","):
        timed(*ROWS[row], given.sides.split(","), given.repeats)


def timed(title, make, size, names, repeats):
    """Print a row."""
    print(title, end=":", flush=True)
    x = np.random.default_rng(0).uniform(0.5, 1.5, size=size).astype(np.float32)
    sides, first = {}, {}
    for name in names:
        begun = time.perf_counter()
        side = SIDES[name](x, make)
        if side is not None:
            sides[name] = side
            first[name] = time.perf_counter() - begun
    answers = {name: run(1) for name, (run, _) in sides.items()}
    wanted = next(iter(answers.values()))
    for name, (value, gradient) in answers.items():
        np.testing.assert_allclose(value, wanted[0], 1e-3, err_msg=name)
        np.testing.assert_allclose(gradient, wanted[1], 2e-2, 1e-4, err_msg=name)
    times = {name: [] for name in sides}
    for _ in range(repeats):
        for name, (_, calls) in sides.items():
            begun = time.perf_counter()
            calls(CALLS)
            times[name].append((time.perf_counter() - begun) / CALLS * 1e6)
    for name, found in times.items():
        print(f" {name} {median(found):.1f} (first calls {first[name]:.1f} s)", end=";", flush=True)
    if "kernels" in sides:
        plan = cv.export_cuda(cv.value_and_grad(make(np)), x)
        print(f" kernels on the device alone {on_device(sides['kernels'][1]):.1f}, {len(plan.steps)} launches "
              f"{[(s.grid, s.block) for s in plan.steps[:3]]}", end="")
    print(flush=True)


def on_device(calls):
    """Microseconds of a call where the device has all of them before it begins the first."""
    wait = cupy.RawKernel(WAIT, "wait")
    begun, ended = cupy.cuda.Event(), cupy.cuda.Event()
    wait((1,), (1,), ())
    begun.record()
    calls(CALLS)
    ended.record()
    ended.synchronize()
    return cupy.cuda.get_elapsed_time(begun, ended) / CALLS * 1e3


def eager(x, make):
    return ours(x, make, None)


def kernels(x, make):
    return ours(x, make, "cuda")


def ours(x, make, printer):
    fun, x = cv.value_and_grad(make(np)), cupy.asarray(x)
    if printer is not None:
        fun = cv.jit(fun, compiler_options={"printer": printer})

    def calls(count):
        for _ in range(count):
            out = fun(x)
        cupy.cuda.Device().synchronize()
        return out

    calls(3)
    return lambda count: [a.get() for a in calls(count)], calls


def jax_side(x, make):
    if jax is None or jax.default_backend() != "gpu":
        return None
    fun, x = jax.jit(jax.value_and_grad(make(jax.numpy))), jax.numpy.asarray(x)

    def calls(count):
        for _ in range(count):
            out = fun(x)
        return jax.block_until_ready(out)

    calls(3)
    return lambda count: [np.asarray(a) for a in calls(count)], calls


def torch_side(x, make):
    if torch is None or not torch.cuda.is_available():
        return None
    fun = torch.compile(torch.func.grad_and_value(make(torch)), mode="reduce-overhead")
    x = torch.tensor(x, device="cuda")

    def calls(count):
        for _ in range(count):
            out = fun(x)
        torch.cuda.synchronize()
        return out

    calls(3)
    return lambda count: [a.cpu().numpy() for a in calls(count)][::-1], calls


SIDES = {"eager": eager, "kernels": kernels, "jax.jit": jax_side, "torch.compile": torch_side}

if __name__ == "__main__":
    main()
