"""Writes the results between the markers of two pages: eight rows into the README, all of them into the docs."""

import argparse
import json
from pathlib import Path
from typing import Any

from case import AUTOGRAD, COVECTOR, EAGER, JAX, JAX_EAGER, NUMPY, TORCH, TORCH_FUNC

BEGIN, END = "<!-- benchmarks:begin -->", "<!-- benchmarks:end -->"
README = Path(__file__).parent.parent / "README.md"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
RESULTS = Path(__file__).parent / "results.json"
OTHERS = (TORCH, TORCH_FUNC, AUTOGRAD, NUMPY)
OTHERS_OF_COMPILED = (EAGER, JAX, NUMPY)
WELL_KNOWN = {  # what the README shows: title -> its row, and the one of the compiled program
    "Rosenbrock function of 10 variables: gradient": ("rosenbrock-gradient", "jit-rosenbrock-10"),
    "its Hessian": ("rosenbrock-hessian", "jit-rosenbrock-hessian-10"),
    "MLP 4-32-32-1, batch 32: loss and gradients": ("mlp-small", "jit-mlp-small"),
    "MLP 784-256-256-10, batch 128, float32: the same": ("mlp-float32", "jit-mlp"),
    "200 RK4 steps of an ODE of 2 variables: gradient": ("rk4", "jit-rk4"),
    "LSTM, 50 steps, hidden 128, batch 16: loss and gradients": ("lstm", "jit-lstm"),
    "logistic regression, 10,000 x 50: Hessian": ("logistic-hessian", "jit-logistic-hessian"),
    "tanh, exp, log1p of 10⁶ numbers: value and gradient": ("elementwise-float64", "jit-elementwise-float64"),
}


def summary(results: dict[str, Any]) -> str:
    """Return the table of the rows that users know: times of each library, those of programs as they are written."""
    rows = {row["name"]: row for row in results["rows"]}
    columns = ("by hand in NumPy", "covector", "covector.jit", "JAX", "jax.jit", "PyTorch", "autograd")
    lines = [_line(["", *columns]), _line(["---"] + ["---:"] * len(columns))]
    for title, (eager, compiled) in WELL_KNOWN.items():
        if eager not in rows or compiled not in rows:
            continue
        plain, staged = rows[eager]["facts"], rows[compiled]["facts"]
        times = [plain.get(NUMPY) or staged.get(NUMPY), plain.get(COVECTOR), staged.get(COVECTOR),
                 staged.get(JAX_EAGER), staged.get(JAX), plain.get(TORCH), plain.get(AUTOGRAD)]
        lines.append(_line([title, *["" if t is None else _figure(t["median_us"], "µs") for t in times]]))
    cpu = results["environment"]["cpu"]
    return "\n".join([*lines, "", f"One thread of an {cpu}; medians; `covector.jit` with the extra `llvm`."])


def table(results: dict[str, Any]) -> str:
    """Return the tables of a results file, with a line saying where it was measured."""
    compiled = [row for row in results["rows"] if set(row["ratios"]) & {EAGER, JAX}]
    others = [row for row in results["rows"] if row not in compiled]
    lines = _part("covector", OTHERS, others)
    if compiled:
        lines += ["", *_part("covector.jit", OTHERS_OF_COMPILED, compiled)]
    return "\n".join([*lines, "", _provenance(results["environment"])])


def _part(ours: str, others: tuple[str, ...], rows: list[dict[str, Any]]) -> list[str]:
    head = ["", ours, *(f"÷ {side}" for side in others), "bound", ""]
    lines = [_line(head), _line(["---"] + ["---:"] * (len(head) - 3) + ["---", "---"])]
    return lines + [_line(_cells(row, others)) for row in rows]


def write(results: dict[str, Any], readme: Path = README, page: Path = PAGE) -> None:
    """Replace what stands between the markers of both pages."""
    parts = [_around(path) for path in (readme, page)]
    for path, (before, after), text in zip((readme, page), parts, (summary(results), table(results))):
        path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def _around(page: Path) -> tuple[str, str]:
    """What stands before and after the markers of a page."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} lacks {BEGIN} or {END}; add both lines to it")
    return before, after


def _cells(row: dict[str, Any], others: tuple[str, ...]) -> list[str]:
    ratios = [f"{row['ratios'][side]:.2f}" if side in row["ratios"] else "" for side in others]
    bounds = [_bound(bound, row["unit"]) for bound in row["bounds"]]
    verdict = "yes" if all(bound["holds"] for bound in row["bounds"]) else "**no**"
    return [row["title"], _figure(row["figure"], row["unit"]), *ratios, ", ".join(bounds), verdict]


def _bound(bound: dict[str, Any], unit: str) -> str:
    if bound["against"] is None:
        return f"≤ {_figure(bound['limit'], unit)}"
    return f"≤ {bound['limit']:g} × {bound['against']}"


def _figure(value: float, unit: str) -> str:
    if unit == "µs" and value >= 1000:
        value, unit = value / 1000, "ms"
    return f"{value:.3g} {'×' if unit == 'x' else unit}"


def _provenance(environment: dict[str, Any]) -> str:
    versions = ", ".join(f"{k} {v}" for k, v in environment["versions"].items() if v)
    return (
        f"The columns marked ÷ are time ratios, below 1 where covector is faster; ÷ NumPy is against the same "
        f"computation, derivatives included, written by hand in NumPy. One thread of an {environment['cpu']}, Python "
        f"{environment['python']}, {versions}; load average {environment['load_average'][0]}; medians of interleaved "
        f"repetitions (`python benchmarks/run.py`)."
    )


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--readme", type=Path, default=README)
    parser.add_argument("--page", type=Path, default=PAGE)
    arguments = parser.parse_args()
    write(json.loads(arguments.results.read_text()), arguments.readme, arguments.page)
