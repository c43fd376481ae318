"""Instructions that a region of the sweep is joined to: exact, shared where equal, and never written over too early."""

import inspect
import re

import numpy as np
import pytest

import covector
from covector.core.primitive.primitive import REGISTRY
from covector.extend import elementwise
from covector.transforms.reverse import blocks, reverse, sweep

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 1e-310, -2.5, 3.0, 0.5] * 30)
OTHER = np.roll(SPECIAL, 7)


@pytest.fixture
def small_blocks(monkeypatch):
    """A function that makes the sweep take every region in blocks, and the list of the programs it ran."""
    ran = []

    def start():
        class Noted(blocks.Region):
            def compiled(self):
                run = super().compiled()
                ran.append(inspect.getsource(run))
                return run

        monkeypatch.setattr(blocks, "_PROGRAMS", {})
        monkeypatch.setattr(sweep, "LARGE", 64)
        monkeypatch.setattr(reverse.RevTrace, "large", True)
        monkeypatch.setattr(blocks, "BLOCK", 136)
        monkeypatch.setattr(blocks, "Region", Noted)
        return ran

    return start


SIGNS = {
    "negative factors": lambda x, y: (-x) * y * (-y) / (-x),
    "differences": lambda x, y: (x - y) * x - (y - x) * (-y),
    "both negative": lambda x, y: -((-x) * (-y)) - (-(x * y)),
    "opposite contributions": lambda x, y: x * y - x * y - (y - x) * 1.0,
    "ones": lambda x, y: (x * 1.0) / 1.0 * (y / -1.0) * -1.0,
    "powers": lambda x, y: (x**2) ** 2 - y**3 / x**2,
    "roots": lambda x, y: np.sqrt(abs(x)) * -np.sqrt(abs(y)),
    "a constant answer": lambda x, y: 3.0 * x - y * 2.0 + x,
    "a square and more": lambda x, y: x * x * 0.3 - x * 0.7 + y * y * y,
    "flat parts": lambda x, y: np.where(x > 0.0, x, -y) * np.sign(y) * np.maximum(x, 1.0),
}


def test_what_is_pending_at_an_exit_comes_first_in_its_sum():
    x, y = np.linspace(0.1, 0.7, 600).reshape(20, 30), np.linspace(0.3, 1.1, 600).reshape(20, 30)
    for pending in (lambda y: y.reshape(-1).reshape(y.shape), lambda y: 0.1 * y[3], lambda y: (np.cumsum(y.T, 0)).T):
        def total(x, y, pending=pending):
            return np.sum((y - x * y) * 0.3 + np.exp(y * x) + pending(y))

        whole = covector.grad(total, (0, 1))(x, y)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sweep, "LARGE", 64)
            patch.setattr(reverse.RevTrace, "large", True)
            for a, b in zip(covector.grad(total, (0, 1))(x, y), whole, strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("weight", [1.0, -1.0, 0.25, SPECIAL])
@pytest.mark.parametrize("name", SIGNS)
def test_signs_zeros_and_infinities_are_those_of_the_whole_sweep(small_blocks, name, weight):
    def total(x, y):
        return np.sum(SIGNS[name](x, y) * weight)

    with np.errstate(all="ignore"):
        whole = covector.grad(total, (0, 1))(SPECIAL, OTHER)
        ran = small_blocks()
        parts = covector.grad(total, (0, 1))(SPECIAL, OTHER)
    assert ran
    for a, b in zip(parts, whole, strict=True):
        np.testing.assert_array_equal(a, b)
        known = ~np.isnan(a)
        np.testing.assert_array_equal(np.signbit(a[known]), np.signbit(b[known]))



@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "exp", "log1p", "sqrt", "arctan", "arcsinh", "cosh", "expm1",
                                  "log2", "exp2", "reciprocal", "square", "cbrt", "sinc", "arctan2", "hypot", "power"])
def test_every_kind_of_rule_gives_the_same_bits(small_blocks, name):
    function = getattr(np, name)
    x = np.linspace(0.2, 0.9, 300)
    y = np.cos(x)

    def total(x, y):
        z = function(x * y, y) if function.nin == 2 else function(x * y)
        return np.sum(z * z * x - z * 3.0)

    if name == "sinc":
        def total(x, y):
            return np.sum(np.sinc(x * y) * y)
    whole = covector.grad(total, (0, 1))(x, y)
    ran = small_blocks()
    parts = covector.grad(total, (0, 1))(x, y)
    assert ran
    for a, b in zip(parts, whole, strict=True):
        np.testing.assert_array_equal(a, b)


def test_equal_instructions_run_once_and_factors_of_one_not_at_all(small_blocks):
    x = np.linspace(0.2, 0.9, 300)
    ran = small_blocks()
    covector.grad(lambda x: np.sum((x**2) * (-(x**2))))(x)
    codes = re.findall(r"^ +(\w+)\(.*\)$", ran[0].partition("for i, j in")[2], re.MULTILINE)
    assert sorted(codes) == ["add", "multiply", "multiply", "subtract"]  # x + x once; signs and the cotangent 1 never


def test_a_rule_with_its_own_code_is_called_and_may_hand_on_what_it_was_given(small_blocks):
    def half(ct, x):
        assert type(ct) is np.ndarray, "symbols have no data"
        return ct if float(x[0]) > -1e9 else 0.0 * ct

    passing = elementwise("example_passing", impl=lambda xp, x: x + 0.0, vjp={"x": half},
                          jvp={"x": lambda dx: dx}, samples=lambda rng: [(rng.standard_normal(3), {})])
    try:
        x = np.linspace(0.2, 0.9, 300)

        def total(x):
            y = np.sin(x) * x
            return np.sum(np.exp(passing(y * 3.0)) * passing(y) * np.cos(x))

        whole = covector.grad(total)(x)
        ran = small_blocks()
        np.testing.assert_array_equal(covector.grad(total)(x), whole)
        assert "called(" in ran[0]
    finally:
        REGISTRY.pop("example_passing")


def test_a_rule_without_an_answer_leaves_the_region_to_the_sweep(small_blocks):
    silent = elementwise("example_silent", impl=lambda xp, x: x + 0.0, vjp={"x": lambda ct: None},
                         jvp={"x": lambda dx: 0.0 * dx}, samples=lambda rng: [(rng.standard_normal(3), {})])
    try:
        x = np.linspace(0.2, 0.9, 300)
        small_blocks()
        np.testing.assert_array_equal(covector.grad(lambda x: np.sum(silent(x * 2.0) * x))(x), x * 2.0)
    finally:
        REGISTRY.pop("example_silent")


def test_answers_are_arrays_of_the_caller_s_own(small_blocks):
    x, y = np.linspace(0.2, 0.9, 300).reshape(30, 10), np.ones((30, 10))
    small_blocks()
    _, pullback = covector.vjp(lambda x, y: x * y * 1.0 + y, x, y)
    first = pullback(np.ones((30, 10)))
    kept = [g.copy() for g in first]
    assert not any(np.shares_memory(a, b) for a in first for b in (x, y)) and not np.shares_memory(*first)
    for g in first:
        assert g.flags.owndata and g.flags.writeable and g.shape == (30, 10)
        g[...] = 7.0
    for a, b in zip(pullback(np.ones((30, 10))), kept, strict=True):
        np.testing.assert_array_equal(a, b)


UNARY = [np.sin, np.tanh, np.exp, np.square, np.negative, lambda v: 1.0 / (v * v + 1.0), lambda v: v**3, np.log1p,
         lambda v: np.maximum(v, 0.2), lambda v: np.where(v > 0.4, v, -v), lambda v: 0.5 - v, lambda v: v * -1.0,
         lambda v: v * v[0], lambda v: v.reshape(-1).reshape(v.shape), lambda v: v.T.T * 2.0, lambda v: np.cumsum(v, 0),
         lambda v: v * v]
BINARY = [np.add, np.subtract, np.multiply, np.hypot, lambda u, v: u / (v * v + 2.0), np.minimum,
          lambda u, v: np.logaddexp(u, v)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_have_the_same_bits(small_blocks, seed, dtype):
    rng = np.random.default_rng(seed)
    choices = [(rng.integers(2), rng.integers(len(UNARY)), rng.integers(len(BINARY)), *rng.random(2))
               for _ in range(rng.integers(3, 16))]

    def total(x, y):
        values = [x, y]
        for two, k, m, a, b in choices:
            u, v = (values[int(len(values) * r)] for r in (a, b))
            values.append(np.tanh(BINARY[m](u, v) if two else UNARY[k](u)))
        return np.sum(sum(values[2:]) * (values[-1] if seed % 2 else 1.0))

    x, y = (rng.uniform(0.1, 0.9, (20, 30)).astype(dtype) for _ in range(2))
    whole = covector.grad(total, (0, 1))(x, y)
    ran = small_blocks()
    parts = covector.grad(total, (0, 1))(x, y)
    assert ran
    for a, b in zip(parts, whole, strict=True):
        np.testing.assert_array_equal(a, b)
