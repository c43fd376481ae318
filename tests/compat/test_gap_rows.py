"""Each row of the table of docs/compat_gaps.md: a script, what it gives here, and what it gives in PyTorch."""

import importlib
import warnings
from pathlib import Path

import pytest

import covector.compat.torch as compat
from gap_scripts.script import SCRIPTS

for _subject in ("saved", "hooks", "memory", "matrices", "modules", "sparse", "transforms", "values"):
    importlib.import_module(f"gap_scripts.{_subject}")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compat_gaps.md"
# Rows that one machine cannot show, or that other tests show.
ELSEWHERE = ("`emit_nvtx`", "special functions of the", "`checkpoint(debug=True)`",
             "selective checkpoints", "gradient of `ctc_loss`")


def run(script, torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return script(torch)


def rows():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")][2:]


def test_every_row_has_a_script():
    missing = [r for r in rows() if not any(r.startswith(start) for start in (*SCRIPTS, *ELSEWHERE))]
    stale = [start for start in (*SCRIPTS, *ELSEWHERE) if not any(r.startswith(start) for r in rows())]
    assert not missing and not stale


@pytest.mark.parametrize("start", list(SCRIPTS))
def test_the_row_is_true_here(start):
    script, here, _ = SCRIPTS[start]
    assert run(script, compat) == here


@pytest.mark.reference
@pytest.mark.parametrize("start", list(SCRIPTS))
def test_the_row_is_true_in_pytorch(start):
    torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
    script, here, there = SCRIPTS[start]
    found = run(script, torch)
    assert found == there and found != here
