"""debug_nans: the operation, the line, shapes and a sample of operands of a NaN, forward and backward, at any order."""

import inspect

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

pytestmark = pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")


def caught(fun, *args):
    """The message of the NaN that `fun` makes under debug_nans."""
    with cv.debug_nans(), np.errstate(all="ignore"), pytest.raises(FloatingPointError) as error:
        fun(*args)
    return str(error.value)


def line_of(fun, word):
    """`test_debug_nans.py:<line>` of the first line of `fun` with a word in it."""
    lines, start = inspect.getsourcelines(fun)
    return f"test_debug_nans.py:{start + next(i for i, text in enumerate(lines) if word in text)} in {fun.__name__}"


def logs(x):
    y = x * 2.0
    return np.log(y).sum()


def roots(x):
    y = x + 0.0
    return (np.sqrt(y) * 0.0).sum()


X = np.array([1.0, -2.0, 3.0])
ZERO = np.array([4.0, 0.0])


@pytest.mark.parametrize("transform", [cv.grad, cv.value_and_grad, lambda f: lambda x: cv.vjp(f, x), cv.jacobian,
                                       lambda f: lambda x: cv.jvp(f, (x,), (x,)), cv.hessian, cv.jacfwd,
                                       lambda f: lambda x: cv.linearize(f, x)])
def test_a_forward_nan_names_operation_line_shape_and_operand(transform):
    message = caught(transform(logs), X)
    assert message.startswith("log produced a NaN from x: f64[3] = [ 2. -4.  6.]")
    assert line_of(logs, "np.log") in message and "np.where" in message


def test_a_nan_under_vmap_is_found_with_and_without_grad():
    for fun in (cv.vmap(logs), cv.vmap(cv.grad(logs)), cv.grad(lambda x: cv.vmap(np.log)(x).sum())):
        message = caught(fun, X[:, None] if fun.__name__ == "logs" else X)
        assert message.startswith("log produced a NaN from x: ")


def test_the_operand_at_the_first_nan_of_a_large_array_is_shown():
    x = np.ones((10, 10))
    x[3, 4] = -7.0
    assert "(-7.0 at [3, 4])" in caught(cv.grad(lambda x: np.log(x).sum()), x)


@pytest.mark.parametrize("transform", [cv.grad, cv.value_and_grad, lambda f: lambda x: cv.vjp(f, x)[1](np.float64(1)),
                                       cv.jacrev])
def test_a_backward_nan_names_the_forward_line_the_cotangent_and_what_was_saved(transform):
    message = caught(transform(roots), ZERO)
    assert "a NaN appeared in the backward pass: the pullback of sqrt" in message
    assert line_of(roots, "np.sqrt") in message
    assert "cotangent: f64[2] = [0. 0.]" in message and "ans: f64[2] = [2. 0.]" in message and "np.where" in message


def test_a_tangent_with_nan_is_found():
    message = caught(lambda x: cv.jvp(roots, (x,), (np.ones(2),)), ZERO)
    assert "produced a tangent with NaN from" in message and line_of(roots, "np.sqrt") in message


def test_a_nan_in_the_tangent_of_a_gradient_is_found():
    def f(x):
        root = np.sqrt(x)
        return (root * root).sum()  # 0 times infinity, none of them a zero that unit vectors have

    message = caught(cv.jacfwd(cv.grad(f)), ZERO)
    assert "multiply produced a tangent with NaN" in message and line_of(f, "root * root") in message
    message = caught(cv.hessian(f), ZERO)
    assert "the pullback of sqrt" in message and line_of(f, "np.sqrt") in message
    assert "sqrt" in caught(lambda x: cv.hvp(f, (x,), (x,)), ZERO)


def test_the_sweep_of_a_sweep_says_whose_pullback_it_was():
    def f(x):
        return x ** 1.5 * 0.0

    message = caught(cv.grad(cv.grad(f)), 0.0)
    assert "in the pullback of" in message or "the pullback of" in message
    assert line_of(f, "x ** 1.5") in message


def test_a_cotangent_that_has_nan_already_is_told_apart():
    message = caught(lambda x: cv.vjp(lambda x: x * 2.0, x)[1](np.array([np.nan, 1.0])), np.ones(2))
    assert "the cotangent of multiply" in message and "in the cotangent given" in message


def test_infinities_that_meet_at_an_input_are_found():
    def f(x):
        return (np.sqrt(x) - np.sqrt(x)).sum()

    message = caught(cv.grad(f), np.zeros(1))
    assert "the cotangent of an input" in message and "inf and -inf" in message


def test_indexing_and_buffers_are_watched():
    def f(x):
        y = cnp.zeros(2) + x[1:]
        y[0] = np.log(x[0])
        return y.sum()

    message = caught(cv.grad(f), np.array([-1.0, 2.0, 3.0]))
    assert message.startswith("log produced a NaN") and line_of(f, "np.log") in message


def test_rules_of_ones_own_are_watched():
    @cv.custom_vjp
    def twice(x):
        return x * 2.0

    twice.defvjp(lambda x: (twice(x), None), lambda saved, ct: (ct * np.nan,))
    assert "the pullback of twice" in caught(cv.grad(lambda x: twice(x).sum()), X)

    @cv.custom_jvp
    def thrice(x):
        return x * 3.0

    thrice.defjvp(lambda primals, tangents: (thrice(*primals), tangents[0] * np.nan))
    assert "NaN" in caught(lambda x: cv.jvp(thrice, (x,), (x,)), X)
    assert "NaN" in caught(cv.grad(lambda x: thrice(x).sum()), X)


def test_control_flow_and_checkpoint_are_watched():
    def step(c, y):
        return np.log(c), y

    assert caught(cv.grad(lambda x: cv.scan(step, x, np.arange(3.0))[0]), 0.5).startswith("log produced a NaN")
    assert "NaN" in caught(cv.grad(cv.checkpoint(logs)), X)
    assert "pullback of sqrt" in caught(cv.grad(cv.checkpoint(roots)), ZERO)
    assert "NaN" in caught(cv.grad(lambda x: cv.cond(True, np.log, np.exp, x)), -1.0)


def test_custom_functions_are_named():
    @cv.custom_vjp
    def logarithm(x):
        return np.log(x)

    logarithm.defvjp(lambda x: (np.log(x), x), lambda x, ct: (ct / x,))
    message = caught(cv.grad(lambda x: logarithm(x).sum()), X)
    assert "logarithm" in message or message.startswith("log made")


def test_what_is_right_stays_right():
    def f(x):
        y = cnp.zeros(3) + x
        y[0] = x[1] * x[2]
        return (np.where(y > 0, np.log(np.where(y > 0, y, 1.0)), 0.0) * x).sum()

    transforms = [cv.grad, cv.jacobian, cv.hessian, lambda f: cv.vmap(cv.grad(f), in_axes=0)]
    for k, t in enumerate(transforms):
        x = np.stack([X, X + 1]) if k == 3 else X
        with cv.debug_nans():
            watched = t(f)(x)
        np.testing.assert_array_equal(watched, t(f)(x))
    with cv.debug_nans():
        out, tangent = cv.jvp(f, (X,), (X,))
    np.testing.assert_array_equal((out, tangent), cv.jvp(f, (X,), (X,)))


def test_nan_from_the_start_is_no_error_until_a_pullback_meets_it():
    with cv.debug_nans():
        np.testing.assert_array_equal(cv.grad(lambda x: (x * 2.0).sum())(np.array([np.nan, 1.0])), [2.0, 2.0])
        assert np.isnan(cv.vmap(lambda x: x * 2.0)(np.array([np.nan]))).all()
    assert "x: f64[1] = [nan]" in caught(cv.grad(lambda x: np.sin(x).sum()), np.array([np.nan]))


def test_the_mode_ends_and_can_be_switched_off_inside():
    with cv.debug_nans(), cv.debug_nans(False), np.errstate(all="ignore"):
        assert np.isnan(cv.grad(roots)(ZERO)[1])
    with np.errstate(all="ignore"):
        assert np.isnan(cv.grad(roots)(ZERO)[1])


def test_complex_and_single_precision():
    assert "c128[1]" in caught(cv.grad(lambda x: np.log(x * 0j).real.sum()), np.ones(1))
    assert "f32[1]" in caught(cv.grad(lambda x: np.log(x).sum()), -np.ones(1, np.float32))


def test_a_function_of_jit_is_run_again_where_it_gives_nan():
    def f(x, names):
        y = np.sqrt(x) + 1.0
        return {"y": y, names[0]: x > 1}

    fun = cv.jit(f, static_argnums=1)
    with np.errstate(all="ignore"):
        assert np.isnan(fun(np.array([-1.0]), ("a",))["y"])
        message = caught(lambda x: fun(x, ("a",)), np.array([4.0, -1.0]))
        assert "sqrt produced a NaN from x: f64[2] = [ 4. -1.]" in message and "in f" in message
        message = caught(cv.jit(lambda x: x / np.array([1.0, np.nan])), 1.0)
        assert "sqrt" not in message and "NaN" in message
        assert "closes over" in caught(cv.jit(lambda n: np.log(n)), -1)
        with cv.debug_nans():
            assert np.isnan(cv.jit(np.sin)(np.nan))
            assert fun(np.array([4.0]), ("a",))["y"] == 3.0
