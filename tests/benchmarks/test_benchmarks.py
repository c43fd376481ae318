"""The benchmark's sides agree with each other, and its table lands in the README."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"
README = "before\n<!-- benchmarks:begin -->\nold\n<!-- benchmarks:end -->\nafter\n"
RESULTS = {
    "environment": {"cpu": "a processor", "python": "3.11.0", "load_average": [0.5], "versions": {"numpy": "2.0"}},
    "rows": [
        {
            "name": "rosenbrock-hessian",
            "title": "slow row",
            "facts": {"covector": {"median_us": 1500.0}, "PyTorch": {"median_us": 7.0}},
            "figure": 1234.5,
            "unit": "µs",
            "ratios": {"PyTorch": 0.5},
            "bounds": [{"limit": 0.4, "against": "PyTorch", "measured": 0.5, "holds": False}],
        },
        {
            "name": "jit-rosenbrock-hessian-10",
            "title": "compiled row",
            "facts": {"covector": {"median_us": 2.0}, "jax.jit": {"median_us": 9.0}},
            "figure": 2.5,
            "unit": "µs",
            "ratios": {"eager": 0.25, "jax.jit": 0.125},
            "bounds": [{"limit": 0.5, "against": "jax.jit", "measured": 0.125, "holds": True}],
        },
    ],
}


def command(script, *arguments):
    """Run one of the scripts; return exit status and everything that it printed."""
    whole = [sys.executable, str(BENCHMARKS / script), *map(str, arguments)]
    done = subprocess.run(whole, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_all_sides_of_each_row_return_the_same_arrays():
    status, printed = command("run.py", "--quick", "--check-values")
    assert status == 0, printed
    assert len(re.findall("values agree", printed)) >= 15
    assert "failing: none" in printed


@pytest.mark.slow
def test_the_choice_between_numpy_and_floats_is_measured():
    status, printed = command("printers.py", "--quick")
    assert status == 0 and "of 5 programs take more than" in printed, printed


def test_table_replaces_what_stands_between_the_markers(tmp_path):
    results, readme, page = tmp_path / "results.json", tmp_path / "README.md", tmp_path / "benchmarks.md"
    results.write_text(json.dumps(RESULTS))
    readme.write_text(README, encoding="utf-8")
    page.write_text(README, encoding="utf-8")
    status, printed = command("table.py", "--results", results, "--readme", readme, "--page", page)
    assert status == 0, printed
    assert "| its Hessian |  | 1.5 ms | 2 µs |  | 9 µs | 7 µs |  |" in readme.read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- benchmarks:begin -->\n| ")
    assert text.endswith("\n<!-- benchmarks:end -->\nafter\n")
    assert "| slow row | 1.23 ms | 0.50 |  |  |  | ≤ 0.4 × PyTorch | **no** |" in text
    assert "| compiled row | 2.5 µs | 0.25 | 0.12 |  | ≤ 0.5 × jax.jit | yes |" in text
    assert "|  | covector.jit | ÷ eager | ÷ jax.jit | ÷ NumPy | bound |  |" in text
    assert "old" not in text


def test_table_asks_for_missing_markers(tmp_path):
    results, readme = tmp_path / "results.json", tmp_path / "README.md"
    results.write_text(json.dumps(RESULTS))
    readme.write_text("no markers\n")
    status, printed = command("table.py", "--results", results, "--readme", readme)
    assert status != 0
    assert "README.md lacks <!-- benchmarks:begin -->" in printed
    assert readme.read_text() == "no markers\n"
