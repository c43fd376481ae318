"""Solvers beside JAX: custom_root, custom_linear_solve, odeint, minimize."""

import numpy as np
import pytest

import covector as cv
from covector.scipy import integrate, optimize

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
jnp = jax.numpy
pytestmark = pytest.mark.reference
A = np.array([[3.0, 1.0], [0.5, 2.0]])
B = np.array([1.0, -2.0])


@pytest.fixture(autouse=True)
def doubles():
    with jax.enable_x64(True):
        yield


def agree(ours, theirs, *args, order=2):
    """Values, forward and reverse mode, and second derivatives in a direction."""
    args = [np.asarray(x) for x in args]
    dots = [np.cos(np.arange(x.size)).reshape(x.shape) for x in args]
    for _ in range(order):
        np.testing.assert_allclose(ours(*args), theirs(*args), atol=1e-8)
        ours, theirs = (
            lambda *xs, f=ours: cv.jvp(f, xs, tuple(dots))[1],
            lambda *xs, f=theirs: jax.jvp(f, xs, tuple(map(jnp.asarray, dots)))[1],
        )
    np.testing.assert_allclose(ours(*args), theirs(*args), atol=1e-8)
    for got, expected in zip(
        cv.grad(lambda *xs: ours(*xs).sum(), tuple(range(len(args))))(*args),
        jax.grad(lambda *xs: theirs(*xs).sum(), tuple(range(len(args))))(*args),
    ):
        np.testing.assert_allclose(got, expected, atol=1e-8)


def roots(lib, np):
    def newton(f, x):
        for _ in range(12):
            x = x - np.linalg.solve(lib.jacobian(f)(x), f(x))
        return x

    def tangent_solve(g, y):
        return np.linalg.solve(lib.jacobian(g)(y), y)

    def root(a, b):
        return lib.custom_root(lambda x: a @ x + 0.1 * np.sin(x) - b, np.zeros(2), newton, tangent_solve)

    def counted(b):
        def search(f, x):
            return newton(f, x), np.sum(x)

        return lib.custom_root(lambda x: x**3 + x - b, np.ones(2), search, tangent_solve, has_aux=True)[0]

    return root, counted


class Jax:
    custom_root = staticmethod(jax.lax.custom_root)
    custom_linear_solve = staticmethod(jax.lax.custom_linear_solve)
    jacobian = staticmethod(jax.jacobian)


def test_custom_root():
    ours, theirs = roots(cv, np), roots(Jax, jnp)
    agree(ours[0], theirs[0], A, B)
    agree(ours[1], theirs[1], B)
    np.testing.assert_allclose(cv.vmap(ours[1])(A), jax.vmap(theirs[1])(A), atol=1e-10)


def systems(lib, np):
    def dense(matvec, b):
        return np.linalg.solve(lib.jacobian(matvec)(b), b)

    def solution(a, b):
        return lib.custom_linear_solve(lambda x: a @ x, b, dense, dense)

    def symmetric(a, b):
        return lib.custom_linear_solve(lambda x: (a + a.T) @ x, b, dense, symmetric=True)

    def told(a, b):
        def solve(matvec, b):
            return dense(matvec, b), np.sum(b)

        return lib.custom_linear_solve(lambda x: a @ x, b, solve, solve, has_aux=True)[0]

    return solution, symmetric, told


@pytest.mark.parametrize("which", range(3))
def test_custom_linear_solve(which):
    ours, theirs = systems(cv, np)[which], systems(Jax, jnp)[which]
    agree(ours, theirs, A, B)
    many = np.stack([A, 2.0 * A, A.T])
    np.testing.assert_allclose(cv.vmap(ours, (0, None))(many, B), jax.vmap(theirs, (0, None))(many, B), atol=1e-10)
    np.testing.assert_allclose(cv.jit(cv.jacobian(ours))(A, B), jax.jit(jax.jacobian(theirs))(A, B), atol=1e-10)


def test_odeint():
    from jax.experimental.ode import odeint

    def rate(np):
        return lambda y, t, p: np.stack(
            [p[0] * y[0] - p[1] * y[0] * y[1], 0.5 * y[0] * y[1] - p[2] * y[1] + 0.1 * np.sin(t)]
        )

    def ours(y0, t, p):
        return integrate.odeint(rate(np), y0, t, (p,), rtol=1e-11, atol=1e-12)

    def stepped(y0, t, p):
        found = integrate.solve_ivp(
            lambda t, y, p: rate(np)(y, t, p), (t[0], t[2]), y0, t_eval=t, args=(p,), rtol=1e-11, atol=1e-12
        )
        return found.y.T

    def theirs(y0, t, p):
        return odeint(rate(jnp), y0, t, p, rtol=1e-11, atol=1e-12)

    args = np.array([1.0, 0.5]), np.array([0.0, 0.6, 1.0]), np.array([1.1, 0.6, 0.8])
    w = np.sin(np.arange(6.0)).reshape(3, 2)
    expected = jax.grad(lambda *xs: (theirs(*xs) * w).sum(), (0, 1, 2))(*args)
    for fun in (ours, stepped):
        np.testing.assert_allclose(fun(*args), theirs(*args), atol=1e-9)
        got = cv.grad(lambda *xs, f=fun: (f(*xs) * w).sum(), (0, 1, 2))(*args)
        for one, other in zip(got, expected):
            np.testing.assert_allclose(one, other, atol=1e-8)


def test_minimize():
    from jax.scipy.optimize import minimize

    def rosen(x, a):
        return (a[0] - x[0]) ** 2 + a[1] * (x[1] - x[0] ** 2) ** 2

    a = np.array([1.0, 3.0])
    ours = optimize.minimize(rosen, np.zeros(2), (a,), method="BFGS", tol=1e-10)
    theirs = minimize(rosen, jnp.zeros(2), (a,), method="BFGS", tol=1e-10)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-7)
    # Where JAX has no derivative of the minimum, its own root of the gradient has.
    exact = jax.jacobian(
        lambda a: jax.lax.custom_root(
            lambda x: jax.grad(rosen)(x, a),
            ours.x,
            lambda f, x: x,
            lambda g, y: jnp.linalg.solve(jax.jacobian(g)(y), y),
        )
    )(a)
    found = cv.jacobian(lambda a: optimize.minimize(rosen, np.zeros(2), (a,), method="BFGS", tol=1e-10).x)(a)
    np.testing.assert_allclose(found, exact, atol=1e-7)
