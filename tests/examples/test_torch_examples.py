"""The scripts of examples/torch, which import torch, run on covector with PyTorch's curves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import covector.compat.torch

HERE = Path(__file__).resolve().parent
RECORDED = json.loads((HERE / "torch_curves.json").read_text(encoding="utf-8"))


def run(*options):
    """The curves of all scripts, each script some steps, in a process of its own."""
    env = os.environ | {f"{pool}_NUM_THREADS": "1" for pool in ("OMP", "OPENBLAS", "MKL")}
    done = subprocess.run([sys.executable, "-P", HERE / "torch_curves.py", *options], capture_output=True, text=True,
                          timeout=300, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def ours():
    return run("covector")


@pytest.mark.parametrize("name", RECORDED)
def test_curve_is_pytorchs(name, ours):
    np.testing.assert_allclose(ours[name], RECORDED[name], rtol=2e-4)


@pytest.mark.gpu
def test_curves_on_a_gpu_are_those_of_a_cpu(request):
    if not covector.compat.torch.cuda.is_available():
        pytest.skip("CuPy is not installed or finds no device: nothing ran on a GPU")
    found = run("covector", "cuda", *["stand-in"] * request.config.getoption("--stand-in"))
    for name, curve in RECORDED.items():
        np.testing.assert_allclose(found[name], curve, rtol=1e-2)


@pytest.mark.reference
def test_recorded_curves_are_those_of_pytorch_here():
    pytest.importorskip("torch")
    theirs = run()
    for name, curve in RECORDED.items():
        np.testing.assert_allclose(theirs[name], curve, rtol=2e-4)
