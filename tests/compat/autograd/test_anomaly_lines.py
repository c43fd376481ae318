"""Anomaly mode: the text of a traceback is made when it is shown, of code that lies in a file or elsewhere."""

import linecache
import types
import warnings

import pytest

import covector.compat.torch as torch

SOURCE = """
def forward(torch, x):
    y = (x - 1.0)
    z = torch.sqrt(
        y,
    )
    return (z * 0.0).sum()
"""


class Loader:
    def get_source(self, name):
        return SOURCE


def blamed(forward):
    x = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="nan values"):
            forward(torch, x).backward()
    return next(str(w.message) for w in caught if "Traceback of forward call" in str(w.message))


def test_code_whose_source_a_loader_knows():
    module = types.ModuleType("made_up")
    module.__loader__ = Loader()
    exec(compile(SOURCE, "/nowhere/made_up.py", "exec"), vars(module))
    try:
        assert 'File "/nowhere/made_up.py", line 4, in forward\n    z = torch.sqrt(' in blamed(module.forward)
    finally:
        linecache.cache.pop("/nowhere/made_up.py", None)


def test_code_without_source():
    space = {}
    exec(compile(SOURCE, "<made up>", "exec"), space)
    assert 'File "<made up>", line 4, in forward\n' in blamed(space["forward"])


def test_no_frame_is_kept():
    class Big:
        alive = True

        def __del__(self):
            Big.alive = False

    def forward(x):
        big = Big()  # noqa: F841 (a frame would keep it)
        return torch.sqrt(x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            y = forward(torch.ones(2, requires_grad=True))
    assert not Big.alive
    assert "return torch.sqrt(x)" in y.grad_fn.metadata["traceback_"][-1]
