"""Programs on Python floats: the same numbers, zeros of two signs, infinities, NaN and warnings as NumPy gives."""

import itertools
import warnings
from importlib.util import find_spec

import numpy as np
import pytest

import covector as cv
from covector.core.errors import RuleError
from covector.core.ops.arithmetic import tanh_slope
from covector.core.ops.by_output import less_square, times_rest
from covector.core.ops.elementary import rsqrt, sigmoid, sigmoid_slope
from covector.core.ops.nn.network import relu
from covector.core.ops.selection import is_lost
from covector.core.primitive.primitive import REGISTRY
from covector.transforms.compile.render.floats import scalar_source

FLOATS = (0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 1e-310, 1e308, -1e308, np.inf, -np.inf, np.nan)
INTEGERS = (0, 1, -1, 7, 2**62, -(2**62), 2**63 - 1, -(2**63))
NATIVE = ("llvm",) if find_spec("llvmlite") else ()
LOWERED = {f.prim.name for f in (less_square, times_rest, relu, is_lost, rsqrt, sigmoid, sigmoid_slope, tanh_slope)}
NAMES = sorted(scalar_source.ROWS.keys() & REGISTRY.keys() | LOWERED)


def outcome(f, args):
    """The outputs, or what kind of exception, and the warnings."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("always")
        try:
            found = f(*args)
        except Exception as error:
            found = type(error)
    return found, {str(w.message).replace("scalar ", "") for w in caught}  # as NumPy calls an operator on its numbers


def agree(fun, args, loud=True):
    reference = cv.jit(fun, compiler_options={"printer": "graph"})
    for printer in ("auto", "numpy", "scalar", *NATIVE):
        f = cv.jit(fun, compiler_options={"printer": printer})
        for given in args:
            wanted, alarms = outcome(reference, given)
            found, noticed = outcome(f, given)
            if found is RuleError and printer == "scalar":
                return
            quieter = not loud or printer in ("auto", "llvm")  # native code warns of what reaches an output
            assert noticed == alarms or quieter and not noticed, given
            if isinstance(wanted, type) or isinstance(found, type):
                assert found is wanted, given
                continue
            for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(wanted), strict=True):
                assert isinstance(a, np.ndarray | np.generic) and np.shape(a) == np.shape(b), given
                assert a.dtype == b.dtype, given
                np.testing.assert_allclose(a, b, rtol=1e-14, atol=0.0, err_msg=str(given))
                a, b = (np.where(np.isnan(v), 1.0, v) for v in (a, b))
                np.testing.assert_array_equal(np.signbit(a) if a.dtype.kind == "f" else a < 0,
                                              np.signbit(b) if b.dtype.kind == "f" else b < 0, err_msg=str(given))


def values(name, kind):
    arity = len(REGISTRY[name].operands)
    if name == "where":
        pairs = itertools.product(kind, repeat=2)
        return [(np.array(m), *map(np.array, pair)) for pair in pairs for m in (True, False)]
    return [tuple(map(np.array, one)) for one in itertools.product(kind, repeat=arity)]


@pytest.mark.parametrize("name", NAMES)
def test_operations_on_special_numbers(name):
    fun = REGISTRY[name].fun
    agree(lambda *xs: fun(*xs), values(name, FLOATS))
    agree(lambda *xs: fun(*xs), [tuple(x[None] for x in given) for given in values(name, FLOATS[:6])])


@pytest.mark.parametrize("name", sorted(LOWERED))
def test_operations_without_a_row_come_down_to_others(name):
    fun = REGISTRY[name].fun
    f = cv.jit(fun, compiler_options={"printer": "scalar"})
    given = [np.float64(0.5)] * len(REGISTRY[name].operands)
    np.testing.assert_allclose(f(*given), fun(*given), rtol=1e-15, atol=0.0)


def test_the_number_zero_among_floats_is_a_float():
    agree(lambda x: -np.maximum(x, 0), [(np.float64(-1.0),), (np.array([-1.0, 2.0]),)])
    agree(lambda x: -np.where(x > 0, x, 0), [(np.float64(-1.0),), (np.array([-1.0, 2.0]),)])
    agree(lambda x, i: -np.where(x > 0, x, i), [(np.float64(-1.0), np.int64(0)), (np.array([-1.0, 2.0]), np.int64(0))])


@pytest.mark.parametrize("name", [
    "add", "subtract", "multiply", "negative", "absolute", "greater", "less_equal", "equal", "maximum", "minimum",
    "square", "where", "bitwise_and", "bitwise_xor", "divide"])
def test_operations_on_integers(name):
    fun = REGISTRY[name].fun
    agree(lambda *xs: fun(*xs), values(name, INTEGERS))


PROGRAMS = {
    "a NaN that is masked": lambda x: np.where(np.isfinite(x), x, 0.0) + np.where(x - x == 0.0, 1.0, 2.0),
    "a NaN that is compared": lambda x: np.where(x - x > 0.0, 1.0, x * 0.0),
    "a quotient by zero that is masked": lambda x: np.where(x == 0.0, 1.0, np.sin(x) / np.where(x == 0.0, 1.0, x)),
    "an integer that wraps": lambda x: (x.astype(int) + (2**63 - 1)) > 0,
    "a sum of zeros": lambda x: np.sum(np.stack([x, -x]) * 0.0),
    "an empty sum": lambda x: np.sum(x.reshape(-1)[:0]),
    "a maximum of zeros": lambda x: np.max(np.stack([0.0 * x, -0.0 * x])),
    "powers": lambda x: (x**2, x**3, x**0, x**-1, x**0.5),
    "rounds": lambda x: (np.floor(x), np.sign(x), np.round(x)),
    "comparisons": lambda x: (x > 0, x == x, (x > 0) & (x < 1), ~(x > 0)),
    "a casted comparison": lambda x: (x > 0).astype(float) * x,
    "a gradient at a kink": cv.grad(lambda x: np.abs(x) + np.maximum(x, 0.0) + np.sqrt(x * x)),
    "a second derivative": cv.grad(cv.grad(lambda x: np.exp(-x * x) * np.log1p(x * x))),
    "a loop": lambda x: cv.fori_loop(0, 5, lambda i, c: c * x + i, x),
    "a scan over elements": lambda x: cv.scan(lambda c, t: (c * t + x, c - t), x, np.stack([x, 1.0 + x, x])),
    "a scan over equal elements": lambda x: cv.scan(lambda c, t: (c * t + x, c - t), x, np.stack([x, x])),
    "a scan": lambda x: cv.scan(lambda c, t: (c * t + x, c / (1.0 + t)), x, np.arange(4.0)),
}
# An overflow that does not reach a result: floats do not warn of it.
VANISHING = {
    "in a quotient": lambda x: 1.0 / (x * 1e308),
    "in a comparison": lambda x: np.where(x * 1e308 > 1.0, 1.0, 2.0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_on_special_numbers(name):
    agree(PROGRAMS[name], [(np.array(x),) for x in FLOATS])


@pytest.mark.parametrize("name", VANISHING)
def test_an_overflow_that_vanishes(name):
    agree(VANISHING[name], [(np.array(x),) for x in FLOATS], loud=False)


def test_the_largest_of_no_elements_is_refused_as_by_numpy():
    for fun in (np.max, np.min, lambda x: x[:, None].max(axis=0)):
        for f in (fun, cv.jit(fun)):
            with pytest.raises(ValueError, match="zero-size array to reduction operation"):
                f(np.zeros(0))


def bumps(x):
    return np.sum(np.tanh(x) * np.exp(-x * x) + x[::-1])


def iterated(x):
    return cv.fori_loop(0, 50, lambda i, c: 0.5 * c + np.cos(c), x)


@pytest.mark.parametrize(("fun", "n", "floats"), [
    (bumps, 3, True), (cv.grad(bumps), 3, True), (bumps, 300, False), (cv.grad(bumps), 300, False),
    (iterated, 5, True), (iterated, 300, False), (lambda x: np.outer(x, x) @ x, 2, True),
    (lambda x: np.outer(x, x) @ np.outer(x, x), 8, False), (lambda x: x[:2] + 1.0, 60, False),
])
def test_the_faster_of_numpy_and_floats_is_written(fun, n, floats, without_native):
    """These are further from the border than the estimates are from what is measured."""
    source = cv.jit(fun).lower(np.linspace(0.1, 0.9, n)).source
    assert (".tolist()" in source) is floats


def test_stacks_without_elements_are_multiplied():
    for a, b in (((0, 2, 3), (3, 3)), ((2, 0, 3), (3, 4)), ((2, 2, 0), (0, 3))):
        assert cv.jit(lambda x, y: x @ y)(np.zeros(a), np.zeros(b)).shape == (np.zeros(a) @ np.zeros(b)).shape


@pytest.mark.parametrize("printer", ["auto", "numpy", "graph", *NATIVE])
def test_numbers_that_a_compiled_function_closes_over_are_differentiated_as_numbers(printer):
    x = np.ones(2, np.float32)
    options = {} if printer == "auto" else {"compiler_options": {"printer": printer}}

    def scaled(w, wrap=lambda f: cv.jit(f, **options)):
        return wrap(lambda y: np.sin(y) * y * w * w)(x)

    def plain(w):
        return scaled(w, lambda f: f)

    for transform in (lambda f: cv.jvp(f, (2.0,), (1.0,)), lambda f: cv.grad(lambda w: f(w).sum())(2.0),
                      lambda f: cv.jvp(cv.grad(lambda w: f(w).sum()), (2.0,), (1.0,)),
                      lambda f: cv.grad(cv.grad(lambda w: f(w).sum()))(2.0)):
        for ours, known in zip(cv.tree.leaves(transform(scaled)), cv.tree.leaves(transform(plain)), strict=True):
            assert ours.dtype == known.dtype
            np.testing.assert_allclose(ours, known, rtol=1e-6)


def test_a_compiled_function_called_at_every_level_of_a_number():
    def inner(w):
        return cv.grad(lambda x: cv.jit(lambda y: y * x * w)(x))(w)

    assert [float(v) for v in cv.jvp(inner, (2.0,), (1.0,))] == [8.0, 8.0]  # 2 w², 4 w
    assert float(cv.grad(inner)(2.0)) == 8.0


def test_what_floats_are_refused_for_is_named():
    def sorted_steps(x):
        return cv.scan(lambda s, _: (np.sort(s), s[0]), x, None, length=3)[1]

    def asked(fun, *args):
        return cv.jit(fun, compiler_options={"printer": "scalar"})(*args)

    with pytest.raises(RuleError, match=r"floats, but sorted_steps has `sort` of f64\[3\], which is not written so"
                                        r".*; leave the printer out \(at test_jit_numbers.py:\d+"):
        asked(sorted_steps, np.ones(3))
    with pytest.raises(RuleError, match=r"has `\w+` of f32\[3\], .*which is not written so"):
        asked(lambda x: x * 2.0, np.ones(3, np.float32))
    with pytest.raises(RuleError, match="takes or gives values that are not written so, or too many; leave"):
        asked(lambda x: x, np.ones(600))
