"""Sparse derivatives at the sizes they are made for, with their bounds.

python benchmarks/sparse.py            all rows: medians of processor time, the load, and whether each bound holds
python benchmarks/sparse.py --quick    small sizes, values only
"""

import argparse
import os
import statistics
import sys
from time import process_time

import numpy as np

import covector as cv
from covector.scipy import sparse

ROUNDS = 7


def brusselator(y):
    """The right-hand side of the two-dimensional Brusselator with diffusion, on a square with periodic boundary."""
    n = int((y.size // 2) ** 0.5)
    u, v = y[: n * n].reshape(n, n), y[n * n :].reshape(n, n)
    rate = 0.02 * (n - 1) ** 2

    def diffused(w):
        return rate * (np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1) - 4.0 * w)

    return np.concatenate([(1.0 + u**2 * v - 4.4 * u + diffused(u)).ravel(),
        (3.4 * u - u**2 * v + diffused(v)).ravel()])


def bundle(observations, cameras, points, seed=0):
    """Residuals of bundle adjustment: points seen by cameras with 9 parameters, projected and distorted."""
    rng = np.random.default_rng(seed)
    camera, point = rng.integers(cameras, size=observations), rng.integers(points, size=observations)
    seen = rng.normal(size=(observations, 2))
    start = np.concatenate([rng.normal(size=(cameras, 9)).ravel() * 0.1, rng.normal(size=(points, 3)).ravel()])
    start[8 : 9 * cameras : 9] += 1.0
    start[9 * cameras + 2 :: 3] -= 10.0

    def residuals(x):
        c, p = x[: 9 * cameras].reshape(cameras, 9).T[:, camera], x[9 * cameras :].reshape(points, 3).T[:, point]
        r, t, (f, k1, k2) = c[:3], c[3:6], c[6:]
        angle = np.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
        a = r / angle
        cosine, sine = np.cos(angle), np.sin(angle)
        along = (a[0] * p[0] + a[1] * p[1] + a[2] * p[2]) * (1.0 - cosine)
        x0 = p[0] * cosine + (a[1] * p[2] - a[2] * p[1]) * sine + a[0] * along + t[0]
        x1 = p[1] * cosine + (a[2] * p[0] - a[0] * p[2]) * sine + a[1] * along + t[1]
        x2 = p[2] * cosine + (a[0] * p[1] - a[1] * p[0]) * sine + a[2] * along + t[2]
        u, v = -x0 / x2, -x1 / x2
        square = u * u + v * v
        scale = f * (1.0 + square * (k1 + k2 * square))
        return np.concatenate([scale * u - seen[:, 0], scale * v - seen[:, 1]])

    return residuals, start


def rosenbrock(x):
    """The chained Rosenbrock function."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def median(call, rounds=ROUNDS):
    """The median processor time of a call."""
    times = []
    for _ in range(rounds):
        start = process_time()
        call()
        times.append(process_time() - start)
    return statistics.median(times)


def ratio(call, other, rounds=15):
    """The least processor time of one call over that of the other, measured in turn."""
    pairs = [(median(call, 1), median(other, 1)) for _ in range(rounds)]
    return min(a for a, _ in pairs) / min(b for _, b in pairs)


def rows(quick):
    """`(what, figure, unit, bound)` of each row; a figure must not exceed its bound, except where it is a gain."""
    rng = np.random.default_rng(0)
    y = rng.uniform(0.5, 1.5, 200 if quick else 20_000)
    made = cv.sparse_jacobian(brusselator)
    yield "Brusselator, 20,000 unknowns: pattern and colouring", median(lambda: made.plan(y), 3), "s", 1.0
    plan = made.plan(y)
    sweeps = sum(plan.passes)
    seeds = rng.normal(size=(sweeps, y.size))
    tangents = cv.vmap(lambda v: cv.jvp(brusselator, (y,), (v,))[1])
    yield f"  the Jacobian by its plan, {sweeps} passes", 1e3 * median(lambda: plan(y)), "ms", None
    yield "  over the cost of its passes", ratio(lambda: plan(y), lambda: tangents(seeds)), "times", 1.2
    small = rng.uniform(0.5, 1.5, 72 if quick else 2048)
    plan = made.plan(small)
    np.testing.assert_allclose(plan(small).toarray(), cv.jacfwd(brusselator)(small), atol=1e-9)
    dense = median(lambda: cv.jacfwd(brusselator)(small), 3)
    yield "Brusselator, 2,048 unknowns: dense Jacobian over sparse", dense / median(lambda: plan(small)), "gain", 100.0
    residuals, x = bundle(*(60, 4, 10) if quick else (30_000, 100, 5_000))
    made = cv.sparse_jacobian(residuals)
    yield "Bundle adjustment, 30,000 observations: pattern and colouring", median(lambda: made.plan(x), 3), "s", None
    plan = made.plan(x)
    yield f"  the Jacobian over one evaluation, {sum(plan.passes)} passes", ratio(
        lambda: plan(x), lambda: residuals(x), 5), "times", None
    compiled, alone = cv.sparse_jacobian(residuals, jit=True).plan(x), cv.jit(residuals)
    np.testing.assert_allclose(compiled(x).toarray() if quick else compiled(x).data,
        plan(x).toarray() if quick else plan(
        x).data, rtol=1e-9, atol=1e-9)
    alone(x)
    yield "  the same with jit=True", ratio(lambda: compiled(x), lambda: residuals(x)), "times", 20.0
    yield "  the same over one compiled evaluation", ratio(lambda: compiled(x), lambda: alone(x)), "times", 20.0
    if quick:
        np.testing.assert_allclose(plan(x).toarray(), cv.jacfwd(residuals)(x), atol=1e-9)
    x = rng.uniform(0.5, 1.5, 100 if quick else 100_000)
    for colouring in ("star", "acyclic"):
        yield from hessian_rows(colouring, x, quick)
    n = 10 if quick else 100
    rows_, columns = laplacian_places(n)
    a = sparse.coo_array((np.where(rows_ == columns, 4.1, -1.0), (rows_, columns)), (n * n, n * n))
    b = rng.normal(size=n * n)

    def energy(data):
        return np.sum(sparse.linalg.spsolve(sparse.with_data(a, data), b) ** 2)

    plain = median(lambda: energy(a.data), 3)
    gradient = cv.grad(energy)
    yield "spsolve, 10,000 unknowns: gradient by all values over the value", median(
        lambda: gradient(a.data), 3) / plain, "times", None


def hessian_rows(colouring, x, quick):
    """The plan of a Hessian, and its evaluation."""
    made = cv.sparse_hessian(rosenbrock, colouring=colouring)
    yield f"Chained Rosenbrock, 100,000 unknowns: plan ({colouring})", median(lambda: made.plan(x), 3), "s", None
    plan = made.plan(x)
    yield f"  the Hessian by its plan, {plan.passes[0]} passes", median(lambda: plan(x)), "s", 1.0
    if quick:
        np.testing.assert_allclose(plan(x).toarray(), cv.hessian(rosenbrock)(x), atol=1e-8)


def laplacian_places(n):
    """Where the values of the Laplacian of a square of `n` by `n` points stand."""
    number = np.arange(n * n).reshape(n, n)
    pairs = [(number, number), (number[1:], number[:-1]), (number[:-1], number[1:]), (number[:, 1:], number[:, :-1]),
             (number[:, :-1], number[:, 1:])]
    return tuple(np.concatenate([pair[k].ravel() for pair in pairs]) for k in (0, 1))


def main():
    """Print the rows; the exit status says whether all bounds hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    held = True
    for what, figure, unit, bound in rows(quick):
        good = bound is None or quick or (figure >= bound if unit == "gain" else figure <= bound)
        held = held and good
        limit = "" if bound is None else f"  {'at least' if unit == 'gain' else 'at most'} {bound:g}"
        sys.stdout.write(f"{what:<68} {figure:9.3f} {unit:<5}{limit}{'' if good else '  MISSED'}\n")
    about = "processor time, medians; ratios of least times"
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, {about}\n")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
