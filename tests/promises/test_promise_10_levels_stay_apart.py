"""Promise 10: no perturbation confusion at any nesting, with closures over outer tracers."""

import itertools

import numpy as np
import pytest

import covector

X = 0.7


def _grad(f):
    return covector.grad(f)


def _jvp(f):
    return lambda x: covector.jvp(f, (x,), (x * 0.0 + 1.0,))[1]


def _vjp(f):
    return lambda x: covector.vjp(f, x)[1](x * 0.0 + 1.0)[0]


def _linearize(f):
    return lambda x: covector.linearize(f, x)[1](x * 0.0 + 1.0)


def _vmap_grad(f):
    return lambda x: covector.vmap(covector.grad(f))(np.stack([x, x]))[0]


def _grad_checkpoint(f):
    return covector.grad(covector.checkpoint(f))


def _graph_grad(f):
    return lambda x: covector.make_graph(covector.grad(f))(x)(x)


SLOPES = {"grad": _grad, "jvp": _jvp, "vjp": _vjp, "linearize": _linearize, "vmap(grad)": _vmap_grad,
          "grad(checkpoint)": _grad_checkpoint, "graph(grad)": _graph_grad}  # fmt: skip


@pytest.mark.parametrize(("outer", "inner"), list(itertools.product(SLOPES, SLOPES)))
def test_closure_over_an_outer_tracer(outer, inner):
    # d/dx [x · d/dy (x y² + y)] at y = x: x (2x² + 1), slope 6x² + 1
    value = SLOPES[outer](lambda x: x * SLOPES[inner](lambda y: x * y * y + y)(x))(np.array(X))
    np.testing.assert_allclose(value, 6 * X**2 + 1, rtol=1e-12)


@pytest.mark.parametrize("names", list(itertools.product(["grad", "jvp", "vmap(grad)", "grad(checkpoint)"], repeat=3)))
def test_three_levels_each_closing_over_the_outer_ones(names):
    a, b, c = (SLOPES[n] for n in names)
    # d/dx [x · d/dy (x y · d/dz (x y z³))] with z = 3 and y = x
    value = a(lambda x: x * b(lambda y: x * y * c(lambda z: x * y * z**3)(x * 0.0 + 3.0))(x))(np.array(X))
    # inner slope at z = 3: 27 x y; times x y: 27 x² y²; d/dy at y = x: 54 x³; times x: 54 x⁴; d/dx: 216 x³
    np.testing.assert_allclose(value, 216 * X**3, rtol=1e-12)


@pytest.mark.parametrize("outer", SLOPES)
def test_constant_inner_derivative_is_zero(outer):
    # The famous case: d/dx [x · d/dy (x + y)] = 1, and 2 where levels are confused.
    value = SLOPES[outer](lambda x: x * covector.grad(lambda y: x + y)(1.0))(np.array(X))
    np.testing.assert_allclose(value, 1.0)


@pytest.mark.parametrize("outer", SLOPES)
def test_cond_and_scan_over_outer_tracers(outer):
    def fun(x):
        y = covector.cond(x > 0, lambda t: t * x, lambda t: t, x)  # x²
        carry, rows = covector.scan(lambda c, r: (c * x + r, c), y, np.ones(2))  # (x² x + 1) x + 1
        return carry

    np.testing.assert_allclose(SLOPES[outer](fun)(np.array(X)), 4 * X**3 + 1, rtol=1e-12)


@pytest.mark.parametrize("outer", SLOPES)
def test_custom_rules_over_outer_tracers(outer):
    def fun(x):
        @covector.custom_vjp
        def f(t):
            return t * x

        f.defvjp(lambda t: (t * x, None), lambda saved, ct: (ct * x,))
        return covector.grad(f)(x) * x  # x²

    np.testing.assert_allclose(SLOPES[outer](fun)(np.array(X)), 2 * X, rtol=1e-12)


def test_two_batch_axes_stay_apart():
    x, y = np.arange(3.0), np.arange(2.0)
    table = covector.vmap(lambda a: covector.vmap(lambda b: covector.grad(lambda t: t * a * b)(a))(y))(x)
    np.testing.assert_array_equal(table, np.outer(x, y))


def test_fourth_order_mixed_nesting():
    f = lambda x: np.sin(x) * x  # noqa: E731
    value = _grad(_jvp(_vjp(_jvp(f))))(np.array(X))
    np.testing.assert_allclose(value, X * np.sin(X) - 4 * np.cos(X), rtol=1e-12)
