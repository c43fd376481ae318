"""The scripts and calls on a GPU: `pytest -m gpu tests/compat`, without one with `--stand-in`.

They run with `torch.set_default_device("cuda")` and must give what was recorded on a CPU but for strides. Those that
cannot, since they hand arrays to NumPy, say, or name what a device lacks, are the lines of `device_differences.txt`;
special functions that CuPy has not are refused.
"""

import re
from contextlib import contextmanager
from pathlib import Path

import pytest

_LINES = [line.split() for line in Path(__file__).with_name("device_differences.txt").read_text(
    encoding="utf-8").splitlines()]
LACKS = "has no implementation on arrays of cupy"


def may_differ(place, stand_in):
    """Whether a script may give something else on a device; `gpu` behind it says that it does so on a real one alone,
    by its rounding, its signs of zero, or what CuPy has not."""
    return [place] in _LINES or not stand_in and [place, "gpu"] in _LINES


def must_differ(place, stand_in):
    """Whether it must: the lines are held exactly where they are about the stand-in."""
    return stand_in and [place] in _LINES


@contextmanager
def on_device(torch):
    """Factories put tensors on the device; the test is skipped where there is none."""
    if not torch.cuda.is_available():
        pytest.skip("CuPy is not installed or finds no device: nothing ran on a GPU")
    torch.set_default_device("cuda")
    try:
        yield
    finally:
        torch.set_default_device("cpu")


def without_place(value):
    """A record without the strides of tensors, which are the library's, and without the device in what is printed."""
    if isinstance(value, str):
        value = value.replace("torch.cuda.", "torch.").replace(", device='cuda:0'", "")
        return re.sub(r",\s+(device='cuda:0'(, )?)?(?=dtype=|grad_fn=|requires_grad=|tangent=)", ", ", value)
    if isinstance(value, dict):
        return {k: without_place(v) for k, v in value.items() if k != "stride"}
    return type(value)(without_place(v) for v in value) if isinstance(value, list | tuple) else value
