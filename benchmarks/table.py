"""Writes the results as a Markdown table between the markers of the README."""

import argparse
import json
from pathlib import Path
from typing import Any

from case import AUTOGRAD, EAGER, JAX, NUMPY, TORCH, TORCH_FUNC

BEGIN, END = "<!-- benchmarks:begin -->", "<!-- benchmarks:end -->"
README = Path(__file__).parent.parent / "README.md"
RESULTS = Path(__file__).parent / "results.json"
OTHERS = (TORCH, TORCH_FUNC, AUTOGRAD, NUMPY)
OTHERS_OF_COMPILED = (EAGER, JAX, NUMPY)


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


def write(results: dict[str, Any], readme: Path) -> None:
    """Replace what stands between the markers of `readme`."""
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{readme.name} lacks {BEGIN} or {END}; add both lines to it")
    readme.write_text(f"{before}{BEGIN}\n{table(results)}\n{END}{after}", encoding="utf-8")


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
    arguments = parser.parse_args()
    write(json.loads(arguments.results.read_text()), arguments.readme)
