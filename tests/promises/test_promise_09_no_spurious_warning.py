"""Promise 9: derivatives warn only where the plain function does, even under `np.errstate(all="raise")`, staged too."""

import warnings

import numpy as np
import pytest

import covector

QUIET = {
    "log at the edge of a mask": (lambda x: np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0), np.array([0.0, 2])),
    "sqrt at 0": (lambda x: np.sqrt(x), np.array([0.0, 1.0])),
    "sqrt at 0, masked": (lambda x: np.where(x > 0, np.sqrt(x), 0.0), np.array([0.0, 1.0])),
    "norm at 0": (lambda x: np.linalg.norm(x), np.zeros(3)),
    "power at 0": (lambda x: x**0.5, np.array([0.0, 4.0])),
    "power 0 of 0": (lambda x: np.power(x, np.array([0.0, 1.0])), np.zeros(2)),
    "hypot at 0": (lambda x: np.hypot(x, x), np.zeros(2)),
    "arctan2 at 0": (lambda x: np.arctan2(x, x), np.zeros(2)),
    "std of a constant": (lambda x: np.std(x), np.ones(3)),
    "small division": (lambda x: 1.0 / x, np.array([1e-200, 1.0])),
    "huge square": (lambda x: np.tanh(x), np.array([1e200, -1e200])),
    "arcsin at 1": (lambda x: np.arcsin(x), np.array([1.0, -1.0])),
    "arctan of a huge value": (lambda x: np.arctan(x), np.array([1e200, 0.5])),
    "arcsinh of a huge value": (lambda x: np.arcsinh(x), np.array([-1e200, 0.5])),
    "tan of a tiny value": (lambda x: np.tan(x), np.array([1e-200, 0.5])),
    "sinc of a tiny value": (lambda x: np.sinc(x), np.array([1e-200, 0.5])),
    "gelu far out": (lambda x: covector.nn.gelu(x, approximate=False), np.array([-38.0, 38.0])),
    "silu of infinity": (covector.nn.silu, np.array([np.inf, 0.5])),
    "erf far out": (covector.scipy.special.erf, np.array([1e200, 40.0])),
    "ndtr far out": (covector.scipy.special.ndtr, np.array([100.0, 40.0])),
    "log_expit far out": (covector.scipy.special.log_expit, np.array([750.0, 40.0])),
    "logaddexp of -inf": (lambda x: np.logaddexp(x, x), np.array([-np.inf, 0.0])),
    "checkpoint": (covector.checkpoint(lambda x: np.sqrt(x) * 2.0), np.array([0.0, 1.0])),
    "scan": (lambda x: covector.scan(lambda c, r: (c, np.sqrt(r) * c), 1.0, x)[1], np.array([0.0, 1.0])),
    "cond": (lambda x: covector.cond(x.sum() > 0, np.sqrt, lambda v: v, x), np.array([0.0, 1.0])),
}
TRANSFORMS = [covector.jacrev, covector.jacfwd, covector.grad]
LOUD = {
    "divide by zero": lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)),
    "invalid value": lambda x: np.sum(np.where(x > 0, np.sqrt(x - 1e-9), 0.0)),
    "overflow": lambda x: np.sum(np.exp(x * 1e4)),
}


def silently(call, *args):
    """`call(*args)`, where a warning or a floating point flag is an error."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        return call(*args)


def same_where_finite(found, wanted):
    """Equal values; at a pole the two may differ, for staged control flow always takes strong zeros."""
    at = np.isfinite(wanted)
    np.testing.assert_array_equal(found[at], wanted[at])


@pytest.mark.parametrize("name", QUIET)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_derivative_is_as_quiet_as_the_function(name, transform):
    fun, x = QUIET[name]
    scalar = fun if transform is not covector.grad else lambda x: np.sum(fun(x))
    silently(fun, x)
    silently(transform(scalar), x)


@pytest.mark.parametrize("name", QUIET)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_staged_derivative_is_as_quiet_as_the_eager_one(name, transform):
    fun, x = QUIET[name]
    derivative = transform(fun if transform is not covector.grad else lambda x: np.sum(fun(x)))
    graph = covector.make_graph(derivative)(x)
    same_where_finite(silently(graph, x), derivative(x))
    again = covector.make_graph(graph)(x)  # a replay that is staged keeps what it knows
    same_where_finite(silently(again, x), derivative(x))


@pytest.mark.parametrize("name", QUIET)
def test_a_tangent_map_is_as_quiet_as_the_function(name):
    fun, x = QUIET[name]
    out, tangent_map = silently(covector.linearize, fun, x)
    ones = np.ones_like(x)
    np.testing.assert_array_equal(silently(tangent_map, ones), covector.jvp(fun, (x,), (ones,))[1])


@pytest.mark.parametrize("transform", [covector.vmap, covector.checkpoint, covector.jacfwd, covector.jacrev])
def test_a_staged_derivative_stays_quiet_under_other_transforms(transform):
    graph = covector.make_graph(covector.grad(lambda x: np.sum(np.sqrt(x) * x)))(np.zeros(2))
    x = np.zeros((3, 2)) if transform is covector.vmap else np.zeros(2)
    silently(transform(graph), x)


@pytest.mark.parametrize("name", LOUD)
@pytest.mark.parametrize("derive", [
    covector.grad,
    covector.value_and_grad,
    lambda f: covector.make_graph(f)(np.ones(2)),
    lambda f: covector.make_graph(covector.value_and_grad(f))(np.ones(2)),
])  # fmt: skip
def test_warning_of_the_function_itself_stays(name, derive):
    x = np.array([0.0, 1.0])
    with pytest.warns(RuntimeWarning, match=name):
        LOUD[name](x)
    derived = derive(LOUD[name])
    with pytest.warns(RuntimeWarning, match=name):
        derived(x)


def test_an_error_state_of_the_user_while_staging_does_not_silence_the_graph():
    with np.errstate(all="ignore"):
        graph = covector.make_graph(np.log)(np.zeros(2))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        graph(np.zeros(2))


def test_error_state_is_restored():
    before = np.geterr(), np.geterrcall()
    covector.grad(lambda x: np.sum(np.sqrt(x)))(np.zeros(2))
    covector.jvp(np.sqrt, (np.zeros(2),), (np.ones(2),))
    graph = covector.make_graph(covector.grad(lambda x: np.sum(np.sqrt(x) @ np.ones(2))))(np.zeros(2))
    graph(np.zeros(2))
    with pytest.raises(ValueError):
        graph(np.zeros(3))
    assert (np.geterr(), np.geterrcall()) == before
