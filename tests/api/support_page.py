"""Writes `docs/numpy_support.md`, what `covector.numpy` does with each name: `python tests/api/support_page.py`."""

import importlib.util
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "numpy_support.md"
HEAD = """# What works with each NumPy function

Each row was measured, and a test measures it again: the function of `covector.numpy`, or of its `linalg` and `fft`, was compared with NumPy's over shapes `()`, `(3,)`, `(2, 3)`, `(0,)`, over single and double precision, complex, integer and boolean arguments, and over its options.

| column | says that |
| --- | --- |
| value | traced values give NumPy's values and dtypes |
| forward, reverse | `jvp` and `vjp` agree with finite differences |
| second order | so do the derivatives of both, in all four orders |
| vmap | a batch gives what a loop gives, of the derivatives too |
| make_graph | the function and its derivatives can be staged, and the graph gives the same values |
| plain numpy | the same holds for `numpy.<name>` called on a traced value |

“refused” means that covector or NumPy raises, and never that an answer is wrong. A dash means that there is nothing to measure: an answer of integers, booleans or indices is a constant to derivatives, and a function without array arguments has no batch.

"""  # noqa: E501 - paragraphs of a page


def load(name):
    spec = importlib.util.spec_from_file_location(f"api_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(text):
    """`{name: line}` of the page."""
    return {found[1]: found[0] for found in re.finditer(r"^\| `([\w.]+)` \|.*$", text, re.MULTILINE)}


def row(names, name):
    """The line of one name, measured."""
    found = names.measure.measure(names.NAMES[name])
    return f"| `{name}` | {' | '.join(found.values())} |"


def page(names):
    columns = names.measure.COLUMNS
    lines = [f"| name | {' | '.join(columns)} |", "| --- " * (len(columns) + 1) + "|"]
    lines += [row(names, name) for name in sorted(names.NAMES)]
    return HEAD + "\n".join(lines) + "\n\n" + notes(names) + "\n"


def notes(names):
    kinds = {}
    for name in sorted(names.NOTES):
        kinds.setdefault(names.NOTES[name], []).append(name)
    return "## Notes\n\n" + "\n".join(
        f"- {', '.join(f'`{name}`' for name in group)}: {note}." for note, group in kinds.items())


if __name__ == "__main__":
    PAGE.write_text(page(load("names")), encoding="utf-8")
