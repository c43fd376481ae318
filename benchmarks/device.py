"""On a GPU: compiled functions of CuPy arrays beside jax.jit and torch.compile. `python benchmarks/device.py`

Each side computes the same numbers, which are compared first. A figure is the median time of a call, with the device
waited for after every 20; the sides take turns. Needs CuPy and a device; JAX and PyTorch are left out where they are
missing, or find none.
"""

import sys
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


ROWS = [("chain of 150 operations, 1,000 elements", chain, 1000),
        ("chain of 150 operations, 10⁶ elements", chain, 10**6),
        ("16 sums and maxima, 10⁵ elements", shaken, 10**5), ("logistic loss, 10⁷ elements", logistic, 10**7)]


def main():
    if cupy is None or not cupy.is_available():
        raise SystemExit("CuPy is not installed, or finds no CUDA device: nothing to time")
    sys.stdout.write(f"{cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}, CuPy {cupy.__version__}; "
                     f"microseconds of a value and its gradient, float32\n")
    for title, make, size in ROWS:
        x = np.random.default_rng(0).uniform(0.5, 1.5, size=size).astype(np.float32)
        sides = {"CuPy, eager": ours(x, make, None), "jit, kernels": ours(x, make, "cuda")}
        sides |= {name: side for name, side in (("jax.jit", jax_side(x, make)), ("torch.compile", torch_side(x, make)))
                  if side is not None}
        answers = {name: run(1) for name, (run, _) in sides.items()}
        for name, (value, gradient) in answers.items():
            np.testing.assert_allclose(value, answers["CuPy, eager"][0], 1e-3, err_msg=name)
            np.testing.assert_allclose(gradient, answers["CuPy, eager"][1], 2e-2, 1e-4, err_msg=name)
        times = {name: [] for name in sides}
        for _ in range(REPEATS):
            for name, (_, calls) in sides.items():
                begun = time.perf_counter()
                calls(CALLS)
                times[name].append((time.perf_counter() - begun) / CALLS * 1e6)
        sys.stdout.write(f"{title}: " + ", ".join(f"{name} {median(t):.1f}" for name, t in times.items()) + "\n")


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


if __name__ == "__main__":
    main()
