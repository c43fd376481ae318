"""The table of solvers in docs/solvers.md: each cell is run."""

import re
from pathlib import Path

import numpy as np
import pytest

import covector as cv
from covector.scipy import integrate, optimize

PAGE = Path(__file__).resolve().parents[2] / "docs" / "solvers.md"
ROW = re.compile(r"^\| (`[^|]+?) \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \|$", re.MULTILINE)
TABLE = {name: cells for name, *cells in ROW.findall(PAGE.read_text(encoding="utf-8"))}
TIGHT = {"rtol": 1e-12, "atol": 1e-13}
TIMES = np.array([0.4, 1.0])
M = np.array([[3.0, 1.0], [0.5, 2.0]])
SAMPLES = np.array([1.0, 2.0, 0.5, 3.0, 1.5])


def newton(f, x):
    for _ in range(8):  # each doubles the digits
        x = x - np.linalg.solve(cv.jacobian(f)(x), f(x))
    return x


def dense(g, y):
    return np.linalg.solve(cv.jacobian(g)(y), y)


def own_root(p):
    return cv.custom_root(lambda x: M @ x + 0.1 * x**3 - p, np.zeros(2), newton, dense)


def own_system(p):
    return cv.custom_linear_solve(lambda x: M @ x * (1.0 + p @ p), np.array([1.0, 2.0]) * p, dense, dense)


def root(p):
    return optimize.root(lambda x, p: M @ x + 0.1 * np.sin(x) - p, np.zeros(2), (p,), tol=1e-14).x


def root_scalar(p):
    return optimize.root_scalar(lambda x: x**3 + p[1] * x - p[0], bracket=(0.0, 3.0), xtol=1e-14).root + 0.0 * p[0]


def fixed_point(p):
    return optimize.fixed_point(lambda x, p: 0.3 * np.cos(x) + 0.1 * p, np.zeros(2), (p,), xtol=1e-14)


def bowl(x, p):
    return np.sum((x - p) ** 2) + 0.1 * np.sum(x**4) + 0.3 * x[0] * x[1]


def minimize(p):
    return optimize.minimize(bowl, np.zeros(2), (p,), method="trust-exact", options={"gtol": 1e-12}).x


def bounded(p):
    found = optimize.minimize(
        bowl,
        np.array([0.2, 0.2]),
        (p,),
        bounds=[(None, 0.2 * p[1]), (-5.0, 5.0)],
        constraints=[{"type": "eq", "fun": lambda x, p: x[0] + x[1] - p[0] ** 2, "args": (p,)}],
        options={"ftol": 1e-16},
    )
    return found.x + found.fun


def least_squares(p):
    found = optimize.least_squares(
        lambda x, p: np.stack([x[0] - p[0], x[1] * x[0] - p[1], 0.1 * x[0] ** 2 - 0.1]),
        np.ones(2),
        args=(p,),
        method="lm",
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    return found.x + found.cost


def linprog(p):
    found = optimize.linprog(-p, M, np.array([4.0, 6.0]) * p)
    return found.x + found.fun + found.ineqlin.marginals


def nonnegative(p):
    a = np.stack([p, p**2 + [0.0, 3.0], -p]) @ [[1.0, 0.2], [0.3, 1.0]]
    x, distance = optimize.nnls(a, p[0] * np.array([1.0, 3.0, 0.5]))
    return np.append(x, distance)


def assignment(p):
    rows, columns = optimize.linear_sum_assignment(np.stack([p, p[::-1] ** 2]))
    return 1.0 * columns


def predators(t, y, p):
    return [p[0] * y[0] - 0.8 * y[0] * y[1], 0.5 * y[0] * y[1] - p[1] * y[1] + 0.1 * np.sin(t)]


def ivp(p):
    return integrate.solve_ivp(predators, (0.0, 1.0), [1.0, 0.5], t_eval=TIMES, args=(p,), **TIGHT).y


def own_steps(p):
    return integrate.solve_ivp(predators, (0.0, p[0]), [1.0, 0.5], args=(p,), **TIGHT).y[:, -1]


def fallen(t, y):
    return y[0]


fallen.terminal = True


def landing(p):
    found = integrate.solve_ivp(
        lambda t, y: [y[1], -9.8 - p[1] * y[1]], (0.0, 5.0), [p[0], 1.0], events=fallen, **TIGHT
    )
    return np.concatenate([found.t_events[0], found.t[-1:], found.y[:, -1], found.y_events[0][0]])


def odeint(p):
    return integrate.odeint(predators, [1.0, 0.5], np.concatenate([[0.0], TIMES]), (p,), tfirst=True, **TIGHT)


def quad(p):
    return (
        integrate.quad(
            lambda x, p: np.exp(-p[0] * x * x) * np.cos(p[1] * x), -np.inf, p[1], (p,), epsabs=1e-13, epsrel=1e-13
        )[0]
        + 0.0 * p[0]
    )


def sampled(fun):
    return lambda p: fun(SAMPLES * p[0] ** 2, np.array([0.0, 1.0, 2.5, 3.0, 4.5]) * p[1]) + 0.0 * p[0]


RULES = {
    "`integrate.trapezoid`": sampled(integrate.trapezoid),
    "`integrate.cumulative_trapezoid`": sampled(integrate.cumulative_trapezoid),
    "`integrate.simpson`": sampled(integrate.simpson),
    "`integrate.cumulative_simpson`": sampled(lambda y, x: integrate.cumulative_simpson(y, x=x)),
    "`integrate.romb`": lambda p: integrate.romb(SAMPLES * p[0] ** 2, 0.1 * p[1]) + 0.0 * p[0],
}
# The name of a row, and a function of two numbers that is smooth near (1.3, 1.1).
CASES = RULES | {
    "`covector.custom_root`": own_root,
    "`covector.custom_linear_solve`": own_system,
    "`optimize.root`": root,
    "`optimize.root_scalar`": root_scalar,
    "`optimize.fixed_point`": fixed_point,
    "`optimize.minimize`": minimize,
    "`optimize.minimize` with bounds and constraints": bounded,
    "`optimize.least_squares`": least_squares,
    "`optimize.nnls`": nonnegative,
    "`optimize.linprog`": linprog,
    "`optimize.linear_sum_assignment`": assignment,
    "`integrate.solve_ivp` with `t_eval`": ivp,
    "`integrate.solve_ivp` at SciPy's own steps": own_steps,
    "`integrate.solve_ivp` with events": landing,
    "`integrate.odeint`": odeint,
    "`integrate.quad`": quad,
}
POINT, DIRECTION = np.array([1.3, 1.1]), np.array([0.7, -0.4])


def difference(f):
    """The derivative along DIRECTION, to the sixth order; of a minimum, known to 1e-8, with longer steps."""
    h = 2e-2 if f is least_squares else 1e-3
    at = [f(POINT + k * h * DIRECTION) for k in (-3, -2, -1, 1, 2, 3)]
    return sum(w * v for w, v in zip((-1.0, 9.0, -45.0, 45.0, -9.0, 1.0), at)) / (60.0 * h)


def pushed(f):
    return lambda p: cv.jvp(f, (p,), (DIRECTION,))[1]


def check(f, transform):
    if transform == "jvp":
        np.testing.assert_allclose(pushed(f)(POINT), difference(f), rtol=0, atol=1e-8)
    elif transform == "vjp":
        jacobian = cv.jacrev(f)(POINT)
        np.testing.assert_allclose(jacobian @ DIRECTION, difference(f), rtol=0, atol=1e-8)
    elif transform == "second":
        exact = difference(pushed(f))
        np.testing.assert_allclose(pushed(pushed(f))(POINT), exact, rtol=0, atol=1e-7)
        weights = np.cos(np.arange(exact.size)).reshape(exact.shape)
        hessian = cv.hessian(lambda p: (f(p) * weights).sum())(POINT)
        np.testing.assert_allclose(DIRECTION @ hessian @ DIRECTION, (weights * exact).sum(), rtol=0, atol=1e-7)
    elif transform == "vmap":
        points = np.stack([POINT, POINT + 0.01, POINT - 0.01])
        np.testing.assert_allclose(cv.vmap(f)(points), np.stack([f(p) for p in points]), rtol=0, atol=1e-12)
        if f is not assignment:
            found, one = cv.vmap(cv.jacrev(f))(points)[1], cv.jacrev(f)(points[1])
            np.testing.assert_allclose(found, one, rtol=0, atol=1e-9)
    else:
        np.testing.assert_allclose(cv.jit(f)(POINT), f(POINT), rtol=0, atol=1e-12)
        if f is not assignment:
            np.testing.assert_allclose(cv.jit(cv.jacrev(f))(POINT), cv.jacrev(f)(POINT), rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("transform", ["jvp", "vjp", "second", "vmap", "jit"])
@pytest.mark.parametrize("row", CASES)
def test_cell_of_the_table(row, transform):
    works = TABLE[row][["jvp", "vjp", "second", "vmap", "jit"].index(transform)]
    if works == "yes":
        check(CASES[row], transform)
    else:
        with pytest.raises((NotImplementedError, ValueError), match="(stop_gradient|give t_eval)"):
            check(CASES[row], transform)
