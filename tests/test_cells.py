"""The cells of the pages run, one after the other in one namespace, and their last values can be shown.

The site runs them in a notebook's kernel when it is built; here they need neither Sphinx nor Jupyter.
"""

import ast
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CELL = re.compile(r"^```\{code-cell\} python\n(?P<options>(?::[\w-]+:[^\n]*\n)*)(?P<code>.*?)^```$", re.M | re.S)
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "{code-cell}" in path.read_text(encoding="utf-8")]


def cells(path):
    """`(line, options, code)` of each cell of a page."""
    text = path.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start("code")), m["options"], m["code"]) for m in CELL.finditer(text)]


def run(code, where, line, names):
    """Run a cell; show its last expression as a notebook would."""
    tree = ast.parse("\n" * line + code, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    if last is not None:
        shown = eval(compile(ast.Expression(last.value), where, "eval"), names)
        html = getattr(shown, "_repr_html_", None)
        text = html() if html is not None else None
        assert isinstance(repr(shown) if text is None else text, str)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT / "docs")))
def test_cells_of_page_run(path, monkeypatch):
    text = path.read_text(encoding="utf-8")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(path.parent)
    monkeypatch.syspath_prepend(str(path.parent))
    for name in ("matplotlib", "sklearn", "scipy"):
        if re.search(rf"^(from|import) {name}", text, re.MULTILINE):
            pytest.importorskip(name, reason=f"{name} is missing: pip install '.[examples]'")
    if '"cc"' in text and shutil.which("cc") is None:
        pytest.skip("there is no C compiler named cc")
    names = {"__name__": "__main__"}
    for line, options, code in cells(path):
        if "raises-exception" in options:
            with pytest.raises(Exception):  # noqa: B017 - the page shows which
                run(code, str(path), line, names)
        else:
            run(code, str(path), line, names)
    if "matplotlib.pyplot" in text:
        names["plt"].close("all")


def test_blocks_of_the_page_on_gpus_run_on_numpy():
    text = (ROOT / "docs" / "tutorials" / "gpu.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\{code-block\} python\n(.*?)^```$", text, re.M | re.S)
    names = {"__name__": "__main__"}
    for block in blocks:
        exec(block.replace("import cupy as cp", "import numpy as cp"), names)
    assert len(blocks) == 3 and names["slope"].shape == (5,)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT / "docs")))
def test_page_declares_that_it_has_cells(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n")
    assert text.count("{code-cell}") == len(cells(path))
