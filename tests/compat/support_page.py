"""Writes `docs/torch_support.md`, what each operation of `covector.compat.torch` does beside PyTorch's.

    python tests/compat/support_page.py            the page, from what covector does and what is recorded of PyTorch
    python tests/compat/support_page.py --record   measure PyTorch, and write down what it does and what differs, first
"""

import importlib.util
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "torch_support.md"
GAPS = PAGE.parent / "compat_gaps.md"
FACTS = HERE / "surface" / "pytorch.json"  # {name: what PyTorch does, a letter for each outcome of each column}
KNOWN = HERE / "surface" / "differences.txt"  # lines of name | column | label
MEANT = HERE / "surface" / "on_purpose.txt"  # those of them with a reason: ... | beginning of a row of compat_gaps.md
HEAD = """# Supported PyTorch operations

Each row is measured, and tests repeat the measurement: every operation of PyTorch's public surface is called in covector and in PyTorch {version}, in several forms and with valid and invalid arguments.

| column | meaning |
| --- | --- |
| value | dtypes, shapes, strides and values agree: as a function and as a method, with keyword arguments, for float64, float32, float16, complex, integers and booleans, with zero-size, zero-dimensional, non-contiguous, tied and NaN inputs |
| grad | so do gradients, including ties, zeros, complex and empty inputs |
| grad-grad | so do second derivatives |
| forward | so do tangents of `func.jvp` |
| vmap | so does `func.vmap`, over all tensors and over only the first or the last |
| in-place | so does the in-place variant: values, gradients, versions, and errors |
| out | so does `out=`: full, empty, of a different shape or dtype, and errors |
| errors | invalid calls raise errors of the same type: invalid types, numbers, shapes, axes and names of arguments |

“yes” means that all comparisons of the cell agree, “38 of 40” that two do not; they are listed below the tables. A star marks cells with intentional differences, which are not counted; they are listed [at the end](#intentional-differences), with the row of [](compat_gaps.md) that gives the reason. A dash means that PyTorch does not support the feature: it has no derivative, no in-place variant, or no `out=`. covector may support dtypes and derivatives that PyTorch does not.

"""  # noqa: E501 - paragraphs of a page


def load(name):
    """A file of `surface/`, by the name under which its neighbours import it."""
    found = sys.modules.get(f"surface_{name}")
    if found is None:
        spec = importlib.util.spec_from_file_location(f"surface_{name}", HERE / "surface" / f"{name}.py")
        found = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
    return found


sample = load("sample")
for _tier in ("first", "second", "third"):
    load(_tier)
measure = load("measure")
ROWS, COLUMNS = sample.ROWS, measure.COLUMNS


def measured(torch, name):
    """The outcomes of one operation in one library; None where it is not built."""
    try:
        probe = measure.Probe(torch, ROWS[name])
    except NotImplementedError:
        return None
    return probe.all()


def letters(outcomes):
    """What is recorded of outcomes: a letter each, a string a column."""
    return ["".join(measure.code(v)[:1] for v in outcomes[column].values()) for column in COLUMNS]


def known():
    """The differences that are known, as lines."""
    return set(KNOWN.read_text(encoding="utf-8").splitlines())


def meant():
    """The differences that are on purpose: `{line: the beginning of the row of docs/compat_gaps.md that says why}`."""
    lines = MEANT.read_text(encoding="utf-8").splitlines()
    return {line.rpartition(" | ")[0]: line.rpartition(" | ")[2] for line in lines}


def cell(column, ours, theirs, found, purposes):
    """A cell of the page: what covector does beside what PyTorch did.

    Args:
        ours: `{label: letter}` of what covector does; None where it has no such operation.
        theirs: the letters of PyTorch's outcomes, in the same order.
        found: the labels of known differences, those on purpose among them.
        purposes: the labels of differences on purpose.
    """
    if not set(theirs) - {"-"} or column != "errors" and "." not in theirs and "k" not in theirs:
        return "—"
    if ours is None:
        return "no"
    odd = len(found - purposes)
    if len(ours) == len(theirs):
        more = column in (*measure.MORE, "in-place")
        odd = max(odd, sum(a != b and b != "k" and not (more and (a == "." != b or a == "-" and b not in ".-"))
                           for (label, a), b in zip(ours.items(), theirs) if label not in purposes))
    else:
        odd = max(odd, 1)
    star = " \\*" * bool(found & purposes)
    return (f"{max(len(theirs) - odd, 0)} of {len(theirs)}" if odd else "yes") + star


def cells(torch, name, facts, lines, purposes):
    """The cells of one row."""
    outcomes = measured(torch, name)
    found = []
    for column, theirs in zip(COLUMNS, facts[name]):
        ours = None if outcomes is None else {k: measure.code(v)[:1] for k, v in outcomes[column].items()}
        start = f"{name} | {column} | "
        labels = {line.removeprefix(start) for line in lines if line.startswith(start)}
        found.append(cell(column, ours, theirs, labels, {k for k in labels if start + k in purposes}))
    return found


def page(torch):
    """The page, from what the given library does."""
    facts, lines, purposes = json.loads(FACTS.read_text(encoding="utf-8")), known(), meant()
    text = [HEAD.format(version=facts["version"])]
    for tier in ("First", "Second", "Third"):
        names = [name for name, row in ROWS.items() if row.tier == tier]
        text.append(f"## {TITLES[tier]}\n")
        text.append(f"| operation | {' | '.join(COLUMNS)} |")
        text.append("| --- " * (len(COLUMNS) + 1) + "|")
        text += [f"| `{name}` | {' | '.join(cells(torch, name, facts, lines, purposes))} |" for name in names]
        text.append("")
    return "\n".join(text) + "\n" + notes(lines - purposes.keys()) + "\n" + reasons(lines, purposes)


TITLES = {"First": "Most used operations", "Second": "Often used operations", "Third": "Other operations"}


def notes(lines):
    """What differs, by operation and column."""
    found = {}
    for line in sorted(lines):
        name, column, label = line.split(" | ")
        found.setdefault(name, {}).setdefault(column, []).append(label)
    text = ["## Differences\n", "By operation, column and comparison; `call 1` is the second sample of the operation "
            "in `tests/compat/surface`.\n"]
    for name in sorted(found):
        told = "; ".join(f"{column}: {', '.join(labels)}" for column, labels in found[name].items())
        text.append(f"- `{name}`: {told}")
    return "\n".join(text) + "\n"


def reasons(lines, purposes):
    """Intentional differences, by the reason."""
    found = {}
    for line in sorted(lines & purposes.keys()):
        name, column, label = line.split(" | ")
        found.setdefault(purposes[line], {}).setdefault(f"`{name}`: {column}", []).append(label)
    rows = [line.removeprefix("| ").partition(" | ")[0] for line in GAPS.read_text(encoding="utf-8").splitlines()]
    text = ["## Intentional differences\n", "By the row of [](compat_gaps.md) that gives the reason.\n"]
    for why in sorted(found):
        row = next((row for row in rows if row.startswith(why)), why)
        text.append(f"- {row}: " + "; ".join(f"{where} {', '.join(labels)}" for where, labels in found[why].items()))
    return "\n".join(text) + "\n"


def recorded(ours, torch):
    """What PyTorch does, as the files keep it: `(facts, differences)`."""
    torch.set_num_threads(1)  # the tensors are small, and threads wait for each other
    facts, lines = {"version": torch.__version__.split("+")[0]}, []
    for name, row in ROWS.items():
        theirs = measured(torch, name)
        facts[name] = letters(theirs)
        mine = measured(ours, name)
        if mine is not None:
            lines += [" | ".join(found[:3]) for found in measure.differences(mine, theirs, row)]
    return facts, lines


def store(facts, lines):
    """Write the files of facts."""
    shown = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in facts.items())
    FACTS.write_text("{\n" + shown + "\n}\n", encoding="utf-8")
    KNOWN.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    compat = importlib.import_module("covector.compat.torch")
    if "--record" in sys.argv:
        store(*recorded(compat, importlib.import_module("torch")))
    PAGE.write_text(page(compat), encoding="utf-8")
