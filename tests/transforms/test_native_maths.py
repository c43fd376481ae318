"""The elementary functions of native code, evaluated by NumPy with exact multiply-adds."""

import importlib
import importlib.util
import json
import math
from functools import partial
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from scipy import special

import covector
import covector.scipy.special  # fills the registry
from covector.extend import REGISTRY
from covector.transforms.compile.maths import FEW, FUNCTIONS, NEAR, QUICK
from covector.transforms.compile.maths.coefficients import CONSTANTS, POLYNOMIALS, WORDS

SPEC = importlib.util.spec_from_file_location("numpy_lanes", Path(__file__).with_name("numpy_lanes.py"))
LANES = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(LANES)

RECORDED = json.loads(Path(__file__).with_name("recorded_maths.json").read_text(encoding="utf-8"))
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "maths"
DTYPES = {64: np.float64, 32: np.float32}
MORE = ("ndtr", "ndtri", "erfinv", "gelu", "silu", "softplus", "log_expit", "logit", "xlogy", "xlog1py", "entr",
        "i0", "i1", "i0e", "i1e")


def log_gamma(x):
    """C's, but minus infinity at minus infinity, as in SciPy, whose own is wrong for subnormal numbers."""
    pole = x > 1e306 or x <= 0 and x == np.floor(x)
    return -math.inf if x == -math.inf else math.inf if pole else math.lgamma(x)


def as_eager(name, *xs):
    return REGISTRY[name].fun(*[x.astype(float) for x in xs])


def turned_digamma(x):
    """By reflection, with the distance to the next pole as it is: SciPy's is off by a third beside poles."""
    rest = np.where(x == np.floor(x), np.nan, x - np.rint(x))
    return special.psi(1 - x) - np.pi / np.tan(np.pi * rest)


# what NumPy has not, of arrays of long doubles
OTHERS = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "erf": np.vectorize(lambda x: math.erf(float(x)), otypes=[float]),
    "erfc": np.vectorize(lambda x: math.erfc(float(x)), otypes=[float]),
    "gammaln": np.vectorize(lambda x: log_gamma(float(x)), otypes=[float]),
    "digamma": lambda x: np.where(x < 0, turned_digamma(x.astype(float)), special.psi(x.astype(float))),
    **{name: partial(as_eager, name) for name in MORE},
}
# where functions are tried, unless from -3 to 3
RANGES = {
    **dict.fromkeys(("arcsin", "arccos", "arctanh", "erfinv"), (-1, 1)),
    **dict.fromkeys(("log", "log2", "log10", "power", "gammaln", "digamma", "xlogy", "entr"), (0.1, 10)),
    **dict.fromkeys(("logaddexp", "logaddexp2"), (0, 3)),
    **dict.fromkeys(("log1p", "xlog1py"), (-1, 3)),
    **dict.fromkeys(("logit", "ndtri"), (0, 1)),
    "arccosh": (1, 10),
}
# units in the last place, where it is not 2: quotients, and a factor
MOST = {"erfinv": 5, "ndtri": 5, "i0": 5, "i1": 5, "i0e": 4, "i1e": 4}
EDGES = [0.0, 0.5, 1.0, 2.0, 3.0, 10.0, 1e3, 3e5, np.inf, np.nan]


def run(function, *xs):
    lanes = LANES.NumPyLanes(8 * xs[0].dtype.itemsize)
    with np.errstate(all="ignore"):
        return function(lanes, *xs)


def edges(dtype):
    info = np.finfo(dtype)
    small = info.smallest_subnormal
    ends = [small, 5 * small, info.tiny, info.max, info.max / 4, info.eps, 1 - info.eps]
    some = np.array([*EDGES, *ends], dtype)
    return np.concatenate([some, -some])


def apart(got, expected):
    """The difference in units in the last place of `expected`."""
    with np.errstate(all="ignore"):
        return np.where(
            (got == expected) | (np.isnan(got) & np.isnan(expected)), 0, abs(got - expected) / np.spacing(abs(expected))
        )


OF_TWO = [name for name, function in FUNCTIONS.items() if len(signature(function).parameters) == 3]
OF_ONE = [name for name in FUNCTIONS if name not in OF_TWO]


@pytest.mark.parametrize("width", DTYPES)
@pytest.mark.parametrize("name", OF_ONE)
def test_edges_are_as_in_numpy(name, width):
    same_edges(name, edges(DTYPES[width]))


@pytest.mark.parametrize("width", DTYPES)
@pytest.mark.parametrize("name", OF_TWO)
def test_edges_of_two_are_as_in_numpy(name, width):
    x = edges(DTYPES[width])
    same_edges(name, np.repeat(x, len(x)), np.tile(x, len(x)))


@pytest.mark.parametrize("width", DTYPES)
def test_edges_of_a_few_numbers_are_as_in_numpy(width):
    same_edges("tanh", edges(DTYPES[width]), function=FEW["tanh_few"][0])


def same_edges(name, *xs, function=None):
    dtype = xs[0].dtype
    got = run(function or FUNCTIONS[name], *xs)
    with np.errstate(all="ignore"):
        expected = getattr(np, name, OTHERS.get(name))(*[x.astype(np.longdouble) for x in xs]).astype(dtype)
    assert got.dtype == dtype
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(expected[known]))
    far = apart(got, expected) > MOST.get(name, 2)
    if name in OTHERS:  # what is compared with is itself known to that only
        with np.errstate(invalid="ignore"):
            far &= ~(abs(got - expected) <= 8 * np.finfo(dtype).eps * np.maximum(1, abs(expected)))
    assert not np.any(far), [*(x[far] for x in xs), got[far], expected[far]]


@pytest.mark.parametrize("width", DTYPES)
@pytest.mark.parametrize("name", NEAR)
def test_near_functions_agree_below_their_bound(name, width):
    function, bounds = NEAR[name]
    x = np.random.default_rng(0).uniform(-1, 1, 500) * np.array([[1.0], [100.0], [bounds[width]]])
    x = x.ravel().astype(DTYPES[width])
    assert np.all(apart(run(function, x), run(FUNCTIONS[name], x)) <= 2)


def test_quick_functions_are_within_a_unit_in_the_last_place():
    x = np.random.default_rng(0).uniform(-1, 1, 100_000) * np.array([[0.01], [1.0], [103.0]])
    x = np.concatenate([x.ravel().astype(np.float32), edges(np.float32)])
    for name, function in QUICK.items():
        exact = FUNCTIONS[name.removesuffix("_quick")]
        got, expected = run(function, x), run(exact, x)
        assert got.dtype == np.float32 and np.all(apart(got, expected) <= 1)
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(expected))


@pytest.mark.parametrize(("name", "width", "most"), [("exp", 64, 0.55), ("tanh", 64, 2), ("tanh", 32, 0.51)])
def test_functions_of_a_few_numbers_are_exact_enough(name, width, most):
    """Between, at and beside the places of tables, and where the last of them end."""
    function, bound = FEW[f"{name}_few"]
    rng = np.random.default_rng(0)
    places = np.arange(4200) * (5 / 1024)
    x = np.concatenate([places, np.nextafter(places, 50), np.nextafter(places, -50), rng.uniform(-21, 21, 20_000),
                        rng.uniform(-0.05, 0.05, 20_000), rng.uniform(-709, 709, 20_000),
                        10.0 ** rng.uniform(-300, 300, 1000)])
    if bound is not None:
        x = x[abs(x) < bound[width]]
    with np.errstate(over="ignore", under="ignore"):
        x = x.astype(DTYPES[width])
    expected = getattr(np, name)(x.astype(np.longdouble))
    assert np.all(abs(run(function, x) - expected) <= most * np.spacing(abs(expected).astype(DTYPES[width])))


def test_the_hardest_reductions_are_right():
    """The numbers closest to multiples of half of pi, the largest, and the first of those called large, by mpmath."""
    x = np.array([6381956970095103.0 * 2.0**797, np.finfo(float).max, 1e22, 2.0**30])
    sines = [1.0, float.fromhex("0x1.452fc98b34e97p-8"), -0.8522008497671888, -0.6173264150460421]
    cosines = [float.fromhex("-0x1.14ae72e6ba22fp-61"), -0.9999876894265599, 0.523214785395139, 0.7867071229411882]
    assert np.all(apart(run(FUNCTIONS["sin"], x), np.array(sines)) <= 1)
    assert np.all(apart(run(FUNCTIONS["cos"], x), np.array(cosines)) <= 1)
    x = np.array([16367173.0 * 2.0**72, np.finfo(np.float32).max], np.float32)
    assert np.all(apart(run(FUNCTIONS["cos"], x), np.float32([-1.6147698e-09, 0.853021])) <= 1)


@pytest.mark.parametrize("at", RECORDED)
def test_worst_known_arguments_are_within_few_ulp(at):
    """Arguments that benchmarks/maths/ulp.py found, with the nearest numbers to the values that mpmath has."""
    name, width = at.split()
    *xs, expected = np.array(RECORDED[at], DTYPES[int(width)]).T
    assert np.all(apart(run(FUNCTIONS[name], *xs), expected) <= MOST.get(name, 2))


@pytest.fixture
def script(monkeypatch):
    """A module of the benchmarks by its name; without mpmath the test is skipped."""
    pytest.importorskip("mpmath", reason="needs the `reference` extra: pip install -e '.[reference]'")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


@pytest.mark.parametrize("name", ["exp", "sin", "log_short", "cbrt"])
def test_coefficients_come_from_their_script(script, name):
    """A few of them again, digit by digit; `python benchmarks/maths/coefficients.py` writes all."""
    coefficients = script("coefficients")
    for width in coefficients.POLYNOMIALS[name][-1]:
        assert tuple(coefficients.entry("POLYNOMIALS", name, width)) == POLYNOMIALS[name, width]


def test_constants_come_from_their_script(script):
    coefficients = script("coefficients")
    assert {(name, width): coefficients.constant(name, width) for name, width in CONSTANTS} == CONSTANTS
    assert tuple(coefficients.words()) == WORDS


@pytest.mark.parametrize("width", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_arguments_are_within_few_ulp_of_mpmath(script, name, width):
    mpmath, exact = script("mpmath"), script("true_values").exact(name)
    rng = np.random.default_rng(0)
    low, high = RANGES.get(name, (-3, 3))
    xs = [rng.uniform(low, high, 40).astype(DTYPES[width]) for _ in range(2 if name in OF_TWO else 1)]
    with mpmath.workprec(200):
        expected = [float(exact(*map(mpmath.mpf, x))) for x in zip(*[x.tolist() for x in xs])]
    assert np.all(apart(run(FUNCTIONS[name], *xs), np.array(expected).astype(DTYPES[width])) <= MOST.get(name, 2))


@pytest.mark.slow
@pytest.mark.parametrize("width", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_lanes_compute_the_same_bits(script, name, width):
    pytest.importorskip("llvmlite", reason="needs llvmlite")
    xs = edges(DTYPES[width])
    xs = (np.repeat(xs, len(xs)), np.tile(xs, len(xs))) if name in OF_TWO else (xs,)
    got = script("llvm_lanes").compiled(FUNCTIONS[name], width, len(xs))(*xs)
    np.testing.assert_array_equal(got, run(FUNCTIONS[name], *xs))


@pytest.mark.parametrize("size", [(), 2, 3])
def test_a_loop_over_a_few_numbers_looks_powers_up(size):
    """Where the exponential overflows, or is subnormal, it is the one of all numbers."""
    pytest.importorskip("llvmlite", reason="needs llvmlite")

    def looped(x):
        return covector.scan(lambda x, _: (x + 1, np.exp(x)), x, None, length=3)[1]

    compiled = covector.jit(looped, compiler_options={"printer": "llvm"})
    assert "covector.table.exp2" in compiled.lower(np.ones(size)).source
    for x in (0.0, -0.0, 0.3, -20.5, 707.5, 708.5, 709.5, 800.0, -707.5, -709.0, -745.0, -800.0, np.inf, -np.inf,
              np.nan):
        with np.errstate(over="ignore", under="ignore"):
            expected = np.exp(np.multiply.outer([0, 1, 2], np.ones(size)) + x)
            got = compiled(np.full(size, x))
        np.testing.assert_allclose(got, expected, 1e-15, 1e-323)


@pytest.mark.parametrize(("size", "width"), [((), 64), (1, 64), (2, 64), (3, 64), (4, 64), ((), 32), (2, 32)])
def test_a_loop_over_a_few_numbers_looks_tanh_up(size, width):
    """In a loop, whose code has the function in place up to sixteen times, and calls it after that."""
    pytest.importorskip("llvmlite", reason="needs llvmlite")

    def chain(x):
        for k in range(20):
            x = np.tanh(x) * (1.5 + 0.125 * k)
        return x

    def looped(x):
        return covector.scan(lambda x, _: (chain(x), x), x, None, length=3)[0]

    dtype, tolerance = DTYPES[width], 32 * np.finfo(DTYPES[width]).eps
    x = dtype(np.random.default_rng(0).normal(size=size))
    compiled = covector.jit(looped, compiler_options={"printer": "llvm"})
    assert "covector.table.tanh" in compiled.lower(x).source
    np.testing.assert_allclose(compiled(x), chain(chain(chain(x))), tolerance)
    for edge in (np.inf, -np.inf, np.nan, 0.0, -0.0):
        got, expected = compiled(np.full(size, edge, dtype)), chain(chain(chain(np.full(size, edge, dtype))))
        np.testing.assert_allclose(got, expected, tolerance)
        assert np.all(np.signbit(got) == np.signbit(expected)) or np.isnan(edge)
