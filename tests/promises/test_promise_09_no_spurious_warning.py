"""Promise 9: derivatives warn only where the plain function does, even under `np.errstate(all="raise")`."""

import warnings

import numpy as np
import pytest

import covector

QUIET = {
    "log at the edge of a mask": (lambda x: np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0), np.array([0.0, 2])),
    "sqrt at 0": (lambda x: np.sqrt(x), np.array([0.0, 1.0])),
    "norm at 0": (lambda x: np.linalg.norm(x), np.zeros(3)),
    "power at 0": (lambda x: x**0.5, np.array([0.0, 4.0])),
    "power 0 of 0": (lambda x: np.power(x, np.array([0.0, 1.0])), np.zeros(2)),
    "hypot at 0": (lambda x: np.hypot(x, x), np.zeros(2)),
    "arctan2 at 0": (lambda x: np.arctan2(x, x), np.zeros(2)),
    "std of a constant": (lambda x: np.std(x), np.ones(3)),
    "small division": (lambda x: 1.0 / x, np.array([1e-200, 1.0])),
    "huge square": (lambda x: np.tanh(x), np.array([1e200, -1e200])),
    "arcsin at 1": (lambda x: np.arcsin(x), np.array([1.0, -1.0])),
    "logaddexp of -inf": (lambda x: np.logaddexp(x, x), np.array([-np.inf, 0.0])),
}


@pytest.mark.parametrize("name", QUIET)
@pytest.mark.parametrize("transform", [covector.jacrev, covector.jacfwd, covector.grad])
def test_derivative_is_as_quiet_as_the_function(name, transform):
    fun, x = QUIET[name]
    scalar = fun if transform is not covector.grad else lambda x: np.sum(fun(x))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        fun(x)
        transform(scalar)(x)


def test_warning_of_the_function_itself_stays():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        covector.grad(lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)))(np.array([0.0, 1.0]))


def test_error_state_is_restored():
    before = np.geterr()
    covector.grad(lambda x: np.sum(np.sqrt(x)))(np.zeros(2))
    covector.jvp(np.sqrt, (np.zeros(2),), (np.ones(2),))
    assert np.geterr() == before
