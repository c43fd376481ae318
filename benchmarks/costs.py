"""What a derivative of one operation costs: `python benchmarks/costs.py` measures it and writes docs/costs.md.

For each operation: the time of the plain call, the bytes that a pullback keeps alive beyond operands and result, and
the time of a gradient (forward and backward, by `vjp`) and of a `jvp` over that of the plain call.
"""

import argparse
import datetime
import gc
import tracemalloc
from pathlib import Path
from time import process_time_ns

from environment import describe, single_thread

single_thread()

import numpy as np  # noqa: E402 - after the limit of threads

import covector as cv  # noqa: E402
import covector.nn  # noqa: E402
import covector.scipy.special  # noqa: E402

BEGIN, END = "<!-- costs:begin -->", "<!-- costs:end -->"
PAGE = Path(__file__).parent.parent / "docs" / "costs.md"
N, ROWS = 100_000, 200
SAMPLE_NS = 5_000_000  # the least length of a sample


def operations():
    """`{section: [(what is computed, function, operands)]}`."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.5, 1.5, N), rng.uniform(0.5, 1.5, N)
    a, b = rng.normal(size=(ROWS, ROWS)), rng.normal(size=(ROWS, ROWS))
    spd = a @ a.T + ROWS * np.eye(ROWS)
    places = rng.integers(0, N, N)
    image, kernel = rng.normal(size=(8, 3, 32, 32)), rng.normal(size=(16, 3, 3, 3))
    return {
        f"Elementwise, {N:,} numbers": [
            ("x + y", np.add, (x, y)), ("x * y", np.multiply, (x, y)), ("x / y", np.divide, (x, y)),
            ("x ** 1.5", lambda x: x**1.5, (x,)), ("sqrt(x)", np.sqrt, (x,)), ("exp(x)", np.exp, (x,)),
            ("log(x)", np.log, (x,)), ("sin(x)", np.sin, (x,)), ("tanh(x)", np.tanh, (x,)),
            ("maximum(x, y)", np.maximum, (x, y)), ("where(x > 1, x, y)", lambda x, y: np.where(x > 1, x, y), (x, y)),
            ("scipy.special.gammaln(x)", cv.scipy.special.gammaln, (x,)),
            ("scipy.special.erf(x)", cv.scipy.special.erf, (x,)), ("nn.relu(x)", cv.nn.relu, (x,)),
        ],
        f"Reductions and order, {N:,} numbers": [
            ("sum(x)", np.sum, (x,)), ("mean(x)", np.mean, (x,)), ("std(x)", np.std, (x,)), ("max(x)", np.max, (x,)),
            ("prod(x)", np.prod, (x,)), ("cumsum(x)", np.cumsum, (x,)), ("sort(x)", np.sort, (x,)),
            ("median(x)", np.median, (x,)), ("nn.logsumexp(x)", cv.nn.logsumexp, (x,)),
            ("nn.softmax(x)", cv.nn.softmax, (x,)),
        ],
        f"Shape and selection, {N:,} numbers": [
            ("x[::2]", lambda x: x[::2], (x,)), ("x[places]", lambda x: x[places], (x,)),
            ("x.reshape(-1, 100).T", lambda x: x.reshape(-1, 100).T, (x,)),
            ("concatenate((x, y))", lambda x, y: np.concatenate((x, y)), (x, y)),
            ("broadcast_to(x, (8, n))", lambda x: np.broadcast_to(x, (8, N)), (x,)),
        ],
        f"Matrices of {ROWS} x {ROWS}": [
            ("a @ b", np.matmul, (a, b)),
            ('einsum("ij,kj->ik", a, b)', lambda a, b: np.einsum("ij,kj->ik", a, b), (a, b)),
            ("linalg.solve(a, b)", np.linalg.solve, (spd, b)), ("linalg.inv(a)", np.linalg.inv, (spd,)),
            ("linalg.det(a)", np.linalg.det, (spd / ROWS,)),
            ("linalg.slogdet(a)[1]", lambda a: np.linalg.slogdet(a)[1], (spd,)),
            ("linalg.cholesky(a)", np.linalg.cholesky, (spd,)), ("linalg.qr(a)", np.linalg.qr, (a,)),
            ("linalg.eigvalsh(a)", np.linalg.eigvalsh, (spd,)), ("linalg.eigh(a)", np.linalg.eigh, (spd,)),
            ("linalg.svd(a)", np.linalg.svd, (a,)),
        ],
        "Transforms and layers": [
            (f"fft.fft(x), {N:,} numbers", np.fft.fft, (x,)),
            (f"convolve(x, w), {N:,} and 32 numbers", np.convolve, (x, y[:32].copy())),
            ("nn.conv(image, kernel), 8 x 3 x 32 x 32, 16 x 3 x 3 x 3", cv.nn.conv, (image, kernel)),
        ],
    }


def nbytes(tree):
    return sum(np.asarray(leaf).nbytes for leaf in cv.tree.leaves(tree))


def kept(fun, xs):
    """Bytes that live as long as the pullback, beyond operands and result; of arrays, so below 1 % are 0."""
    cv.vjp(fun, *xs)  # what is allocated once
    gc.collect()
    tracemalloc.start()
    out, pullback = cv.vjp(fun, *xs)
    gc.collect()
    found, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    views = isinstance(out, np.ndarray) and out.base is not None
    del pullback
    return max(0, found - (0 if views else nbytes(out)))


def best(runs, rounds):
    """The least time of each call, in ns of this process, taken in turns."""
    least = [float("inf")] * len(runs)
    counts = [1] * len(runs)
    for turn in range(rounds + 1):
        for k, run in enumerate(runs):
            start = process_time_ns()
            for _ in range(counts[k]):
                run()
            spent = (process_time_ns() - start) / counts[k]
            if turn:
                least[k] = min(least[k], spent)
            else:  # the first is a warm-up that says how many calls a sample has
                counts[k] = max(1, int(SAMPLE_NS / max(spent, 1000.0)))
    return least


def measure(fun, xs, rounds):
    out = fun(*xs)
    ct = cv.tree.map(np.ones_like, out)
    tangents = tuple(np.ones_like(x) for x in xs)
    plain, gradient, tangent = best([
        lambda: fun(*xs), lambda: cv.vjp(fun, *xs)[1](ct), lambda: cv.jvp(fun, xs, tangents)], rounds)
    return plain, kept(fun, xs), gradient / plain, tangent / plain


def shown_bytes(count):
    return "–" if count < 16384 else f"{count / 1024:,.0f} KiB" if count < 2**20 else f"{count / 2**20:.1f} MiB"


def shown_time(ns):
    return f"{ns / 1e3:.3g} µs" if ns < 1e6 else f"{ns / 1e6:.3g} ms"


def table(rounds):
    versions = describe()["versions"]
    today = f"{datetime.datetime.now(datetime.UTC):%d %B %Y}"
    lines = [f"Measured on {today} on one of two cores of a shared virtual machine, one thread, "
             f"NumPy {versions['numpy']}: the least of {rounds} samples of each call, in turns."]
    for section, rows in operations().items():
        lines += ["", f"## {section}", "", "| operation | time | bytes kept | gradient ÷ call | `jvp` ÷ call |",
                  "| --- | ---: | ---: | ---: | ---: |"]
        for name, fun, xs in rows:
            plain, held, gradient, tangent = measure(fun, xs, rounds)
            lines.append(f"| `{name}` | {shown_time(plain)} | {shown_bytes(held)} | {gradient:.1f} | {tangent:.1f} |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--page", type=Path, default=PAGE)
    arguments = parser.parse_args()
    before, begin, rest = arguments.page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{arguments.page.name} lacks {BEGIN} or {END}; add both lines to it")
    text = table(arguments.rounds)
    arguments.page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
