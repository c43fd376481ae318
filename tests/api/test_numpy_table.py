"""Every name of `covector.numpy` against NumPy over generated arguments, under each transform."""

import importlib.util
from pathlib import Path

import pytest


def _load(name):
    spec = importlib.util.spec_from_file_location(f"api_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


names = _load("names")


@pytest.mark.parametrize("name", sorted(names.NAMES))
def test_name_does_what_numpy_does(name):
    print(names.measure.measure(names.NAMES[name]))
