"""covector.scipy.integrate: SciPy's values, sensitivities and adjoints, events, and what is refused."""

import pickle

import numpy as np
import pytest
import scipy.integrate
import scipy.sparse

import covector as cv
from covector.scipy import integrate

P = np.array([1.1, 0.6, 0.8])
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def predators(t, y, p):
    return [p[0] * y[0] - p[1] * y[0] * y[1], 0.5 * y[0] * y[1] - p[2] * y[1] + 0.1 * np.sin(t)]


def difference(f, x, v, h=1e-3):
    at = [f(x + k * h * v) for k in (-3, -2, -1, 1, 2, 3)]
    return sum(w * y for w, y in zip((-1.0, 9.0, -45.0, 45.0, -9.0, 1.0), at)) / (60.0 * h)


def agree(f, x, atol=1e-8):
    """Forward and reverse mode against differences."""
    x = np.asarray(x, float)
    v = np.cos(np.arange(x.size) + 0.3).reshape(x.shape)
    exact = np.asarray(difference(f, x, v))
    np.testing.assert_allclose(cv.jvp(f, (x,), (v,))[1], exact, rtol=0, atol=atol)
    w = np.sin(np.arange(exact.size) + 1.0).reshape(exact.shape)
    np.testing.assert_allclose(np.sum(cv.vjp(f, x)[1](w)[0] * v), np.sum(w * exact), rtol=0, atol=atol)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"])
def test_each_method_with_respect_to_everything(method):
    tight = {"rtol": 1e-8, "atol": 1e-9} if method == "RK23" else TIGHT
    atol = 1e-6 if method == "RK23" else 1e-8

    def solved(q):
        return integrate.solve_ivp(
            predators, (q[5], q[6]), q[3:5], method=method, t_eval=np.stack([q[5], q[7], q[6]]), args=(q[:3],), **tight
        ).y

    q = np.concatenate([P, [1.0, 0.5, 0.1, 1.0, 0.6]])
    agree(solved, q, atol)
    plain = scipy.integrate.solve_ivp(predators, (0.1, 1.0), q[3:5], method, [0.1, 0.6, 1.0], args=(P,), **tight).y
    np.testing.assert_allclose(
        cv.vjp(solved, q)[0], plain, rtol=1e-13 if method[0] in "RD" and method != "Radau" else 1e-9
    )


def test_steps_of_scipy_and_dense_output():
    def end(s):
        found = integrate.solve_ivp(predators, (s[0], s[1]), [1.0, 0.5], args=(P,), dense_output=True, **TIGHT)
        return np.concatenate([found.y[:, -1], found.sol(s[2]), found.sol(np.stack([s[2], s[1]]))[0], found.t[-1:]])

    agree(end, [0.1, 1.0, 0.7])
    seen = []
    cv.grad(lambda p: (seen.append(integrate.solve_ivp(predators, (0.0, 1.0), [1.0, 0.5], args=(p,))), p.sum())[1])(P)
    plain = scipy.integrate.solve_ivp(predators, (0.0, 1.0), [1.0, 0.5], args=(P,))
    found = seen[0]
    np.testing.assert_array_equal([float(cv.extend.unwrap(t)) for t in found.t], plain.t)
    np.testing.assert_allclose(cv.extend.unwrap(found.y), plain.y, rtol=1e-13)
    assert (found.message, found.nfev, found.status) == (plain.message, plain.nfev, plain.status)


def falling(t, y, p):
    return [y[1], -p[0] - p[1] * y[1]]


def ground(t, y, p):
    return y[0]


def top(t, y, p):
    return y[1]


ground.terminal, ground.direction = True, -1


def test_events_move_by_the_implicit_function_theorem():
    def times(p):
        found = integrate.solve_ivp(falling, (0.0, 10.0), [1.0 + p[2], 2.0], events=[ground, top], args=(p,), **TIGHT)
        return np.concatenate(
            [*found.t_events, found.y_events[0][0], found.y_events[1][0], found.t[-1:], found.y[:, -1]]
        )

    p = np.array([9.8, 0.3, 0.2])
    agree(times, p)
    height = 1.0 + p[2] + 2.0**2 / (2.0 * 9.8)

    def without_drag(g):
        return integrate.solve_ivp(falling, (0.0, 10.0), [1.2, 2.0], events=ground, args=((g, 0.0),), **TIGHT).t[-1]

    exact = lambda g: (2.0 + np.sqrt(4.0 + 2.4 * g)) / g  # noqa: E731
    np.testing.assert_allclose(cv.grad(without_drag)(9.8), cv.grad(exact)(9.8), rtol=1e-9)
    np.testing.assert_allclose(cv.grad(cv.grad(without_drag))(9.8), cv.grad(cv.grad(exact))(9.8), rtol=1e-7)
    assert height > 1.0


def test_no_event_happens():
    def end(p):
        found = integrate.solve_ivp(
            predators, (0.0, 1.0), [1.0, 0.5], events=lambda t, y, p: y[0] - 9.0, args=(p,), t_eval=[0.5, 1.0], **TIGHT
        )
        assert len(found.t_events[0]) == 0
        return found.y

    agree(end, P)


def diffusion(t, y, k):
    up, down = np.concatenate([y[1:], np.zeros(1)]), np.concatenate([np.zeros(1), y[:-1]])
    return 400.0 * k[0] * (up - 2.0 * y + down) - k[1] * y**3


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_stiff_systems_with_a_sparse_jacobian(method):
    n = 24
    pattern = np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    y0 = np.sin(np.linspace(0.0, 3.0, n))

    def solved(k, **more):
        return integrate.solve_ivp(
            diffusion, (0.0, 0.05), y0, method=method, t_eval=[0.02, 0.05], args=(k,), rtol=1e-9, atol=1e-10, **more
        ).y

    k = np.array([1.0, 2.0])
    agree(lambda k: solved(k, jac_sparsity=scipy.sparse.csr_matrix(pattern)), k, atol=1e-7)
    np.testing.assert_allclose(solved(k, jac_sparsity=pattern), solved(k), atol=1e-8)


def test_implicit_methods_get_their_jacobian():
    calls = []

    def rate(t, y, k):
        calls.append(t)
        return diffusion(t, y, k)

    theirs = scipy.integrate.solve_ivp(rate, (0.0, 0.05), np.ones(20), "BDF", args=((1.0, 2.0),))
    differences = len(calls)
    ours = integrate.solve_ivp(rate, (0.0, 0.05), np.ones(20), "BDF", args=((1.0, 2.0),))
    assert len(calls) - differences < differences
    np.testing.assert_allclose(ours.y[:, -1], theirs.y[:, -1], atol=1e-5)
    stiff = lambda y, t: [-1000.0 * y[0] + y[1], y[0] - y[1]]  # noqa: E731
    np.testing.assert_allclose(
        integrate.odeint(stiff, [1.0, 1.0], [0.0, 1.0]),
        scipy.integrate.odeint(stiff, [1.0, 1.0], [0.0, 1.0]),
        rtol=1e-5,
    )


@pytest.mark.slow
def test_a_stiff_adjoint_does_not_run_the_solution_backward():
    def robertson(t, y, k):
        one, two, three = k[0] * y[0], k[1] * y[1] * y[2], k[2] * y[1] ** 2
        return [two - one, one - two - three, three]

    def left(k, method):
        return integrate.solve_ivp(
            robertson, (0.0, 40.0), [1.0, 0.0, 0.0], method=method, t_eval=[40.0], args=(k,), rtol=1e-8, atol=1e-11
        ).y[0, -1]

    k = np.array([0.04, 1e4, 3e7])
    way = np.array([1.0, -0.5, 0.3])
    exact = difference(lambda s: left(k * (1.0 + s * way), "BDF"), 0.0, 1.0, 1e-2)
    for method in ("BDF", "LSODA"):
        np.testing.assert_allclose(cv.grad(left)(k, method) @ (k * way), exact, rtol=1e-5)
        np.testing.assert_allclose(cv.jvp(lambda k, m=method: left(k, m), (k,), (k * way,))[1], exact, rtol=1e-5)


def test_odeint_with_respect_to_everything():
    def solved(q):
        t = np.stack([q[5], q[6], q[7]])
        return integrate.odeint(predators, q[3:5], t, (q[:3],), tfirst=True, rtol=1e-11, atol=1e-12)

    agree(solved, np.concatenate([P, [1.0, 0.5, 0.1, 0.6, 1.0]]))


def test_control_flow_and_containers_in_args():
    def switched(t, y, rates):
        return rates["early"] * y if t < 1.0 else rates["late"] * y

    def end(rates):
        return integrate.solve_ivp(switched, (0.0, 2.0), [1.0], args=(rates,), max_step=0.1, rtol=1e-10).y[0, -1]

    slopes = cv.grad(end)({"early": np.array(0.5), "late": np.array(-0.3)})
    np.testing.assert_allclose([slopes["early"], slopes["late"]], np.exp(0.2), rtol=1e-3)


def test_time_runs_backward():
    agree(lambda k: integrate.solve_ivp(lambda t, y: -k * y, (1.0, 0.0), [1.0], t_eval=[0.5, 0.0], **TIGHT).y, 0.7)


def test_loops_jit_and_batches():
    def steps(s):
        def body(y, k):
            y = integrate.solve_ivp(lambda t, y, k: -k * y * y, (0.0, 0.5), y, t_eval=[0.5], args=(k * s,), **TIGHT).y[
                :, -1
            ]
            return y, y.sum()

        return cv.scan(body, np.array([1.0, 2.0]), np.array([1.0, 2.0]))[1].sum()

    exact = difference(steps, 1.3, 1.0)
    np.testing.assert_allclose([cv.grad(steps)(1.3), cv.jit(cv.grad(steps))(1.3)], exact, rtol=1e-8)
    decay = cv.vmap(
        cv.grad(lambda y: integrate.solve_ivp(lambda t, y: -y * y, (0.0, 1.0), y, t_eval=[1.0], **TIGHT).y.sum())
    )
    y0 = np.array([[1.0], [0.3]])
    np.testing.assert_allclose(decay(y0), 1.0 / (1.0 + y0) ** 2, rtol=1e-9)


def test_quad_by_the_rule_of_leibniz():
    precise = {"epsabs": 1e-13, "epsrel": 1e-13}
    agree(lambda p: integrate.quad(lambda x: np.exp(-p[2] * x * x), p[0], p[1], **precise)[0], [-0.3, 0.7, 1.2])
    agree(lambda p: integrate.quad(lambda x, p: np.exp(-p * x) / np.sqrt(x), 0.0, np.inf, (p,), **precise)[0], 0.7)
    agree(lambda p: integrate.quad(lambda x: np.exp(-p * x), 0.0, np.inf, weight="cos", wvar=3.0, epsabs=1e-12)[0], 0.7)
    agree(lambda p: integrate.quad(lambda x: abs(x - 0.3) ** p, 0.0, 1.0, points=[0.3], **precise)[0], 1.5)
    agree(lambda p: integrate.quad(lambda x: np.exp(-x * x), p, np.inf, **precise)[0], 0.4)

    def twice(a):
        inner = lambda x: integrate.quad(lambda y: np.exp(-a * x * y), 0.0, x, **precise)[0]  # noqa: E731
        return integrate.quad(inner, 0.0, 1.0, epsabs=1e-11, epsrel=1e-11)[0]

    agree(twice, 1.2, atol=1e-7)
    scaled = cv.grad(lambda p: 1e-9 * integrate.quad(lambda x: np.exp(-p * x), 0.0, np.inf)[0])(1e3)
    np.testing.assert_allclose(scaled, -1e-15, rtol=1e-6)  # tolerances are relative to the cotangent


RULES = [
    (integrate.trapezoid, scipy.integrate.trapezoid),
    (integrate.cumulative_trapezoid, scipy.integrate.cumulative_trapezoid),
    (integrate.simpson, scipy.integrate.simpson),
    (integrate.cumulative_simpson, scipy.integrate.cumulative_simpson),
]


@pytest.mark.parametrize(("ours", "theirs"), RULES, ids=[ours.__name__ for ours, _ in RULES])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 9])
def test_samples(ours, theirs, n):
    rng = np.random.default_rng(n)
    y, x = rng.normal(size=(2, n)), np.cumsum(rng.uniform(0.5, 1.5, n))
    for more in ({"x": x}, {"dx": 0.3}, {"x": x, "axis": 0}):
        samples = y.T if "axis" in more else y
        traced = cv.vjp(lambda y, more=more: ours(y, **more), samples)[0]
        np.testing.assert_allclose(traced, theirs(samples, **more), rtol=1e-12)
        np.testing.assert_array_equal(ours(samples, **more), theirs(samples, **more))
        if ours.__name__.startswith("cumulative"):
            traced = cv.vjp(lambda y, more=more: ours(y, **more, initial=0), samples)[0]
            np.testing.assert_allclose(traced, theirs(samples, **more, initial=0), rtol=1e-12)
    agree(lambda x: ours(y, x=x), x, atol=1e-7)


def test_romb_and_spaces_of_zero():
    y = np.sin(np.arange(9.0))
    np.testing.assert_allclose(cv.vjp(lambda y: integrate.romb(y, 0.3), y)[0], scipy.integrate.romb(y, 0.3))
    with pytest.raises(ValueError, match="romb needs 2..k . 1 samples, but got 6 along axis -1; use simpson"):
        cv.grad(lambda y: integrate.romb(y))(y[:6])
    x = np.array([0.0, 1.0, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(cv.vjp(lambda y: integrate.simpson(y, x), y[:5])[0], scipy.integrate.simpson(y[:5], x))
    with pytest.raises(ValueError, match="simpson needs x of one dimension, or of the shape of y"):
        cv.grad(lambda y: integrate.simpson(y, x[:3]))(y)
    with pytest.raises(ValueError, match="needs initial to be None or 0, but got 2"):
        cv.grad(lambda y: integrate.cumulative_trapezoid(y, initial=2).sum())(y)


def growth(a, **more):
    return integrate.solve_ivp(lambda t, y: a * y * y, (0.0, 2.0), [1.0], **more)


FAILURES = {
    "a pole": (lambda a: growth(a, t_eval=[2.0]).y[0, 0], RuntimeError, "SciPy says 'Required step size is less"),
    "odeint at a pole": (
        lambda a: integrate.odeint(lambda y, t: a * y * y, [1.0], [0.0, 2.0])[1, 0],
        RuntimeError,
        "odeint did not reach the end of the interval: SciPy says",
    ),
    "a complex start of odeint": (
        lambda a: abs(integrate.odeint(lambda y, t: a * y, 1.0 + 0.0j, [0.0, 1.0])[0, 0]),
        TypeError,
        "y0 has dtype complex128; stack the real and the imaginary parts",
    ),
    "a band of a complex start": (
        lambda a: abs(integrate.solve_ivp(lambda t, y: a * y, (0.0, 1.0), [1.0 + 0.0j], "LSODA", lband=0).y[0, 0]),
        NotImplementedError,
        "a band of the Jacobian of a complex system",
    ),
    "a short rate": (
        lambda a: integrate.solve_ivp(lambda t, y: a * y[:1], (0.0, 1.0), [1.0, 2.0]).y[0, 0],
        ValueError,
        r"solve_ivp needs fun to return shape \(2,\), but it returned shape \(1,\)",
    ),
    "times outside": (
        lambda a: integrate.solve_ivp(lambda t, y: a * y, (0.0, 1.0), [1.0], t_eval=[3.0]).y[0, 0],
        ValueError,
        "needs the times of t_eval within .0.0, 1.0., but they reach from 3.0 to 3.0; extend t_span",
    ),
    "full output": (
        lambda a: integrate.odeint(lambda y, t: a * y, [1.0], [0.0, 1.0], full_output=True)[0][1, 0],
        NotImplementedError,
        "odeint has no full_output where values are traced",
    ),
    "weighted limits": (
        lambda a: integrate.quad(np.exp, 0.0, a, weight="cos", wvar=2.0)[0],
        NotImplementedError,
        "weight='cos' together with traced limits",
    ),
    "a divergent derivative": (
        lambda a: integrate.quad(lambda x: a / (x * np.log(x)), 0.0, 1.0)[0],
        RuntimeError,
        "quad did not converge on the derivative",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", FAILURES)
def test_there_is_no_derivative_and_the_message_says_why(case):
    fun, kind, words = FAILURES[case]
    for derivative in (cv.grad(fun), lambda a: cv.jvp(fun, (a,), (1.0,))):
        with pytest.raises(kind, match=f"(?s){words}.*at test_scipy_integrate.py:\\d+"):
            derivative(1.0)


def test_steps_are_not_known_in_a_graph_or_a_batch():
    for transform in (cv.jit, cv.vmap, lambda f: cv.jit(cv.grad(lambda a: f(a).sum()))):
        with pytest.raises(
            NotImplementedError, match="how many steps or events there will be.*give t_eval, and no events"
        ):
            transform(lambda a: growth(a).y)(np.array([0.1, 0.2]) if transform is cv.vmap else 0.1)


def test_no_times_give_no_values_and_no_derivatives():
    def nothing(a):
        return integrate.solve_ivp(lambda t, y: -a * y, (0.0, 2.0), [1.0, 2.0], t_eval=[]).y

    assert cv.jacfwd(nothing)(1.0).shape == (2, 0)
    assert cv.grad(lambda a: nothing(a).sum())(1.0) == 0.0


@pytest.mark.parametrize("call", [
    lambda a: integrate.quad(lambda x: np.exp(1j * a * x), 0.0, 1.0)[0],
    lambda a: integrate.solve_ivp(lambda t, y: 1j * a * y, (0.0, 1.0), [1.0], t_eval=[1.0]).y[0, 0],
    lambda a: cv.scipy.optimize.least_squares(lambda x: x - 1j * a, np.ones(1)).x[0],
    lambda a: cv.scipy.optimize.minimize(lambda x: 1j * a * x[0] ** 2, np.ones(1)).x[0],
])
def test_complex_values_of_functions_that_are_real_to_scipy_are_refused(call):
    with pytest.raises(TypeError, match="to return real values .* dtype complex128; compute the real .*at test_scipy"):
        cv.grad(lambda a: np.real(call(a)))(1.0)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "LSODA"])
def test_the_time_of_a_dense_solution_may_be_traced_where_nothing_else_is(method):
    def f(t, y):
        return np.stack([y[1], -y[0]])

    options = {"method": method, "dense_output": True, "t_eval": [0.5, 0.6], "rtol": 1e-8, "atol": 1e-10}
    solution = integrate.solve_ivp(f, (0.0, 2.0), [0.0, 1.0], **options).sol
    assert solution.t_max == 2.0 and pickle.loads(pickle.dumps(solution))(0.5)[0] == solution(0.5)[0]

    def height(t):
        return solution(t)[0]

    for found, wanted in ((height(0.5), np.sin(0.5)), (cv.grad(height)(0.5), np.cos(0.5)),
                          (cv.jit(cv.grad(height))(0.5), np.cos(0.5)), (cv.grad(cv.grad(height))(0.5), -np.sin(0.5)),
                          (cv.jvp(height, (0.5,), (2.0,))[1], 2.0 * np.cos(0.5)),
                          (cv.vmap(height)(np.array([0.5, 1.9])), np.sin([0.5, 1.9])),
                          (cv.grad(lambda t: integrate.solve_ivp(f, (0.0, 2.0), [0.0, 1.0], **options).sol(t)[0])(0.5),
                           np.cos(0.5))):
        np.testing.assert_allclose(found, wanted, atol=1e-6)


HAMILTONIAN = np.array([[1.0, 0.3], [0.3, -1.0]])
KETS = np.array([1.0 + 0.0j, 0.5j])


def evolved(y0, w, **more):
    """A damped two-level system, linear, whose solution is a matrix exponential."""
    return integrate.solve_ivp(lambda t, y, w: -1j * w * (HAMILTONIAN @ y) - 0.1 * y, (0.0, 1.0), y0, args=(w,),
                               **{"rtol": 1e-10, "atol": 1e-12, "t_eval": [0.5, 1.0], **more})


def exactly(y0, w):
    values, vectors = np.linalg.eigh(HAMILTONIAN)
    return np.stack([vectors @ (np.exp(-1j * w * values * t - 0.1 * t) * (vectors.T @ y0)) for t in (0.5, 1.0)], -1)


@pytest.mark.parametrize("more", [{}, {"method": "Radau", "jac_sparsity": np.ones((2, 2))}, {"vectorized": True},
                                  {"atol": np.array([1e-12, 1e-13])}], ids=str)
def test_a_complex_system_has_values_and_derivatives(more):
    fun = lambda y0, w: evolved(y0, w, **more).y  # noqa: E731
    np.testing.assert_allclose(cv.jit(fun)(KETS, 2.0), exactly(KETS, 2.0), rtol=1e-8)
    np.testing.assert_allclose(cv.vmap(fun, (None, 0))(KETS, np.array([1.0, 2.0]))[1], exactly(KETS, 2.0), rtol=1e-8)
    np.testing.assert_allclose(cv.jacfwd(fun, 1)(KETS, 2.0), cv.jacfwd(exactly, 1)(KETS, 2.0), rtol=1e-7)
    loss = lambda of: lambda y0, w: (abs(of(y0, w)) ** 2 * [[1.0, 2.0], [3.0, 4.0]]).sum()  # noqa: E731
    for w in (2.0, 2.0 + 0.1j):
        found, wanted = (cv.grad(loss(of), (0, 1))(KETS, w) for of in (fun, exactly))
        for f, g in zip(found, wanted):
            np.testing.assert_allclose(f, g, rtol=1e-7, atol=1e-9)


def test_a_complex_system_has_events_and_a_dense_output():
    def high(t, y):
        return y[0].imag - 0.5

    high.terminal = True
    turn = lambda w, **more: integrate.solve_ivp(  # noqa: E731
        lambda t, y: 1j * w * y, (0.0, 3.0), [1.0 + 0.0j], rtol=1e-10, atol=1e-12, **more)
    np.testing.assert_allclose(cv.grad(lambda w: turn(w, events=high).t_events[0][0])(1.0), -np.pi / 6, rtol=1e-8)
    np.testing.assert_allclose(cv.jvp(lambda w: turn(w, events=high).y_events[0], (1.0,), (1.0,)), [
        [[np.exp(1j * np.pi / 6)]], [[0.0]]], atol=1e-8)
    np.testing.assert_allclose(cv.jvp(lambda w: turn(w, dense_output=True).sol(0.5), (1.0,), (1.0,))[1],
                               [0.5j * np.exp(0.5j)], rtol=1e-8)
    plain = turn(1.0, dense_output=True).sol
    np.testing.assert_allclose(cv.jvp(plain, (0.5,), (1.0,))[1], [1j * np.exp(0.5j)], rtol=1e-8)
