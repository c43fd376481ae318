"""Prose does without the words that docs/design/words.md lists, and is spelt as codespell has it."""

import ast
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import covector
from covector import debug, nn, optimizers, random, tree

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "design" / "words.md"
WORDS = re.findall(r"^\| ([a-z][^|]*?) \| [^|]+ \|$", LIST.read_text(encoding="utf-8"), re.MULTILINE)[1:]
PAGES = [path for path in (*[ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")],
                           *sorted((ROOT / "docs").rglob("*.md")))
         if path != LIST and "_build" not in path.parts]

SOURCES = [path for folder in ("api", "backends", "compat", "core", "transforms")
           for path in sorted((ROOT / folder).rglob("*.py*")) if path.suffix in (".py", ".pyx")]
QUESTION = re.compile(r"(?:What|Whether|Which|How|Where|When)\b")  # begins what is no imperative and no noun phrase


@cache
def texts():
    """`[(where, prose), …]` of pages and docstrings, without code."""
    found = []
    for path in PAGES:
        text = re.sub(r"^ *(```+|~~~).*?^ *\1", lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"),
                      flags=re.MULTILINE | re.DOTALL)
        titles = path.name == "bibliography.md"  # whose entries are other people's words
        found += [(f"{path.relative_to(ROOT)}:{n}", line) for n, line in enumerate(text.splitlines(), 1)
                  if not (titles and line.startswith("- "))]
    for module in (covector, nn, random, tree, optimizers, debug):
        for name in dir(module):
            said = getattr(module, name).__doc__ if not name.startswith("_") else None
            found += [(f"{module.__name__}.{name}", line) for line in (said or "").splitlines() if ">>>" not in line]
    return [(where, re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>", "`", line)) for where, line in found]


def test_the_list_is_read():
    assert len(WORDS) > 20 and "simply" in WORDS


@pytest.mark.parametrize("word", WORDS)
def test_prose_does_without(word):
    looked_for = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)
    assert [f"{where}: {line.strip()}" for where, line in texts() if looked_for.search(line)] == []


def docstrings(path):
    """`(line, docstring)` of a module and all that it defines; of Cython's, by its quotes."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".pyx":
        return [(text.count("\n", 0, m.start()) + 1, m[1]) for m in re.finditer(r'^ *"""(.*)', text, re.MULTILINE)]
    nodes = [n for n in ast.walk(ast.parse(text))
             if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(n.body[0].lineno, ast.get_docstring(n)) for n in nodes if ast.get_docstring(n)]


def test_docstrings_begin_with_a_verb_or_a_noun():
    assert [f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}" for path in SOURCES
            for line, text in docstrings(path) if QUESTION.match(text)] == []


def test_words_are_spelt_right():
    if shutil.which("codespell") is None:
        pytest.skip("codespell is missing: pip install '.[docs]'")
    run = subprocess.run(["codespell", "-L", "ans", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "--skip",
                          "*.svg,*.js,*.json,*/_build/*"], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout == ""
