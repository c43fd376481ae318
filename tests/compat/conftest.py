"""Collects the scripts and the calls of each module as the tests that `harness.py` makes of them."""

import inspect
import warnings

import pytest

import covector.compat.torch as compat
from harness import Call, agree, run


def pytest_pycollect_makeitem(collector, name, obj):
    """A script is two tests, that it runs on compat and that it agrees with PyTorch; a row of `CALLS` is one."""
    def item(label, test, *marks):
        found = pytest.Function.from_parent(collector, name=f"{name}[{label}]", callobj=test, originalname=name)
        for mark in marks:
            found.add_marker(mark)
        return found

    def runs():
        run(obj, compat)

    if name.startswith("script_") and inspect.isfunction(obj):
        return [item("runs", runs), item("agrees", lambda: agree(obj), pytest.mark.reference)]
    if name == "CALLS":
        return [item(row[0], _check(row), pytest.mark.reference) for row in obj]
    return None


def _check(row):
    """The test of one row: name, function, arrays, and last the facts about it, where there are any."""
    def check():
        facts = row[-1] if isinstance(row[-1], dict) else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Call(*[part for part in row if part is not facts], **facts).check()

    return check
