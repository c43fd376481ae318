"""Tests that need what is not installed are collected by plain `pytest`, and skip with a reason in its summary."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = sorted(path.name for path in (ROOT / "tests" / "reference").glob("test_*.py"))


def run(*arguments, without=()):
    """The output of pytest in an interpreter that cannot import `without`."""
    code = f"import sys, pytest; sys.modules.update(dict.fromkeys({without!r})); sys.exit(pytest.main(sys.argv[1:]))"
    command = [sys.executable, "-P", "-c", code, "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False).stdout


@pytest.mark.slow
def test_comparisons_with_other_libraries_skip_with_their_reason():
    out = run("--collect-only", "tests/reference", without=("jax", "torch", "autograd", "pandas", "xarray"))
    skips = [line for line in out.splitlines() if "needs the `reference` extra" in line]
    assert REFERENCE and all(any(f"reference/{name}" in line for line in skips) for name in REFERENCE), out


@pytest.mark.slow
def test_comparisons_are_deselected_by_the_plain_command():
    pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
    assert "deselected" in run("--collect-only", "tests/reference")


@pytest.mark.slow
def test_tests_on_a_gpu_skip_with_their_reason():
    out = run("--collect-only", "tests/backends", without=("cupy",))
    assert "test_cupy.py" in out and "nothing ran on a GPU" in out
