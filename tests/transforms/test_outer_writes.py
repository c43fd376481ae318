"""In-place writes, in functions that run more or less often than their text says, to arrays made outside of them."""

import numpy as np
import pytest

import covector
from covector.core.errors import ConversionError

X = np.array([1.0, -2.0, 3.0])


def branch_that_writes(x):
    b = x * 1.0

    def positive():
        b[0] = 100.0
        return np.sum(b)

    return covector.cond(x[0] > 0, positive, lambda: np.sum(b)), b


def branch_that_writes_to_a_buffer(x):
    b = np.copy(x)
    return covector.switch((x[0] > 0).astype(int), [lambda: np.sum(b), lambda: (b.fill(2.0), np.sum(b))[1]]), b


def branch_that_writes_to_a_part(x):
    b = x * 1.0
    part = b[1:]
    return covector.cond(x[0] > 0, lambda: part.__imul__(2.0).sum(), lambda: 0.0), b


def counted_steps(x):
    count = np.zeros_like(x)

    def step(carry, y):
        count[0] += 1.0
        return carry + y, carry

    return covector.scan(step, 0.0, x)[0], count


def counted_tests(x):
    b = x * 1.0

    def goes_on(c):
        b[0] += 1.0
        return c < 10.0

    return covector.while_loop(goes_on, lambda c: 2.0 * c, x[2]), b


def jitted_twice(x):
    b = x * 1.0

    def double(y):
        b[0] += 1.0
        return 2.0 * y

    fast = covector.jit(double)
    return fast(x) + fast(x), b


STAGED = [branch_that_writes, branch_that_writes_to_a_buffer, branch_that_writes_to_a_part, counted_steps,
          counted_tests, jitted_twice]
MATCH = r"an array made outside of it.*; write to a copy, or let the function take.*\(at .*test_outer_writes.py"


@pytest.mark.parametrize("f", STAGED, ids=lambda f: f.__name__)
def test_writes_of_a_staged_function_to_an_array_made_outside_are_refused(f):
    with pytest.raises(ConversionError, match=MATCH):
        covector.jit(f)(X)


@pytest.mark.parametrize("f", STAGED[:3], ids=lambda f: f.__name__)
def test_writes_of_a_branch_chosen_for_each_example_are_refused(f):
    with pytest.raises(ConversionError, match=MATCH):
        covector.vmap(f)(np.stack([X, -X]))


def loop_that_writes_for_each_example(x):
    b = x * 1.0

    def double(c):
        b[0] += 1.0
        return 2.0 * c

    return covector.while_loop(lambda c: c < 10.0, double, x[2]), b


def test_writes_of_a_loop_that_ends_for_each_example_are_refused():
    with pytest.raises(ConversionError, match=MATCH):
        covector.vmap(loop_that_writes_for_each_example)(np.stack([X, X + 1.0]))


@pytest.mark.parametrize("f", STAGED[:5], ids=lambda f: f.__name__)
def test_writes_are_made_where_the_function_runs_as_often_as_it_says(f):
    wanted = f(X.copy())
    for found in (covector.jvp(f, (X,), (X,))[0], covector.vjp(f, X)[0], covector.linearize(f, X)[0]):
        np.testing.assert_array_equal(found[0], wanted[0])
        np.testing.assert_array_equal(found[1], wanted[1])


def arrays_made_inside(x):
    def step(carry, y):
        b, c, d = x * 2.0, np.zeros_like(x), np.copy(x)[None]  # of what was made outside
        b[0] = y
        b.T[1] *= c[0] + 3.0
        c[:2] += b[1:]
        d[0, 1] = carry[0]
        carry[1] += y
        return carry + b * c + d[0], b

    return covector.scan(step, np.copy(x), x)


def operands_of_a_branch(x):
    b = x * 1.0

    def positive(b):
        b[0] = 100.0
        return b

    return covector.cond(x[1] > 0, positive, lambda b: 2.0 * b, b)


@pytest.mark.parametrize("f", [arrays_made_inside, operands_of_a_branch], ids=lambda f: f.__name__)
def test_what_is_made_or_taken_inside_is_written_to(f):
    for x in (X, -X):
        wanted = covector.tree.leaves(f(x.copy()))
        for found in (covector.jit(f)(x), covector.jit(lambda x: covector.jvp(f, (x,), (x,))[0])(x),
                      covector.tree.map(lambda v: v[0], covector.vmap(f)(np.stack([x, -x])))):
            for a, b in zip(covector.tree.leaves(found), wanted):
                np.testing.assert_allclose(a, b, rtol=1e-12)


def test_a_condition_that_is_no_truth_value_is_refused():
    with pytest.raises(TypeError, match="while_loop needs a condition that is a boolean scalar, but got f64"):
        covector.while_loop(lambda c: c, lambda c: c - 1.0, np.float64(2.5))
