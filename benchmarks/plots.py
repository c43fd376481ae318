"""Pictures of `results.json` for docs/benchmarks.md, which calls these functions when the site is built."""

import html
import json
import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

RESULTS = Path(__file__).parent / "results.json"
COLOURS = {"PyTorch": "#d95f02", "torch.func": "#e6ab02", "autograd": "#7570b3", "NumPy": "#888888",
           "jax.jit": "#1b9e77"}


def read(path: Path = RESULTS) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def ratios(results: dict[str, Any], sides: tuple[str, ...], compiled: bool) -> list[tuple[str, dict[str, float]]]:
    """`[(title, {side: time of covector over that of the side})]` of eager rows, or of compiled ones."""
    found = []
    for row in results["rows"]:
        if compiled != bool({"eager", "jax.jit"} & set(row["ratios"])):
            continue
        against = {side: row["ratios"][side] for side in sides if row["ratios"].get(side)}
        if against:
            found.append((row["title"], against))
    return found


def draw(results: dict[str, Any], sides: tuple[str, ...], compiled: bool = False) -> Any:
    """One line a row, one dot for each of the other sides; left of the line at 1 covector takes less time."""
    rows = ratios(results, sides, compiled)
    rows.sort(key=lambda row: max(row[1].values()))
    figure, axes = plt.subplots(figsize=(8, 1 + 0.21 * len(rows)), layout="constrained")
    for k, (_, against) in enumerate(rows):
        axes.plot([min(against.values()), max(against.values())], [k, k], color="#aaaaaa", linewidth=0.7, zorder=1)
    for side in sides:
        places = [(against[side], k) for k, (_, against) in enumerate(rows) if side in against]
        axes.scatter(*zip(*places), s=16, color=COLOURS[side], label=side, zorder=2)
    axes.axvline(1.0, color="#cc0000", linewidth=1)
    axes.set(xscale="log", xlabel="time ÷ that of the other, which is faster right of 1", ylim=(-1, len(rows)))
    axes.set_yticks(range(len(rows)), [_short(title) for title, _ in rows], fontsize=7)
    figure.legend(loc="outside upper right", ncols=len(sides), fontsize=8)
    return figure


def _short(title: str) -> str:
    title = title.replace("`", "")
    return title if len(title) < 64 else title[:62] + "…"


class Table:
    """Rows of text that a notebook shows as a table, a terminal as lines."""

    def __init__(self, head: tuple[str, ...], rows: list[tuple[str, ...]]):
        self.head, self.rows = head, rows

    def __repr__(self) -> str:
        return "\n".join(" | ".join(row) for row in (self.head, *self.rows))

    def _repr_html_(self) -> str:
        lines = [f"<tr>{''.join(f'<{tag}>{_html(cell)}</{tag}>' for cell in row)}</tr>"
                 for row, tag in ((self.head, "th"), *((row, "td") for row in self.rows)) if any(row)]
        return f'<div class="table-wrapper"><table class="docutils">{"".join(lines)}</table></div>'


def _html(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text))


def slower(results: dict[str, Any],
           sides: tuple[str, ...] = ("PyTorch", "torch.func", "autograd", "jax.jit")) -> Table:
    """The rows in which one of the other libraries is faster."""
    found = [(row["title"], [f"{row['ratios'][side]:.2f} × {side}" for side in sides
                             if row["ratios"].get(side, 0) > 1]) for row in results["rows"]]
    return Table(("row", "covector takes"), [(title, ", ".join(worse)) for title, worse in found if worse])


def missed(results: dict[str, Any]) -> Table:
    """The bounds that were set before, and that the measurement does not keep."""
    rows = []
    for row in results["rows"]:
        for bound in row["bounds"]:
            if not bound["holds"]:
                unit = f"× {bound['against']}" if bound["against"] else {"x": "×"}.get(row["unit"], row["unit"])
                rows.append((row["title"], f"{bound['limit']:g} {unit}", f"{bound['measured']:.4g} {unit}"))
    return Table(("row", "bound", "measured"), rows)


def machine(results: dict[str, Any]) -> Table:
    """What the figures were measured on."""
    facts = results["environment"]
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items() if version)
    return Table(("", ""), [
        ("machine", f"one of {facts['cores']} cores of a shared virtual machine ({facts['cpu']}), {facts['system']}"),
        ("load average", f"{facts['load_average'][0]} at the start, {facts['load_average_after'][0]} at the end"),
        ("Python", facts["python"]), ("versions", versions)])
