"""Writes the results as a Markdown table between the markers of the README."""

import argparse
import json
from pathlib import Path
from typing import Any

from case import AUTOGRAD, NUMPY, TORCH, TORCH_FUNC

BEGIN, END = "<!-- benchmarks:begin -->", "<!-- benchmarks:end -->"
README = Path(__file__).parent.parent / "README.md"
RESULTS = Path(__file__).parent / "results.json"
OTHERS = (TORCH, TORCH_FUNC, AUTOGRAD, NUMPY)


def table(results: dict[str, Any]) -> str:
    """Return the table of a results file, with a line saying where it was measured."""
    head = ["", "covector", *(f"÷ {side}" for side in OTHERS), "bound", ""]
    lines = [_line(head), _line(["---"] + ["---:"] * (len(head) - 3) + ["---", "---"])]
    lines += [_line(_cells(row)) for row in results["rows"]]
    return "\n".join([*lines, "", _provenance(results["environment"])])


def write(results: dict[str, Any], readme: Path) -> None:
    """Replace what stands between the markers of `readme`."""
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{readme.name} lacks {BEGIN} or {END}; add both lines to it")
    readme.write_text(f"{before}{BEGIN}\n{table(results)}\n{END}{after}", encoding="utf-8")


def _cells(row: dict[str, Any]) -> list[str]:
    ratios = [f"{row['ratios'][side]:.2f}" if side in row["ratios"] else "" for side in OTHERS]
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
        f"Columns 3 to 6 are time ratios, below 1 where covector is faster. One thread of an "
        f"{environment['cpu']}, Python {environment['python']}, {versions}; load average "
        f"{environment['load_average'][0]}; medians of interleaved repetitions "
        f"(`python benchmarks/run.py`)."
    )


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--readme", type=Path, default=README)
    arguments = parser.parse_args()
    write(json.loads(arguments.results.read_text()), arguments.readme)
