"""What docstrings, comments and pages cite is in the bibliography, and each matrix primitive has its derivation."""

import re
import unicodedata
from pathlib import Path

import pytest

import covector.compat.torch
import covector.numpy
import covector.scipy.linalg
from covector.extend import REGISTRY

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "bibliography.md"
YEAR = r"(?:19[3-9]\d|20[0-2]\d)"
ENTRY = re.compile(rf"^- ([^(]+) \(({YEAR})\)\. ", re.MULTILINE)
NAME = r"(?:de |van der |van )?[A-ZÄÖÜ][^\W\d_]+(?:-[A-Z][^\W\d_]+)*"
# Giles (2008), Hillis and Steele 1986, Curtis, Powell and Reid (1974), Grave et al. (2017)
CITED = re.compile(rf"({NAME}(?:(?:, | and | & |, and ){NAME})*)(?: et al\.)?,? \(?({YEAR})\b(?=[),;])")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")
SCIPY = {f"covector.core.ops.scipy.{name}" for name in ("banded", "equations", "riccati", "lu", "schur", "functions")}
FOLDERS = ("core", "transforms", "backends", "api", "compat")


def entries():
    """`[(surnames, year)]` of the entries."""
    found = [(m[1], m[2]) for m in ENTRY.finditer(PAGE.read_text(encoding="utf-8"))]
    assert len(found) > 60
    return [({name.strip() for name in authors.split(",")}, year) for authors, year in found]


def citations(text):
    """`[(surnames, year)]` of what a text cites."""
    found = [(set(re.split(r", and |, | and | & ", m[1])), m[2]) for m in CITED.finditer(text)]
    return [(names, year) for names, year in found if not names & set(MONTHS)]


def missing(text, known):
    return [(sorted(names), year) for names, year in citations(text)
            if not any(year == other and names & authors for authors, other in known)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_the_code_cites_is_in_the_bibliography(folder):
    known = entries()
    lost = {str(path.relative_to(ROOT)): found for path in sorted((ROOT / folder).rglob("*.py"))
            if (found := missing(path.read_text(encoding="utf-8"), known))}
    assert lost == {}


def test_the_handbook_that_is_cited_by_its_equations_is_there():
    cited = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")
             if "DLMF" in path.read_text(encoding="utf-8")]
    assert len(cited) > 10 and "cited as DLMF" in PAGE.read_text(encoding="utf-8")


def test_sources_have_their_year():
    """A source that is named without one would not be looked for."""
    names = {name for authors, _ in entries() for name in authors if len(authors) > 1}
    pair = re.compile(rf"({'|'.join(sorted(names))}) and ({'|'.join(sorted(names))})(?!\S*,? \(?{YEAR})(?!['’]s)")
    lost = {}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            if found := pair.findall(re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))):
                lost[str(path.relative_to(ROOT))] = found
    assert lost == {}


def test_what_the_derivations_cite_is_in_the_bibliography():
    text = (ROOT / "docs" / "linear_algebra.md").read_text(encoding="utf-8")
    assert len(citations(text)) > 5 and missing(text, entries()) == []


def test_a_citation_that_is_missing_is_noticed():
    assert missing("see Nobody and Noone (2001), section 3", entries()) == [(["Nobody", "Noone"], "2001")]


def test_entries_are_sorted_and_their_links_are_their_identifiers():
    text = PAGE.read_text(encoding="utf-8")
    for identifier, link in re.findall(r"\[doi:([^]]+)\]\(https://doi.org/((?:[^()\s])+)\)", text):
        assert link.replace("%28", "(").replace("%29", ")") == identifier
    for section in text.split("\n## ")[1:]:
        first = [re.split(r", | \(", line[2:].removeprefix("de "))[0] for line in section.splitlines()
                 if line.startswith("- ")]
        assert first == sorted(first, key=lambda name: unicodedata.normalize("NFD", name))


def test_every_matrix_primitive_has_a_derivation():
    text = (ROOT / "docs" / "linear_algebra.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text))
    assert covector.numpy and covector.scipy.linalg and covector.compat.torch.linalg  # they declare the primitives
    ours = [name for name, prim in REGISTRY.items()
            if prim.impl.__module__.startswith("covector.core.ops.linalg.") or prim.impl.__module__ in SCIPY]
    assert len(ours) > 30 and sorted(set(ours) - named) == []
