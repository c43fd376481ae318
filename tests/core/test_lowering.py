"""Every elementwise primitive comes down to loops: ufuncs of NumPy and SciPy, `np.where` and casts."""

import numpy as np
import pytest

import covector  # noqa: F401 - fills the registry
from covector.core.arrays.avals import aval_of
from covector.core.primitive.primitive import REGISTRY, Loop, NotLowered
from covector.core.trace.device import Opaque
from covector.core.trace.tracer import Trace, Tracer
from covector.extend import Sample, make_aval, primitive
from covector.testing import CheckError, check
from covector.testing.cases import cases

pytest.importorskip("scipy")
NAMES = sorted(name for name, prim in REGISTRY.items() if prim.elementwise)
BEYOND = {np.where, np.ndarray.astype, np.frexp}  # loops of NumPy that are no ufuncs, or one answer of two
CASTS = {"cast", "to_complex"}  # casts to inexact dtypes: linear, not elementwise
HELD = Tracer.value  # the slot of a box, which its own `value` hides


class Box(Opaque):
    """A value that a lowering may compute with and cannot look at, so that it can be staged, too."""

    __slots__ = ()

    @property
    def value(self):
        raise AssertionError("a lowering looked at the elements")


class Loops(Trace):
    """Runs operations as the loops they come down to."""

    __slots__ = ()
    kind = "loops"

    def box(self, array):
        out = Box()
        out.owner = self
        out.aval = aval_of(array)
        HELD.__set__(out, array)
        return out

    def process(self, prim, args):
        if prim.name in CASTS:
            return self.loop(np.ndarray.astype, *args)
        if type(prim.lower) is np.ufunc or type(prim.lower) is Loop:
            return self.loop(prim.lower, *args)
        if prim.name == "broadcast_to":
            return self.box(prim.impl(np, HELD.__get__(args[0]), *args[1:]))
        assert prim.elementwise, f"{prim.name} is no elementwise primitive"
        return prim.lower(*args)

    def loop(self, loop, *args):
        values = [HELD.__get__(a) if isinstance(a, Tracer) else a for a in args]
        if loop is np.ndarray.astype or type(loop) is Loop and loop.of is np.ndarray.astype:
            values[0] = np.asarray(values[0])
        if type(loop) is Loop and type(loop.of) is str:
            assert len({np.asarray(v).dtype for v in values}) == 1, "SciPy's ufuncs promote in a way of their own"
        with np.errstate(all="ignore"):
            return self.box(loop(*values))


def lowered(prim, operands, params):
    trace = Loops()
    out = trace.process(prim, (*[trace.box(x) for x in operands], *params))
    return HELD.__get__(out) if isinstance(out, Tracer) else out


# Lowerings whose loops are not those of the implementation, with the distance to it in roundings; else none.
ROUNDED = {**dict.fromkeys("bessel_i ive logaddexp sigmoid sigmoid_by_output silu gelu_tanh".split(), 4),
           "polygamma": 16, "zeta": 8,
           "beta_moment": 100, "gamma_moment": 100}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
def test_lowering_gives_the_value_of_the_implementation(name, dtype):
    prim = REGISTRY[name]
    if type(prim.lower) is Loop:
        assert prim.lower.of in BEYOND
    for case in cases(prim):
        operands = case.operands if dtype is np.float64 else case.narrowed().operands
        with np.errstate(all="ignore"):
            wanted = np.asarray(prim.impl(np, *operands, *case.params))
            found = np.asarray(lowered(prim, operands, case.params))
        assert found.shape == wanted.shape
        assert found.dtype == wanted.dtype
        if name not in ROUNDED:
            np.testing.assert_array_equal(found, wanted)
        else:
            bound = ROUNDED[name] * np.finfo(wanted.dtype).eps
            np.testing.assert_allclose(found, wanted, rtol=bound, atol=bound)


@pytest.fixture
def total():
    """A primitive whose `lower` a test chooses."""
    yield primitive(
        "example_total", impl=lambda xp, x: x.sum(0), shape=lambda x: make_aval(x.shape[1:], x.dtype),
        batch=lambda x: x.sum(1), jvp={"x": lambda dx: total(dx)}, vjp={"x": lambda ct, x: ct + 0.0 * x},
        samples=lambda rng: [Sample(rng.normal(size=(2, 3)))])
    REGISTRY.pop("example_total")


@pytest.mark.parametrize("lower, said", [
    (lambda x: x.totl(0), "the lower of example_total raises AttributeError"),
    (lambda x: x.sum(0, keepdims=True), "got shape (1, 3) and dtype float64, expected (3,)"),
    (lambda x: (x.sum(0), x), "gives 2 results"),
    (lambda x: x.sum(0) * 2.0, "what example_total comes down to")])
def test_wrong_lowering_is_noticed(total, lower, said):
    total.prim.lower = lower
    with pytest.raises(CheckError) as caught:
        check(total, stages=["lowered"])
    assert said in str(caught.value)


def test_lowering_may_refuse(total):
    def stays(x):
        raise NotLowered

    total.prim.lower = stays
    assert check(total, stages=["lowered"]) == 1
