"""covector.compat.autograd beside autograd: the same program gives the same arrays, of the same shapes."""

import json
from pathlib import Path

import numpy as np
import pytest

import covector
from autograd_cases import CASES, library

RECORDED = Path(__file__).with_name("recorded.json")


def leaves(answer):
    return [np.asarray(v) for v in covector.tree.leaves(answer)]


def written(answer):
    """An answer as JSON: shapes and values, of complex values real and imaginary parts."""
    return [[list(v.shape), np.real(v).ravel().tolist(), np.imag(v).ravel().tolist() if v.dtype.kind == "c" else None]
            for v in leaves(answer)]


def compare(ours, theirs):
    assert [found[0] for found in ours] == [found[0] for found in theirs]
    for (_, a, b), (_, c, d) in zip(ours, theirs):
        np.testing.assert_allclose(a, c, rtol=1e-6, atol=1e-9)
        assert (b is None) == (d is None)
        if b is not None:
            np.testing.assert_allclose(b, d, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_as_autograd_recorded(name):
    compare(written(CASES[name](library("covector.compat.autograd"))),
            json.loads(RECORDED.read_text(encoding="utf-8"))[name])


@pytest.mark.reference
@pytest.mark.parametrize("name", CASES)
def test_as_autograd(name):
    pytest.importorskip("autograd", reason="needs the `reference` extra: pip install -e '.[reference]'")
    theirs = written(CASES[name](library("autograd")))
    compare(written(CASES[name](library("covector.compat.autograd"))), theirs)
    compare(json.loads(RECORDED.read_text(encoding="utf-8"))[name], theirs)
