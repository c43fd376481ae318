"""What collectives and steps cost on many ranks: a latency-bandwidth model, fitted to what was measured.

    mpiexec -n 2 python benchmarks/cost_model.py measure two.json
    mpiexec -n 4 python benchmarks/cost_model.py measure four.json
    python benchmarks/cost_model.py report two.json four.json --picture docs/_static/distributed_costs.svg

Of several files of as many ranks the least of each row counts.
A message of b bytes takes alpha + b beta, and adding b bytes takes b gamma. They are fitted to the collectives on two
ranks by the least relative errors, and then have to predict the same on four.
"""

import argparse
import json
import math

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


def halving(b, n):
    """Of a sum by recursive halving, and doubling of the parts."""
    return 2 * math.log2(n), 2 * (n - 1) / n * b, (n - 1) / n * b


def seconds(counts, model):
    return sum(c * p for c, p in zip(counts, model))


def fitted(rows):
    """`(alpha, beta, gamma)` in seconds, none negative: the least sum of relative errors without their signs."""
    a = np.array([steps(r["name"], r["bytes"], r["ranks"]) for r in rows])
    a = a / np.array([r["seconds"] for r in rows])[:, None]
    found, left, weights = np.zeros(3), [0, 1, 2], np.ones(len(rows))
    for _ in range(50):
        found = np.zeros(3)
        found[left] = np.linalg.lstsq(a[:, left] * weights[:, None], weights, rcond=None)[0]
        if (found < 0).any():
            left = [k for k in left if found[k] > 0]
        weights = 1 / np.sqrt(np.maximum(np.abs(a @ found - 1), 0.02))
    return found


def errors(rows, model):
    """Of each row, prediction over measurement."""
    return np.array([seconds(steps(r["name"], r["bytes"], r["ranks"]), model) / r["seconds"] for r in rows])


def measure(path, rounds, repeats):
    from ranks import COMM, timed  # noqa: PLC0415 - the other half needs no MPI

    import covector.distributed as dist  # noqa: PLC0415

    group = dist.Mesh((COMM.size,), ("data",)).group("data")
    perm = tuple((k, (k + 1) % COMM.size) for k in range(COMM.size))
    rows = []
    for b in SIZES:
        x, cut = np.ones(b // 8), np.ones((COMM.size, b // 8))
        calls = {"psum": lambda x=x: group.sum(x), "all_gather": lambda x=x: group.gather(x),
                 "psum_scatter": lambda cut=cut: group.scatter(cut), "ppermute": lambda x=x: group.shift(x, perm)}
        found = timed(list(calls.values()), repeats or max(2, min(30, (1 << 20) // b)), rounds)
        rows += [{"name": name, "bytes": b, "ranks": COMM.size, "seconds": t / 1e6} for name, t in zip(calls, found)]
    if COMM.rank == 0:
        with open(path, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)


NETWORKS = {  # assumed: alpha in seconds, beta in seconds a byte
    "200 Gbit/s": (5e-6, 1 / 20e9),
    "10 Gbit/s": (30e-6, 1 / 1.1e9),
}


PARAMETERS, COMPUTE = 100 << 20, 0.05  # bytes of gradients (26 million float32), seconds of a rank's own work
ROWS = 64 << 20  # bytes of a Jacobian that a rank computes


def training(model, n, way):
    """`(seconds of the sum, efficiency)` of a data-parallel step whose sum runs during half of the work."""
    total = seconds(way(PARAMETERS, n), model)
    return total, COMPUTE / (COMPUTE + max(0.0, total - COMPUTE / 2))


def rows_of_jacobian(model, n):
    """`(seconds of the gather, efficiency)` of rows that are shared out, and then gathered on every rank."""
    gather = seconds((n - 1, (n - 1) * ROWS, 0), model)
    return gather, COMPUTE / (COMPUTE + gather)


def least(paths):
    """Rows of two and of four ranks, of several runs the least of each."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for r in json.load(file):
                key = r["ranks"], r["name"], r["bytes"]
                if key not in found or r["seconds"] < found[key]["seconds"]:
                    found[key] = r
    return [[r for (ranks, _, _), r in found.items() if ranks == n] for n in (2, 4)]


def report(paths, picture):
    rows = least(paths)
    model = alpha, beta, gamma = fitted(rows[0])
    print(f"alpha {alpha * 1e6:.1f} us, 1 / beta {1 / beta / 1e9:.1f} GB/s, "
          f"1 / gamma {1 / gamma / 1e9 if gamma else math.inf:.1f} GB/s")
    for found in rows:
        e = errors(found, model)
        print(f"{found[0]['ranks']} ranks: prediction / measurement, median {np.median(e):.2f}, from {e.min():.2f} to "
              f"{e.max():.2f}; median error {np.median(np.abs(e - 1)):.0%}")
        for name in ("psum", "all_gather", "psum_scatter", "ppermute"):
            print(f"  {name:13}", "  ".join(f"{r['bytes']}: {r['seconds'] * 1e6:.1f} us ({k:.2f})"
                                            for r, k in zip(found, e) if r["name"] == name))
    machines = {name: (*net, gamma) for name, net in NETWORKS.items()}
    print("| ranks |", " | ".join(f"{name}: ring | halving | rows gathered" for name in machines), "|")
    for n in RANKS[2:]:
        cells = []
        for by in machines.values():
            for total, efficiency in (training(by, n, ring), training(by, n, halving), rows_of_jacobian(by, n)):
                cells.append(f"{total * 1e3:.0f} ms, {efficiency:.2f}")
        print(f"| {n} |", " | ".join(cells), "|")
    if picture:
        draw(rows, model, machines, picture)


def draw(rows, model, machines, picture):
    import matplotlib  # noqa: PLC0415 - the other half needs no pictures

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
        right.plot(RANKS, [training(by, n, ring)[1] for n in RANKS], ":", color=f"C{k}", label=f"ring, {name}")
        right.plot(RANKS, [training(by, n, halving)[1] for n in RANKS], color=f"C{k}", label=f"halving, {name}")
        right.plot(RANKS, [rows_of_jacobian(by, n)[1] for n in RANKS], "--", color=f"C{k}", label=f"rows, {name}")
    right.set(xscale="log", ylim=(0, 1.05), xlabel="ranks", ylabel="efficiency", title="predicted")
    right.legend(fontsize=6)
    figure.savefig(picture, metadata={"Date": None}, facecolor="white")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "report"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=0, help="calls a round; 1 where ranks share cores")
    parser.add_argument("--picture")
    options = parser.parse_args()
    if options.what == "measure":
        measure(options.files[0], options.rounds, options.repeats)
    else:
        report(options.files, options.picture)


if __name__ == "__main__":
    main()
