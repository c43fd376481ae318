"""Eager operations on arrays of a device: their kernels on a stand-in for CuPy, against NumPy."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import covector as cv
from covector import nn  # noqa: F401 - its primitives
from covector.core.primitive.kernels import KNOWN
from covector.extend import REGISTRY
from covector.testing.cases import cases


def _programs():
    path = Path(__file__).with_name("test_device_program.py")
    spec = importlib.util.spec_from_file_location("device_programs_of_kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAMS = _programs()
device, pytestmark = PROGRAMS.device, PROGRAMS.pytestmark
Array, RNG = PROGRAMS.Array, np.random.default_rng(0)
_NUMPY_ALONE = {"batch_norm"}  # whose kernels take arrays of NumPy only
NAMES = sorted({key[0] for key in KNOWN if key[-1] == "device"} - _NUMPY_ALONE)
SPECIAL = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30, -1e30, 100.0, -100.0, 1e-30, 3.0, -3.0, 0.5, 1.0, 6.0])


def there(x):
    return Array(x.copy()) if type(x) is np.ndarray else x


def compare(case, operands, device):
    """The primitive and its derivatives on the stand-in, against NumPy; how many kernels ran."""
    live = [k for k in range(len(operands)) if operands[k].dtype.kind == "f"]
    floats = [operands[k] for k in live]
    wanted, back = cv.vjp(lambda *xs: case.raw(placed(xs, operands, live)), *floats)
    far = [there(x) for x in operands]
    before = device.launches
    found, push = cv.vjp(lambda *xs: case.raw(placed(xs, far, live)), *[far[k] for k in live])
    cts = [RNG.normal(size=v.shape).astype(v.dtype) for v in wanted]
    same(found, wanted)
    same(push([there(ct) for ct in cts]), back(cts))
    return device.launches - before


def placed(xs, operands, live):
    """Operands with other values for some."""
    out = list(operands)
    for k, x in zip(live, xs):
        out[k] = x
    return out


def same(found, wanted):
    for x, y in zip(cv.tree.leaves(found), cv.tree.leaves(wanted), strict=True):
        x = x.get() if type(x) is Array else np.asarray(x)
        assert x.shape == y.shape and x.dtype == y.dtype
        single = y.dtype == np.float32
        np.testing.assert_allclose(x, y, 2e-5 if single else 1e-11, 1e-5 if single else 1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
def test_kernels_give_what_numpy_gives(name, dtype, device, without_native):
    used = 0
    for case in cases(REGISTRY[name]):
        if any(x.dtype.kind == "c" for x in case.operands):
            continue
        operands = [x.astype(dtype) if x.dtype.kind == "f" else x for x in map(np.asarray, case.operands)]
        used += compare(case, operands, device)
    assert used


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
def test_infinities_nans_and_long_rows(name, dtype, device, without_native):
    """Of rows a few values that are none, one row full of -inf, and rows that a whole block shares."""
    case = max(cases(REGISTRY[name]), key=lambda c: max(x.ndim for x in c.operands) == 2 and c.operands[0].size)
    rows = RNG.normal(size=(len(SPECIAL) + 2, 300)).astype(dtype)
    rows[np.arange(len(SPECIAL)), np.arange(len(SPECIAL))] = SPECIAL
    rows[-1] = -np.inf
    shape = case.operands[0].shape
    operands = [x if x.dtype.kind != "f" else rows if x.shape == shape else RNG.normal(size=300).astype(dtype)
                for x in case.operands]
    if name == "cross_entropy":
        operands[1] = RNG.integers(0, 300, len(rows))
    with np.errstate(all="ignore"):
        compare(case, operands, device)
