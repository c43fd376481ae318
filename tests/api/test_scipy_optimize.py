"""covector.scipy.optimize: SciPy's values, derivatives at the solution, and what is said where there are none."""

import numpy as np
import pytest
import scipy.optimize

import covector as cv
from covector.scipy import optimize

M = np.array([[3.0, 1.0], [0.5, 2.0]])


def rosen(x, a):
    return (a[0] - x[0]) ** 2 + a[1] * (x[1] - x[0] ** 2) ** 2 + 0.1 * np.sum(x**4)


def slope_at(a):
    """The minimum's Jacobian from a root of the gradient."""
    return cv.jacobian(lambda a: optimize.root(lambda x: cv.grad(rosen)(x, a), np.zeros(2), tol=1e-14).x)(a)


METHODS = {
    "BFGS": {"gtol": 1e-10},
    "CG": {"gtol": 1e-9},
    "Newton-CG": {"xtol": 1e-12},
    "L-BFGS-B": {"ftol": 1e-16, "gtol": 1e-9},
    "TNC": {"ftol": 1e-16, "gtol": 1e-10, "xtol": 1e-14},
    "SLSQP": {"ftol": 1e-15},
    "trust-constr": {"xtol": 1e-12, "gtol": 1e-10},
    "trust-ncg": {"gtol": 1e-10},
    "trust-krylov": {"gtol": 1e-10},
    "trust-exact": {"gtol": 1e-10},
    "dogleg": {"gtol": 1e-10},
    "Nelder-Mead": {"xatol": 1e-10, "fatol": 1e-16},
    "Powell": {"xtol": 1e-10, "ftol": 1e-16},
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of SciPy's own steps
@pytest.mark.parametrize("method", METHODS)
def test_minimum_by_each_method(method):
    a = np.array([1.0, 3.0])
    start = np.array([0.8, 0.7])

    def best(a):
        return optimize.minimize(rosen, start, (a,), method=method, options=METHODS[method]).x

    np.testing.assert_allclose(cv.jacobian(best)(a), slope_at(a), atol=2e-5 if method == "Powell" else 1e-6)
    plain = best(a)
    traced = cv.vjp(best, a)[0]
    np.testing.assert_allclose(plain, traced, atol=1e-9)


def test_values_are_those_of_scipy():
    a = np.array([1.0, 3.0])
    ours, theirs = (
        m.minimize(rosen, np.zeros(2), (a,), method="BFGS", **more)
        for m, more in ((optimize, {}), (scipy.optimize, {"jac": lambda x, a: cv.grad(rosen)(x, a)}))
    )
    np.testing.assert_array_equal(ours.x, theirs.x)
    assert (ours.nit, ours.nfev, ours.njev, ours.message) == (theirs.nit, theirs.nfev, theirs.njev, theirs.message)
    seen = []
    cv.grad(lambda a: (seen.append(optimize.minimize(rosen, np.zeros(2), (a,), method="BFGS")), a.sum())[1])(a)
    assert (seen[0].nit, seen[0].nfev, seen[0].message) == (theirs.nit, theirs.nfev, theirs.message)
    assert seen[0].success and isinstance(seen[0], scipy.optimize.OptimizeResult)


def test_results_hold_traced_values():
    a = np.array([1.0, 3.0])

    def value(a):
        return optimize.minimize(rosen, np.zeros(2), (a,), options={"gtol": 1e-10}).fun

    x = optimize.minimize(rosen, np.zeros(2), (a,), options={"gtol": 1e-10}).x
    np.testing.assert_allclose(cv.grad(value)(a), cv.grad(lambda a: rosen(x, a))(a), atol=1e-9)  # the envelope
    found = cv.jit(lambda a: (lambda r: (r.x, r.success, r.nit))(optimize.minimize(rosen, np.zeros(2), (a,))))(a)
    assert bool(found[1]) and int(found[2]) > 2


@pytest.mark.filterwarnings("ignore:delta_grad")
def test_derivatives_of_bounds_and_constraints():
    def best(p):
        found = optimize.minimize(
            lambda x: np.sum((x - 2.0) ** 2) + x[0] * x[1],
            np.zeros(3),
            bounds=[(None, p[0]), (0.0, None), (-1.0, 5.0)],
            constraints=[{"type": "ineq", "fun": lambda x: p[1] - x[1] - x[2]}],
            options={"ftol": 1e-16},
        )
        return found.x

    p = np.array([0.5, 2.0])
    # On x0 = p0 and x1 + x2 = p1 there is one unknown left.
    np.testing.assert_allclose(cv.jacobian(best)(p), [[1.0, 0.0], [-0.25, 0.5], [0.25, 0.5]], atol=1e-7)
    np.testing.assert_allclose(cv.jit(cv.jacobian(best))(p), cv.jacobian(best)(p), atol=1e-9)
    linear = scipy.optimize.LinearConstraint(np.ones((1, 2)), -np.inf, 1.0)
    curved = scipy.optimize.NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, 1.0, 1.0)
    for constraint, slope in ((linear, [[0.5, -0.5], [-0.5, 0.5]]), (curved, None)):
        for method in ("SLSQP", "trust-constr"):
            options = {"ftol": 1e-16} if method == "SLSQP" else {"gtol": 1e-12, "xtol": 1e-14}

            def near(c, method=method, options=options, constraint=constraint):
                return optimize.minimize(
                    lambda x: np.sum((x - c) ** 2),
                    np.array([0.3, 0.4]),
                    method=method,
                    constraints=constraint,
                    options=options,
                ).x

            c = np.array([1.0, 2.0])
            unit = cv.jacobian(lambda c: c / np.sqrt(c @ c))(c)
            np.testing.assert_allclose(cv.jacobian(near)(c), unit if slope is None else slope, atol=1e-6)


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan"])
def test_least_squares_with_each_loss(loss):
    t = np.linspace(0.0, 1.0, 7)
    y = np.exp(-1.3 * t) + 0.1 * np.cos(9.0 * t)
    rho = {
        "linear": lambda z: z,
        "soft_l1": lambda z: 2.0 * (np.sqrt(1.0 + z) - 1.0),
        "cauchy": np.log1p,
        "huber": lambda z: np.where(z <= 1.0, z, 2.0 * np.sqrt(z) - 1.0),
        "arctan": np.arctan,
    }[loss]

    def residuals(x, y):
        return x[0] * np.exp(-x[1] * t) - y

    def fitted(y):
        return optimize.least_squares(
            residuals, [1.0, 1.0], args=(y,), loss=loss, f_scale=0.2, xtol=1e-15, ftol=1e-15, gtol=1e-15
        ).x

    def slope(x, y):
        return cv.grad(lambda x: np.sum(rho((residuals(x, y) / 0.2) ** 2)))(x)

    exact = cv.jacobian(lambda y: optimize.root(slope, fitted(cv.stop_gradient(y)), (y,), tol=1e-14).x)(y)
    np.testing.assert_allclose(cv.jacobian(fitted)(y), exact, atol=1e-6)


def test_least_squares_on_a_bound_and_with_a_sparse_jacobian():
    n = 12
    pattern = np.eye(n) + np.eye(n, k=1)

    def residuals(x, p):
        return x * p + 0.1 * np.concatenate([x[1:], np.zeros(1)]) ** 2 - 1.0

    def solution(p, **more):
        return optimize.least_squares(residuals, np.ones(n), args=(p,), xtol=1e-15, ftol=1e-15, gtol=1e-15, **more).x

    p = np.linspace(1.0, 2.0, n)
    np.testing.assert_allclose(solution(p, jac_sparsity=pattern), solution(p), atol=1e-10)
    whole = cv.jacobian(solution)(p)
    np.testing.assert_allclose(cv.jacobian(lambda p: solution(p, jac_sparsity=pattern))(p), whole, atol=1e-9)

    def limited(top):
        return optimize.least_squares(lambda x: x - np.array([2.0, 0.5]), np.zeros(2), bounds=(-1.0, top)).x

    np.testing.assert_allclose(cv.jacobian(limited)(np.array([1.0, 1.0])), [[1.0, 0.0], [0.0, 0.0]], atol=1e-9)


def test_linear_program_through_its_dual():
    b = np.array([4.0, 6.0])
    c = np.array([-1.0, -1.1])
    value, slope = cv.value_and_grad(lambda b: optimize.linprog(c, M.T, b).fun)(b)
    theirs = scipy.optimize.linprog(c, M.T, b)
    np.testing.assert_allclose(value, theirs.fun)
    np.testing.assert_allclose(slope, theirs.ineqlin.marginals)
    np.testing.assert_allclose(cv.grad(lambda c: optimize.linprog(c, M.T, b).fun)(c), theirs.x)
    mixed = cv.grad(
        lambda b: optimize.linprog([1.0, 2.0, 3.0], A_eq=[[1.0, 1.0, 1.0]], b_eq=b[:1], bounds=(0, b[1])).fun
    )
    np.testing.assert_allclose(mixed(np.array([1.5, 1.0])), [2.0, -1.0])


def test_large_systems_are_solved_by_products():
    n = 2100

    def solution(a):
        def equations(x):
            return (
                4.0 * x - np.concatenate([np.zeros(1), x[:-1]]) - np.concatenate([x[1:], np.zeros(1)]) + 0.1 * x**3 - a
            )

        return optimize.root(equations, np.zeros(n), method="krylov", tol=1e-12).x.sum()

    exact = (solution(1.0 + 1e-3) - solution(1.0 - 1e-3)) / 2e-3
    np.testing.assert_allclose(cv.grad(solution)(1.0), exact, rtol=1e-5)
    np.testing.assert_allclose(cv.jvp(solution, (1.0,), (1.0,))[1], cv.grad(solution)(1.0), rtol=1e-10)


def test_a_function_with_control_flow_takes_traced_arguments():
    def bent(x, a):
        return x**3 - a if x[0] > 0.0 else x - a

    assert np.isclose(cv.grad(lambda a: optimize.root(bent, np.ones(1), (a,)).x[0])(8.0), 1.0 / 12.0)
    with pytest.raises(TypeError, match="bool") as caught:
        cv.grad(lambda a: optimize.root(lambda x: bent(x, a), np.ones(1)).x[0])(8.0)
    assert "pass these as arguments" in caught.value.__notes__[0]


def test_problems_nest_and_the_start_has_no_derivative():
    def inner(b):
        return optimize.minimize(
            lambda x: np.sum((x - b) ** 2 + 0.1 * x**4), np.zeros(1), method="trust-exact", options={"gtol": 1e-12}
        ).x

    def outer(a):
        return optimize.root(lambda b: inner(b) + b - a, np.zeros(1), tol=1e-13).x[0]

    exact = (outer(2.0 + 1e-4) - outer(2.0 - 1e-4)) / 2e-4
    np.testing.assert_allclose(cv.grad(outer)(2.0), exact, rtol=1e-7)
    assert cv.grad(lambda s: optimize.root(lambda x: x**3 - 8.0, s * np.ones(1)).x[0])(1.0) == 0.0
    assert cv.grad(lambda a: optimize.root(lambda x: x**3 - a, np.ones(2)).x.sum())(np.float32(8.0)).dtype == np.float32


FAILURES = {
    "no root": (
        lambda a: optimize.root(lambda x: x * x + a, np.ones(1)).x[0],
        RuntimeError,
        "root has no derivative here: the search did not converge, and SciPy says 'The iteration is not making",
    ),
    "a double root": (
        lambda a: optimize.root(lambda x: a * x**3, np.zeros(1)).x[0],
        np.linalg.LinAlgError,
        r"the Jacobian at the solution, of shape \(1, 1\), is singular",
    ),
    "too few steps": (
        lambda a: optimize.minimize(lambda x: np.sum((x - a) ** 4), np.zeros(1), options={"maxiter": 1}).x[0],
        RuntimeError,
        "SciPy says 'Maximum number of iterations has been exceeded",
    ),
    "a valley": (
        lambda a: optimize.minimize(lambda x: (x[0] + x[1] - a) ** 2, np.zeros(2)).x[0],
        np.linalg.LinAlgError,
        "minimize has no derivative here.*singular",
    ),
    "a bound just touched": (
        lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, np.zeros(1), bounds=[(0.0, 1.0)]).x[0],
        RuntimeError,
        "active there with a multiplier of 0",
    ),
    "constraints twice": (
        lambda a: optimize.minimize(
            lambda x: np.sum(x**2),
            np.ones(2),
            constraints=[{"type": "eq", "fun": lambda x: x[0] - a}] * 2,
            method="trust-constr",
        ).x[0],
        RuntimeError,
        "have rank 1",
    ),
    "an infeasible program": (
        lambda a: optimize.linprog([1.0], [[1.0]], [-a]).fun,
        RuntimeError,
        "SciPy says.*infeasible",
    ),
    "a program with two solutions": (
        lambda a: optimize.linprog([-a, -a], [[1.0, 1.0]], [1.0]).x[0],
        (RuntimeError, np.linalg.LinAlgError),
        "linprog has no derivative here",
    ),
    "whole numbers": (
        lambda a: optimize.linprog([a], integrality=1).fun,
        NotImplementedError,
        "asked for whole numbers",
    ),
    "another loss": (
        lambda a: optimize.least_squares(lambda x: x - a, np.ones(1), loss=abs).x[0],
        NotImplementedError,
        "for the losses linear, soft_l1",
    ),
    "no fixed point": (
        lambda a: optimize.fixed_point(lambda x: 3.0 * x * a + 1.0, 1.0, maxiter=5, method="iteration"),
        RuntimeError,
        "SciPy says 'Failed to converge after 5 iterations",
    ),
    "no sign change": (
        lambda a: optimize.root_scalar(lambda x: x * x - a, x0=3.0, maxiter=1).root,
        RuntimeError,
        "root_scalar has no derivative here: .*SciPy says 'convergence error'; give a bracket",
    ),
    "an assignment": (
        lambda a: optimize.linear_sum_assignment(a * np.eye(2))[1].sum() * 1.0,
        NotImplementedError,
        "between ties the assignment does not move",
    ),
    "fewer equations": (
        lambda a: optimize.root(lambda x: a * x[:1], np.ones(2)).x[0],
        ValueError,
        r"root needs fun to return shape \(2,\), but it returned shape \(1,\)",
    ),
    "a vector to minimize": (
        lambda a: optimize.minimize(lambda x: a * x, np.ones(2)).fun,
        ValueError,
        r"minimize needs fun to return a number, but it returned shape \(2,\); reduce it",
    ),
    "bounds of another length": (
        lambda a: optimize.minimize(lambda x: a * x[0], np.ones(2), bounds=[(0, 1)]).fun,
        ValueError,
        "one pair .lower, upper. for each of the 2 unknowns, but got 1",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", FAILURES)
def test_there_is_no_derivative_and_the_message_says_why(case):
    fun, kind, words = FAILURES[case]
    for derivative in (cv.grad(fun), cv.jit(cv.grad(fun)), lambda a: cv.jvp(fun, (a,), (1.0,))):
        with pytest.raises(kind, match=f"(?s){words}"):
            derivative(1.0)
    with pytest.raises(kind, match=r"at test_scipy_optimize.py:\d+"):
        cv.grad(fun)(1.0)


@pytest.mark.filterwarnings("ignore")
def test_plain_values_fail_as_those_of_scipy():
    found = optimize.root(lambda x: x * x + 1.0, np.ones(1))
    assert not found.success and "not making good progress" in found.message
    with pytest.raises(TypeError) as caught:
        optimize.root(lambda x: float(x[0]) ** 2 - 2.0, np.ones(1))
    assert "give jac=False" in caught.value.__notes__[0]
    assert np.isclose(optimize.root(lambda x: float(x[0]) ** 2 - 2.0, np.ones(1), jac=False).x[0], np.sqrt(2.0))


def test_brackets_of_any_kind_and_functions_that_return_their_slopes():
    for bracket in ([0.0, 9.0], np.array([0.0, 9.0]), (0, 9)):
        root = lambda a, b=bracket: optimize.root_scalar(lambda x: x * x - a, bracket=b).root  # noqa: E731
        assert np.isclose(cv.grad(root)(4.0), 0.25)
    for more in ({"fprime": True}, {"fprime": True, "fprime2": True, "method": "halley"}):
        def root(a, more=more):
            parts = 3 if "fprime2" in more else 2
            return optimize.root_scalar(lambda x: (x * x - a, 2.0 * x, 2.0)[:parts], x0=1.0, **more).root

        assert np.isclose(root(4.0), 2.0) and np.isclose(cv.grad(root)(4.0), 0.25)


@pytest.mark.parametrize("name", ["root", "root_scalar", "fixed_point", "minimize", "least_squares"])
def test_complex_starting_points_are_refused_where_values_are_traced(name):
    def run(a):
        start = {"x0" if name == "root_scalar" else None: 1j} if name == "root_scalar" else {}
        return getattr(optimize, name)(lambda x: x - a, *([] if start else [np.ones(1) * 1j]), **start)

    with pytest.raises(TypeError, match=f"{name} looks for real unknowns .* complex128; stack .*at test_"):
        cv.grad(lambda a: run(a).x[0])(1.0)
