"""The examples run as a reader runs them, and end with the line that they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

for name in ("sklearn", "matplotlib", "tqdm"):
    pytest.importorskip(name, reason=f"{name} is missing: pip install '.[examples]'")

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
PNG = b"\x89PNG\r\n\x1a\n"


def lines(*command):
    """What an example prints, line by line; its progress bar goes to the error stream."""
    # One thread: on a busy machine a pool of BLAS threads makes small products ten times slower.
    env = os.environ | {f"{pool}_NUM_THREADS": "1" for pool in ("OMP", "OPENBLAS", "MKL")}
    whole = [sys.executable, *map(str, command)]
    done = subprocess.run(whole, capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_digits_reaches_its_accuracy_and_draws_a_picture(tmp_path):
    picture = tmp_path / "digits.png"
    last = lines(EXAMPLES / "digits.py", picture)[-1]
    accuracy = re.fullmatch(r"test accuracy: (\d+\.\d) %", last)
    assert accuracy, last
    assert float(accuracy[1]) >= 97.0
    assert picture.read_bytes().startswith(PNG)


@pytest.mark.slow
def test_regression_agrees_with_the_closed_form():
    assert lines(EXAMPLES / "regression.py")[-1] == "agrees with the closed form: yes"


def test_regression_model_is_plain_numpy():
    source = (EXAMPLES / "regression.py").read_text()
    model = source[source.index("def predict") : source.index("def gauss_newton")]
    assert "import numpy as np" in source
    assert "cv." not in model


@pytest.mark.slow
def test_torch_style_script_reaches_its_accuracy_and_draws_a_picture(tmp_path):
    picture = tmp_path / "curves.png"
    told = [re.fullmatch(r"test accuracy: (\d+\.\d) %", line)
            for line in lines(EXAMPLES / "torch_style_digits.py", picture)]
    assert [float(m[1]) >= 95.0 for m in told if m] == [True]
    assert picture.read_bytes().startswith(PNG)
