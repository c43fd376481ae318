"""Every name of `covector.numpy` against NumPy over generated arguments, and the page that shows what was measured."""

import importlib.util
import types
from pathlib import Path

import numpy as np
import pytest

import covector.numpy as cnp


def _load(name):
    spec = importlib.util.spec_from_file_location(f"api_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


names, support = _load("names"), _load("support_page")
WRITTEN = support.rows(support.PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(names.NAMES))
def test_name_does_what_numpy_does_and_what_the_page_says(name):
    assert support.row(names, name) == WRITTEN.get(name), "docs/numpy_support.md is out of date: run support_page.py"


def test_page_has_a_row_for_every_function():
    functions = {name for name in cnp.__all__ if callable(getattr(cnp, name)) or name in ("r_", "c_", "mgrid", "ogrid")}
    kinds = {name for name in functions if isinstance(getattr(cnp, name), type)} - {"vectorize"}
    modules = {name for name in cnp.__all__ if isinstance(getattr(cnp, name), types.ModuleType)}
    below = {f"{part}.{name}" for part in ("linalg", "fft") for name in dir(getattr(np, part))
             if hasattr(getattr(cnp, part), name) and callable(getattr(np, part).__dict__.get(name))
             and not isinstance(getattr(np, part).__dict__[name], type)}
    assert sorted(WRITTEN) == sorted((functions - kinds - modules - {"at"}) | below)  # `at` is not NumPy's


def test_page_ends_with_the_notes():
    assert support.PAGE.read_text(encoding="utf-8").endswith(support.notes(names) + "\n")


def test_wrong_value_is_noticed():
    broken = names.Case(lambda xp, x: xp.sin(x) if xp is np else xp.cos(x), (np.ones(3),))
    with pytest.raises(AssertionError, match="value"):
        names.measure.measure([broken])


def test_wrong_derivative_is_noticed():
    silent = names.Case(lambda xp, x: xp.floor(x * 1e6) / 1e6, (np.array([0.7]),))
    with pytest.raises(AssertionError, match="jvp"):
        names.measure.measure([silent])
