"""What collectives and steps cost on many ranks: a latency-bandwidth model, fitted to what was measured.

    mpiexec -n 2 python benchmarks/cost_model.py measure two.json
    mpiexec -n 4 python benchmarks/cost_model.py measure four.json
    python benchmarks/cost_model.py report two.json four.json --picture docs/_static/distributed_costs.svg

A message of b bytes takes alpha + b beta, and adding b bytes takes b gamma. They are fitted to the collectives on two
ranks by least squares of relative errors, and then have to predict the same on four.
"""

import argparse
import json
import math

import matplotlib
import numpy as np

SIZES = [8, 1 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20]
CUT = 1 << 20  # bytes from which covector's sums are cut into parts
RANKS = [2**k for k in range(1, 13)]


def steps(name, b, n):
    """`(messages after one another, bytes sent by a rank, bytes added)` of a collective of covector on few ranks."""
    if name == "ppermute":
        return 1, b, 0
    if name == "all_gather":
        return 1, (n - 1) * b, 0
    if name == "psum_scatter":  # b bytes a slice
        return n - 1, (n - 1) * b, (n - 1) * b
    if b < CUT:
        return math.log2(n), math.log2(n) * b, math.log2(n) * b
    return n, 2 * (n - 1) * b / n, (n - 1) * b / n


def ring(b, n):
    """The same of a sum by a ring."""
    return 2 * (n - 1), 2 * (n - 1) / n * b, (n - 1) / n * b


def doubling(b, n):
    """Of a sum by recursive doubling."""
    return math.log2(n), math.log2(n) * b, math.log2(n) * b


def halving(b, n):
    """Of a sum by recursive halving, and doubling of the parts."""
    return 2 * math.log2(n), 2 * (n - 1) / n * b, (n - 1) / n * b


def seconds(counts, model):
    return sum(c * p for c, p in zip(counts, model))


def fitted(rows):
    """`(alpha, beta, gamma)` in seconds, none negative."""
    a = np.array([steps(r["name"], r["bytes"], r["ranks"]) for r in rows])
    y = np.array([r["seconds"] for r in rows])
    a, left = a / y[:, None], [0, 1, 2]
    while True:
        found = np.zeros(3)
        found[left] = np.linalg.lstsq(a[:, left], np.ones(len(y)), rcond=None)[0]
        if (found >= 0).all():
            return found
        left = [k for k in left if found[k] > 0]


def errors(rows, model):
    """Of each row, prediction over measurement."""
    return np.array([seconds(steps(r["name"], r["bytes"], r["ranks"]), model) / r["seconds"] for r in rows])


def measure(path, rounds):
    from ranks import COMM, timed  # noqa: PLC0415 - the other half needs no MPI

    import covector.distributed as dist  # noqa: PLC0415

    group = dist.Mesh((COMM.size,), ("data",)).group("data")
    perm = tuple((k, (k + 1) % COMM.size) for k in range(COMM.size))
    rows = []
    for b in SIZES:
        x, cut = np.ones(b // 8), np.ones((COMM.size, b // 8))
        calls = {"psum": lambda x=x: group.sum(x), "all_gather": lambda x=x: group.gather(x),
                 "psum_scatter": lambda cut=cut: group.scatter(cut), "ppermute": lambda x=x: group.shift(x, perm)}
        found = timed(list(calls.values()), max(2, min(30, (1 << 20) // b)), rounds)
        rows += [{"name": name, "bytes": b, "ranks": COMM.size, "seconds": t / 1e6} for name, t in zip(calls, found)]
    if COMM.rank == 0:
        with open(path, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)


NETWORKS = {  # alpha in seconds, beta in seconds a byte of each
    "a cluster of 200 Gbit/s": (5e-6, 1 / 20e9),
    "Ethernet of 10 Gbit/s": (30e-6, 1 / 1.1e9),
}


def training(model, n, compute=0.1, b=100 << 20, overlap=0.5):
    """`(seconds, efficiency)` of a data-parallel step: gradients of 26 million float32 parameters, 0.1 s of work."""
    sums = min(seconds(way(b, n), model) for way in (ring, doubling, halving))
    step = compute + max(0.0, sums - overlap * compute)
    return step, compute / step


def rows_of_jacobian(model, n, compute=0.1, b=64 << 20):
    """`(seconds, efficiency)` of rows shared out, 0.1 s and 64 MiB of them a rank, then gathered on every rank."""
    gather = seconds((n - 1, (n - 1) * b, 0), model)
    return compute + gather, compute / (compute + gather)


def report(two, four, picture):
    rows = json.loads(open(two, encoding="utf-8").read()), json.loads(open(four, encoding="utf-8").read())
    model = fitted(rows[0])
    alpha, beta, gamma = model
    print(f"alpha {alpha * 1e6:.1f} us, 1 / beta {1 / beta / 1e9:.1f} GB/s, 1 / gamma "
          f"{1 / gamma / 1e9 if gamma else math.inf:.1f} GB/s")
    shared = alpha * 2, beta * 2, gamma * 2  # four ranks on two cores take turns
    for ranks, found, by in ((2, rows[0], model), (4, rows[1], model), ("4 on 2 cores", rows[1], shared)):
        e = errors(found, by)
        print(f"{ranks} ranks: prediction / measurement, median {np.median(e):.2f}, from {e.min():.2f} to "
              f"{e.max():.2f}; median error {np.median(np.abs(e - 1)):.0%}")
    machines = {"this machine, were it larger": tuple(model)}
    machines |= {name: (*net, gamma) for name, net in NETWORKS.items()}
    for title, f in (("training", training), ("rows gathered", rows_of_jacobian)):
        print(title)
        for name, by in machines.items():
            print(f"  {name:30}", "  ".join(f"{n}: {f(by, n)[1]:.3f}" for n in RANKS[2:]))
    if picture:
        draw(rows, model, machines, picture)


def draw(rows, model, machines, picture):
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "covector", "font.family": "sans-serif"})
    import matplotlib.pyplot as plt  # noqa: PLC0415 - after the choice of what draws

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for k, name in enumerate(("psum", "all_gather", "psum_scatter", "ppermute")):
        mine = [r for r in rows[0] if r["name"] == name]
        left.plot([r["bytes"] for r in mine], [r["seconds"] * 1e6 for r in mine], "o", color=f"C{k}", ms=4, label=name)
        left.plot([r["bytes"] for r in mine], [seconds(steps(name, r["bytes"], 2), model) * 1e6 for r in mine],
                  color=f"C{k}", linewidth=1)
    left.set(xscale="log", yscale="log", xlabel="bytes", ylabel="µs", title="two ranks: measured, and the model")
    left.legend(fontsize=8)
    for k, (name, by) in enumerate(machines.items()):
        right.plot(RANKS, [training(by, n)[1] for n in RANKS], color=f"C{k}", label=f"training, {name}")
        right.plot(RANKS, [rows_of_jacobian(by, n)[1] for n in RANKS], "--", color=f"C{k}", label=f"rows, {name}")
    right.set(xscale="log", ylim=(0, 1.05), xlabel="ranks", ylabel="efficiency", title="predicted")
    right.legend(fontsize=6)
    figure.savefig(picture, metadata={"Date": None}, facecolor="white")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "report"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--picture")
    options = parser.parse_args()
    if options.what == "measure":
        measure(options.files[0], options.rounds)
    else:
        report(*options.files, options.picture)


main()
