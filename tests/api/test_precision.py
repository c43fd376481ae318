"""Values, slopes and second derivatives have their digits from 1e-300 to 1e300: mpmath's are recorded.

The bound is a relative error of 1e-10, of
1e-4 in float32, at exactly the operand that is given. What underflows may be 0, what overflows infinite.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import covector as cv

pytest.importorskip("scipy")


def loaded(name):
    """A module beside this one."""
    spec = importlib.util.spec_from_file_location(f"api_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


precision_table = loaded("precision_table")
RECORDED = np.load(Path(__file__).with_name("precision.npz"))
ROWS = {row.name: row for row in precision_table.rows(precision_table.Unevaluated())}
BOUND = {np.float64: 1e-10, np.float32: 1e-4}


def reverse(f):
    return lambda x: cv.grad(lambda x: f(x).sum())(x)


def forward(f):
    return lambda x: cv.jvp(f, (x,), (np.ones_like(x),))[1]


MODES = {
    "value": (0, lambda f: f), "reverse": (1, reverse), "forward": (1, forward),
    "reverse over reverse": (2, lambda f: reverse(reverse(f))),
    "forward over forward": (2, lambda f: forward(forward(f))),
}
COMPILED = {"jit, reverse": (1, lambda f: cv.jit(reverse(f))),
            "jit, reverse over reverse": (2, lambda f: cv.jit(reverse(reverse(f))))}


def operands(row, dtype):
    """The places that a dtype has, as an array, with the other operands there; and where they are."""
    kept = np.ones(len(row.places), bool)
    for x in (row.places, *row.rest):
        with np.errstate(over="ignore"):
            near = x.astype(dtype)
        kept &= (near == x) & ((abs(near) >= np.finfo(dtype).tiny) | (x == 0))
    return row.places[kept].astype(dtype), [r[kept].astype(dtype) for r in row.rest], kept


def wrong(found, wanted, dtype):
    """Where `found` is farther from `wanted` than the bound."""
    top, tiny, bound = float(np.finfo(dtype).max), float(np.finfo(dtype).tiny), BOUND[dtype]
    found = np.asarray(found, float)
    with np.errstate(all="ignore"):
        far = ~(abs(found - wanted) <= bound * abs(wanted))
        under = (abs(wanted) < tiny) & (abs(found) <= tiny)
        over = (abs(wanted) > top * (1 - bound)) & (abs(found) > top * (1 - bound)) & (found * wanted > 0)
    return far & ~under & ~over & ~np.isnan(wanted)


def check(name, dtype, modes):
    row = ROWS[name]
    x, rest, kept = operands(row, dtype)
    excepted = precision_table.excepted(name, dtype)
    for mode, (order, make) in modes.items():
        if order in excepted:
            continue
        with np.errstate(all="ignore"):
            found = make(lambda x: row.fun(x, *rest))(x)
        wanted = RECORDED[name][order][kept]
        bad = wrong(found, wanted, dtype)
        assert not bad.any(), f"{mode} of {name}: " + ", ".join(
            f"{found[k]} for {wanted[k]} at {x[k]}" for k in np.flatnonzero(bad)[:3])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ROWS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_and_derivatives_have_their_digits(name, dtype):
    check(name, dtype, MODES)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", precision_table.COMPILED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_compiled_derivatives_have_their_digits(name, dtype):
    check(name, dtype, COMPILED)


def test_each_exception_names_rows_and_says_why():
    for pattern, _, orders, reason in precision_table.EXCEPTIONS:
        assert orders and reason
        assert any(precision_table.matches(pattern, name) for name in ROWS), pattern
