"""The audit: which primitive has which rules, and which cases its samples exercise."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from covector.core.primitive.primitive import REGISTRY, Primitive
from covector.core.progress import with_progress
from covector.testing.cases import Case, cases, find

COLUMNS = ("jvp rule", "vjp rule", "batch", "shape", "samples", "()", "(0,)", "broadcast", "float32", "complex",
           "tolerance")
HOLE = ""


def audit(primitives: Sequence[Any] | None = None, progress: bool | Callable[[int, int], Any] | None = None
          ) -> dict[str, dict[str, str]]:
    """Report for every primitive which rules it has and what its samples exercise.

    The columns are the rules (`jvp rule`, `vjp rule`, `batch`, `shape`), the number of samples, whether a 0-d operand,
    an empty one, broadcasting, float32 and complex operands occur, and the loosest tolerance. An empty entry is a gap;
    `n/a: …` gives the reason why the case does not apply.

    Args:
        primitives: functions, names or Primitives; all registered ones by default.
        progress: True shows how many primitives are done; or a function of their number and that of all.
    Returns:
        `{primitive: {column: entry}}`.
    """
    chosen = REGISTRY.values() if primitives is None else map(find, primitives)
    ordered = sorted(chosen, key=lambda prim: prim.name)
    return {prim.name: _row(prim) for prim in with_progress(ordered, progress, "audit")}


def holes(table: dict[str, dict[str, str]]) -> list[str]:
    """`primitive: column` for each empty entry."""
    return [f"{name}: {column}" for name, row in table.items() for column in COLUMNS if row[column] == HOLE]


def show(table: dict[str, dict[str, str]], as_json: bool = False) -> str:
    """Format the table as text, with the reasons as notes below it; or as JSON with the gaps listed."""
    if as_json:
        return json.dumps({"primitives": table, "holes": holes(table)}, indent=1)
    notes: dict[str, str] = {}
    rows: list[tuple[str, ...]] = [("primitive", *COLUMNS)]
    for name, row in table.items():
        entries = []
        for column in COLUMNS:
            entry = row[column] or "HOLE"
            if entry.startswith("n/a: "):
                entry = f"n/a {notes.setdefault(entry[5:], chr(ord('a') + len(notes)))}"
            entries.append(entry)
        rows.append((name, *entries))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(entry.ljust(n) for entry, n in zip(row, widths)).rstrip() for row in rows]
    lines += ["", *[f"{letter}: {reason}" for reason, letter in notes.items()]]
    missing = holes(table)
    lines += ["", f"{len(table)} primitives, {len(missing)} gaps", *missing]
    return "\n".join(lines)


def _row(prim: Primitive) -> dict[str, str]:
    if prim.handlers is not None:
        kinds = ", ".join(sorted(prim.handlers))
        reason = f"n/a: higher-order, its function brings the derivative; handled for {kinds}"
        return dict.fromkeys(COLUMNS, reason)
    found = cases(prim)
    live = [case for case in found if case.live]
    shapes = [np.shape(x) for case in found for x in (*case.operands, *case.raw(case.operands))]
    dtypes = [x.dtype for case in found for x in case.operands]
    return {
        "jvp rule": _rule(prim, prim.jvp),
        "vjp rule": _rule(prim, prim.vjp),
        "batch": "yes" if callable(prim.batch) else HOLE,
        "shape": "yes" if callable(prim.shape) else HOLE,
        "samples": str(len(found)) if found else HOLE,
        "()": "yes" if () in shapes else _excuse(prim, "()"),
        "(0,)": "yes" if any(0 in shape for shape in shapes) else _excuse(prim, "(0,)"),
        "broadcast": _broadcast(prim, found),
        "float32": "yes" if np.dtype(np.float32) in dtypes else _excuse(prim, "float32"),
        "complex": "yes" if any(d.kind == "c" for d in dtypes) else _excuse(prim, "complex"),
        "tolerance": "exact" if not live else f"{max(case.sample.tol for case in live):.0e}",
    }


def _rule(prim: Primitive, table: dict[int, Any]) -> str:
    if prim.flat:
        return "n/a: flat everywhere (ZERO)"
    wanted = [0] if prim.variadic else [i for i in range(len(prim.operands)) if i not in prim.nondiff]
    return "yes" if all(i in table for i in wanted) else HOLE


def _broadcast(prim: Primitive, found: list[Case]) -> str:
    if not prim.elementwise and not prim.broadcasts:
        return "n/a: operands do not broadcast against each other"
    if len(prim.operands) < 2:
        return "n/a: one operand"
    for case in found:
        if len({x.shape for x in case.operands}) > 1 and any(x.ndim for x in case.operands):
            return "yes"
    return HOLE


def _excuse(prim: Primitive, case: str) -> str:
    """Why a case does not exist: it refuses such operands, or the declaration says so (`absent={"complex": "…"}`)."""
    if reason := (prim.absent or {}).get(case):
        return f"n/a: {reason}"
    change = _CHANGES.get(case)
    if change is None or "collective" in prim.effects:
        return HOLE
    for one in cases(prim):
        try:
            one.raw([change(x) for x in one.operands])
        except (TypeError, ValueError, IndexError):
            continue
        return HOLE
    return "n/a: the operation itself refuses such operands"


_CHANGES: dict[str, Callable[[Any], Any]] = {
    "()": lambda x: x.reshape(-1)[:1].reshape(()) if x.size else np.zeros((), x.dtype),
    "float32": lambda x: x.astype(np.float32),
    "complex": lambda x: x.astype(np.complex128),
}
