"""Every example runs: those of the docstrings and those of the pages."""

import doctest
import importlib
import linecache
import re
import shutil
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TABLES = sorted((ROOT / "docs" / "coming_from").glob("[!i]*.md"))  # not index.md
ROW = re.compile(r"^\| `[^`]+` \| `([^`]+)` \|", re.MULTILINE)  # what another library has, what covector has
FENCE = re.compile(r"^ *```(?:python|pycon)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def modules():
    """The modules of the library and their files, by the packages that the project file lists."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    return {package if path.stem == "__init__" else f"{package}.{path.stem}": path
            for package, folder in listed.items() for path in sorted((ROOT / folder).glob("*.py"))
            if path.stem != "__main__"}


MODULES = modules()
WITH_EXAMPLES = [name for name, path in MODULES.items() if ">>>" in path.read_text(encoding="utf-8")]


def run(test):
    report = []
    with pytest.MonkeyPatch.context() as patch:  # the runner resets a debugger, which asks for each source ever shown
        patch.setattr(linecache, "checkcache", lambda filename=None: None)
        result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    assert not result.failed, "".join(report)


def page_test(path):
    """The examples of one page as a single doctest, so that later ones see the names of earlier ones."""
    text = path.read_text(encoding="utf-8")
    # Everything outside a block becomes a blank line: line numbers stay, and expected output ends where a block does.
    kept, at = [], 0
    for block in FENCE.finditer(text):
        kept += ["\n" * text.count("\n", at, block.start(1)), block.group(1)]
        at = block.end(1)
    name = str(path.relative_to(ROOT))
    return doctest.DocTestParser().get_doctest("".join(kept), {}, name, str(path), 0)


def examples(name):
    return [test for test in doctest.DocTestFinder().find(importlib.import_module(name)) if test.examples]


def test_every_other_module_is_imported_and_examples_put_together_there_run():
    for name in MODULES.keys() - set(WITH_EXAMPLES):
        for test in examples(name):
            run(test)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_docstring_examples_run(name):
    for test in examples(name):
        run(test)


@pytest.mark.parametrize("path", [p for p in PAGES if p not in TABLES], ids=lambda path: str(path.relative_to(ROOT)))
def test_page_examples_run(path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for name in ("sklearn", "matplotlib"):
        if re.search(rf"^>>> (from|import) {name}", path.read_text(encoding="utf-8"), re.MULTILINE):
            pytest.importorskip(name, reason=f"{name} is missing: pip install '.[examples]'")
    if '["cc"' in path.read_text(encoding="utf-8") and shutil.which("cc") is None:
        pytest.skip("there is no C compiler named cc")
    run(page_test(path))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_page_examples_run_and_column_of_covector(path):
    """The column with the names of the page's own examples; tests/reference compares it with the other column."""
    test, column = page_test(path), ROW.findall(path.read_text(encoding="utf-8"))
    run(test)
    assert len(column) > 15
    for expression in column:
        eval(expression, test.globs)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_page_has_no_python_block_that_does_not_run(path):
    text = path.read_text(encoding="utf-8")
    assert [block for block in FENCE.findall(text) if not block.lstrip().startswith(">>>")] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_to_files(name):
    """Sphinx checks those of docs/."""
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", (ROOT / name).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_wrong_example_is_noticed(tmp_path):
    page = ROOT / "docs" / "page.md"
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, str(page), str(page), 0)
    with pytest.raises(AssertionError, match="Expected"):
        run(test)
