"""The order in which equations are written as nests: what can join one comes before what ends it."""

import re

import numpy as np
import pytest

import covector as cv
from covector.core.arrays.backend import installed
from covector.transforms.compile.lower import writer

LONG = np.random.default_rng(0).uniform(0.5, 1.5, size=3000)


def logistic(x):
    return np.log1p(np.exp(-x * 2.0)).sum() + (x * x).sum() * 0.1


def shaken(x):
    for _ in range(4):
        x = x / x.sum() + x.max()
    return (x * x).sum()


def later(x):
    """Views, numbers and sums of other shapes between what one nest makes."""
    first = np.sum(np.exp(x) * x)
    second = x * first
    rows = np.sin(x).reshape(30, 100)
    return first, second, np.max(x) + np.min(x * 2.0), rows.sum(axis=0), np.cos(x) * rows[2, 5], np.sum(second * x)


def scratch(fun, folder):
    found = cv.export_c(fun, cv.ShapeDtype(LONG.shape), name="f", folder=folder)
    return int(re.search(r"#define F_SCRATCH (\d+)", found.header)[1])


@pytest.mark.skipif(installed("llvmlite") is None, reason="native code needs llvmlite: covector[llvm]")
@pytest.mark.parametrize("fun", [logistic, shaken, later])
def test_values_are_those_of_equations_in_their_order(fun, monkeypatch):
    funs = [fun] if fun is later else [fun, cv.value_and_grad(fun), cv.grad(lambda x: cv.grad(fun)(x) @ LONG)]
    found = [cv.tree.leaves(cv.jit(f, compiler_options={"printer": "llvm"})(LONG)) for f in funs]
    monkeypatch.setattr(writer, "reorder_for_fusion", lambda equations, *_: equations)
    wanted = [cv.tree.leaves(cv.jit(f, compiler_options={"printer": "llvm"})(LONG)) for f in funs]
    assert all(np.array_equal(x, y) for part, other in zip(found, wanted) for x, y in zip(part, other))


def test_a_gradient_that_waits_for_no_sum_needs_no_memory(tmp_path):
    assert scratch(cv.value_and_grad(logistic), tmp_path) == 0


def test_no_more_memory_is_needed(tmp_path, monkeypatch):
    found = scratch(cv.value_and_grad(shaken), tmp_path)
    monkeypatch.setattr(writer, "reorder_for_fusion", lambda equations, *_: equations)
    assert found <= scratch(cv.value_and_grad(shaken), tmp_path) and scratch(cv.value_and_grad(logistic), tmp_path)
