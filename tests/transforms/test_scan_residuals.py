"""Derivatives of staged scans: what the loop forwards keeps, what runs before and after the loops, the same values."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp
from covector.transforms.graph.equations import walk

RNG = np.random.default_rng(0)
STEPS, BATCH, INPUT, HIDDEN = 5, 8, 6, 7
W, U, B = RNG.normal(size=(INPUT, HIDDEN)), 0.5 * RNG.normal(size=(HIDDEN, HIDDEN)), RNG.normal(size=HIDDEN)
X, H = RNG.normal(size=(STEPS, BATCH, INPUT)), RNG.normal(size=(BATCH, HIDDEN))


def cell(h, x, w, u, b):
    h = np.tanh(x @ w + h @ u + b)
    return h, h * h


def recurrent(w, u, b, x, h, step=cell, reverse=False):
    h, ys = cv.scan(lambda h, x: step(h, x, w, u, b), h, x, reverse=reverse)
    return (h * h).sum() + (ys * ys).sum()


def final(w, u, b, x, h):
    return (cv.scan(lambda h, x: (cell(h, x, w, u, b)[0], None), h, x)[0] ** 2).sum()


def names(graph):
    return [eq.prim.name for eq in graph.equations]


def bodies(graph):
    return [names(eq.bodies()[0].graph) for eq in graph.equations if eq.prim.name == "scan"]


def test_the_loop_backwards_runs_no_step_again():
    graph = cv.make_graph(cv.value_and_grad(final, (0, 1, 2)))(W, U, B, X, H)
    forward, backward = bodies(graph)
    assert forward.count("matmul") == 1 and "tanh" not in backward and backward.count("matmul") == 1
    assert "transpose" not in backward and "reduce_sum" not in backward
    assert names(graph).count("matmul") == 3  # of all rows by w before the loops, and the cotangents of w and u
    scans = [eq for eq in graph.equations if eq.prim.name == "scan"]
    assert [eq.params[2] for eq in scans] == [1, 1]  # nothing but the state is carried, forth and back
    assert len(scans[0].outputs) == 3  # the state, what it was before each step, and tanh


def test_what_the_way_back_reads_elsewhere_is_not_collected():
    def fun(w, x):
        return cv.scan(lambda c, r: (c + np.sin(r * w).sum(), None), 0.0, x)[0]

    graph = cv.make_graph(cv.grad(fun))(B, RNG.normal(size=(4, HIDDEN)))
    forward = next(eq for eq in graph.equations if eq.prim.name == "scan")
    assert [v.aval.shape for v in forward.outputs[1:]] == [(4, HIDDEN)]  # products; neither w nor rows of x


def test_what_depends_on_constants_runs_once():
    graph = cv.make_graph(lambda w, c: cv.scan(lambda c, _: (c * np.exp(np.sin(w)), None), c, length=4)[0])(0.3, 1.0)
    assert names(graph) == ["sin", "exp", "scan"] and bodies(graph) == [["multiply"]]
    assert graph(0.3, 1.0) == cv.scan(lambda c, _: (c * np.exp(np.sin(0.3)), None), 1.0, length=4)[0]


def test_constants_of_the_user_stay_in_the_loop():
    given = RNG.normal(size=(STEPS, 4, 40))
    other = RNG.normal(size=(40, 40))
    graph = cv.make_graph(lambda c: cv.scan(lambda c, x: (c + (x @ other).sum(), None), c, given)[0])(0.0)
    assert names(graph) == ["scan"]


def test_small_products_stay_in_the_loop():
    graph = cv.make_graph(lambda a, x: cv.scan(lambda c, r: (c + a @ r, None), x[0], x)[0])(np.eye(2), np.ones((3, 2)))
    assert "matmul" not in names(graph)


def test_effects_run_once_a_step(capsys):
    def step(h, x, w, u, b):
        cv.debug.print("step {}", x[0, 0])
        return cell(h, x, w, u, b)

    def fun(w):
        return recurrent(w, U, B, X, H, step)

    for f in (cv.make_graph(cv.grad(fun))(W), cv.jit(cv.grad(fun))):
        capsys.readouterr()
        f(W)
        assert capsys.readouterr().out.splitlines() == [f"step {v}" for v in X[:, 0, 0]]


def test_nothing_is_kept_of_a_checkpointed_step():
    def kept(step):
        graph = cv.make_graph(cv.grad(lambda w: recurrent(w, U, B, X, H, step)))(W)
        forward = next(eq for eq in graph.equations if eq.prim.name == "scan")
        return sum(v.aval.size for v in forward.outputs[2:])

    def deep(h, x, w, u, b):
        for _ in range(3):
            h = np.sin(np.tanh(x @ w + h @ u + b))
        return h, h

    assert kept(cv.checkpoint(deep)) == STEPS * BATCH * HIDDEN < kept(deep)


def counted(w, u, b, x, h):
    """A carry of several dtypes, of which one is not differentiable and one is replaced."""
    def step(c, r):
        i, h, old = c
        new = np.where(i % 2 == 0, np.tanh(r @ w + h @ u), h * b)
        return (i + 1, new, h), (i, new[0], old.sum())

    (_, h, old), (_, rows, sums) = cv.scan(step, (0, h, h), x)
    return (h * old).sum() + (rows ** 3).sum() + (sums ** 2).sum()


def branching(w, u, b, x, h):
    def step(h, r):
        h = cv.cond(h.sum() > 0.0, lambda h: np.tanh(h @ u), lambda h: np.sin(h @ u) * 2.0, h)
        return h + r @ w, None

    return cv.scan(step, h, x)[0].sum()


def nested(w, u, b, x, h):
    def step(h, r):
        h, ys = cv.scan(lambda c, v: (np.tanh(c @ u) + v * b, c[0]), h, r @ w)
        return h, ys[-1]

    h, ys = cv.scan(step, h, x)
    return (h ** 2).sum() + (ys ** 2).sum()


@cv.custom_vjp
def doubled(x):
    return np.sin(x)


doubled.defvjp(lambda x: (np.sin(x), x), lambda x, ct: (2.0 * ct * np.cos(x),))


def with_rules(w, u, b, x, h):
    return cv.scan(lambda h, r: (doubled(r @ w + h @ u), None), h, x)[0].sum()


def both_sides(w, u, b, x, h):
    """Products from the left, of vectors, and a weight that is used twice."""
    def step(c, r):
        h, v = c
        h = np.tanh((u.T @ h.T).T @ u + r @ w)
        return (h, np.tanh(v @ u + b)), np.outer(v, v)

    (h, v), ys = cv.scan(step, (h, b), x)
    return (h ** 2).sum() + v.sum() + (ys ** 2).sum()


def alone(w, u, b, x, h):
    return cv.scan(lambda c, _: (np.tanh(c @ u) * b, None), h, None, length=3)[0].sum()


PROGRAMS = {
    "recurrent": recurrent, "backwards": lambda *a: recurrent(*a, reverse=True), "final": final, "counted": counted,
    "branching": branching, "nested": nested, "rules": with_rules, "both sides": both_sides, "no rows": alone,
    "remat": lambda *a: recurrent(*a, cv.checkpoint(cell)),
    "one step": lambda w, u, b, x, h: recurrent(w, u, b, x[:1], h),
    "no step": lambda w, u, b, x, h: recurrent(w, u, b, x[:0], h),
}
ARGS = W, U, B, X, H
V = tuple(RNG.normal(size=a.shape) for a in ARGS)


def gradient(f):
    return cv.grad(f, (0, 1, 2, 3, 4))


def hvp(f):
    return lambda *a: cv.jvp(gradient(f), a, V)[1]


def second(f):
    return gradient(lambda *a: sum((g * v).sum() for g, v in zip(gradient(f)(*a), V)))


def pushed_back(f):
    return gradient(lambda *a: cv.jvp(f, a, V)[1])


def mapped(f):
    return lambda *a: cv.vmap(lambda w, x: gradient(f)(w, a[1], a[2], x, a[4]))(
        np.stack([a[0], 2.0 * a[0]]), np.stack([a[3], a[3] * a[3]]))


def through_map(f):
    return gradient(lambda *a: cv.vmap(lambda w, x: f(w, a[1], a[2], x, a[4]))(
        cnp.stack([a[0], 2.0 * a[0]]), cnp.stack([a[3], a[3] * a[3]])).sum())


MAKERS = {"gradient": gradient, "hvp": hvp, "second": second, "pushed back": pushed_back, "mapped": mapped,
          "through map": through_map}


def close(found, want):
    for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_are_those_of_the_eager_loop(name, maker):
    fun, make = PROGRAMS[name], MAKERS[maker]
    want = make(fun)(*ARGS)
    close(cv.make_graph(make(fun))(*ARGS)(*ARGS), want)
    close(cv.jit(make(fun))(*ARGS), want)
    graph = cv.make_graph(fun)(*ARGS)
    for _ in range(2):
        close(make(graph)(*ARGS), want)


def test_a_derivative_of_a_graph_is_divided_once():
    graph = cv.make_graph(recurrent)(*ARGS)
    (body,) = [eq.bodies()[0] for eq in walk(graph.equations) if eq.prim.name == "scan"]
    cv.grad(graph)(*ARGS)
    (halves,) = body.derived.values()
    cv.grad(graph)(*ARGS)
    assert [*body.derived.values()] == [halves] and len(halves.plans) == 1


def test_float32_stays():
    args = [a.astype(np.float32) for a in ARGS]
    for g in cv.jit(gradient(recurrent))(*args):
        assert g.dtype == np.float32


def test_nans_are_found_in_the_step_that_makes_them():
    graph = cv.make_graph(lambda x: cv.scan(lambda c, r: (c + np.sqrt(r), None), 0.0, x)[0])(np.ones(3))
    with cv.debug_nans(), np.errstate(all="ignore"), pytest.raises(FloatingPointError):
        cv.grad(graph)(np.array([1.0, 0.0, -1.0]))


def test_products_added_up_after_the_loop_leave_out_what_no_cotangent_reaches():
    x = RNG.normal(size=(STEPS, BATCH, HIDDEN))
    x[range(STEPS), range(STEPS)] = np.inf

    def total(u, rows):
        def step(h, row):
            return h + np.where(np.isfinite(row), np.tanh((h + row) @ u), 0.0), None

        return rows(step, H, x).sum()

    def plain(step, h, rows):
        for row in rows:
            h, _ = step(h, row)
        return h

    with np.errstate(invalid="ignore"):
        want = cv.grad(lambda u: total(u, plain))(U)
        assert np.isfinite(want).all()
        for transform in (cv.grad, lambda f: cv.jit(cv.grad(f))):
            found = transform(lambda u: total(u, lambda *args: cv.scan(*args)[0]))(U)
            np.testing.assert_allclose(found, want, rtol=1e-12)
