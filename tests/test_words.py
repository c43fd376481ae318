"""Prose does without the words that docs/design/words.md lists, and is spelt as codespell has it."""

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


def test_words_are_spelt_right():
    if shutil.which("codespell") is None:
        pytest.skip("codespell is missing: pip install '.[docs]'")
    run = subprocess.run(["codespell", "-L", "ans", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "--skip",
                          "*.svg,*.js,*.json,*/_build/*"], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout == ""
