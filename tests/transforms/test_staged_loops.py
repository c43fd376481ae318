"""Loops that are staged: one equation each, forward, mapped and, with max_steps, in reverse."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import RuleError, TreeError
from covector.transforms.graph.equations import walk

X = np.array([1.0, 2.0, 30.0])
COUNTS = np.array([0, 3, 1])


def doubled(x):
    return cv.while_loop(lambda c: c < 10.0, lambda c: c * 2.0, x)


def collatz(n):
    return cv.while_loop(lambda c: c[0] != 1, lambda c: (np.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1),
                         (n, 0))[1]


def power(x, n, **options):
    return cv.fori_loop(0, n, lambda i, c: c * x, 1.0, **options)


def loops(graph):
    return [eq.prim.name for eq in walk(graph.equations) if eq.prim.name in ("scan", "while")]


def test_a_loop_with_a_staged_condition_is_one_equation():
    graph = cv.make_graph(doubled)(1.0)
    assert [eq.prim.name for eq in graph.equations] == ["while"]
    assert [graph(x) for x in X] == [doubled(x) for x in X]
    assert [b.graph is not None for b in graph.equations[0].bodies()] == [True, True]
    counts = cv.make_graph(collatz)(1)
    assert [int(counts(n)) for n in (1, 6, 27)] == [0, 8, 111]
    assert loops(cv.make_graph(graph)(1.0)) == ["while"]


def test_what_condition_and_body_close_over_comes_first():
    def fun(x, limit, factor):
        return cv.while_loop(lambda c: c["a"] < limit, lambda c: {"a": c["a"] * factor, "b": c["b"] + x}, {
            "a": x, "b": 0.0})

    graph = cv.make_graph(fun)(1.0, 2.0, 3.0)
    (eq,) = graph.equations
    assert eq.params[-1] == 3 and len(eq.inputs) == 5
    assert graph(2.0, 50.0, 3.0) == fun(2.0, 50.0, 3.0) == {"a": 54.0, "b": 6.0}


def test_carries_of_many_leaves():
    def fun(x):
        return cv.while_loop(lambda c: c[0][1] < 5, lambda c: ((c[0][0] + c[1][0], c[0][1] + 1), [c[1][0] * 2.0], None),
                             ((x, 0), [x * x], None))

    found, want = cv.make_graph(fun)(X)(X), fun(X)
    assert cv.tree.structure(found) == cv.tree.structure(want)
    for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(want)):
        np.testing.assert_array_equal(a, b)


def test_staged_loops_have_tangents():
    graph = cv.make_graph(doubled)(1.0)
    for x in X:
        want = cv.jvp(doubled, (x,), (1.0,))
        np.testing.assert_array_equal(cv.jvp(graph, (x,), (1.0,)), want)
        np.testing.assert_array_equal(cv.make_graph(lambda x: cv.jvp(doubled, (x,), (1.0,)))(x)(x), want)
        assert cv.make_graph(cv.jacfwd(doubled))(x)(x) == want[1]
        assert cv.make_graph(cv.jacfwd(cv.jacfwd(lambda x: doubled(x * x))))(x)(x) == cv.hessian(
            lambda x: doubled(x * x))(x)

    def closing(x, y):
        return cv.while_loop(lambda c: c < 10.0, lambda c: c * y, x)

    np.testing.assert_allclose(cv.make_graph(cv.jacfwd(closing, (0, 1)))(1.0, 3.0)(1.0, 3.0), [27.0, 27.0])


def test_staged_loops_are_mapped():
    want = [doubled(x) for x in X]
    np.testing.assert_array_equal(cv.vmap(cv.make_graph(doubled)(1.0))(X), want)
    graph = cv.make_graph(cv.vmap(doubled))(X)
    assert loops(graph) == ["while"]
    np.testing.assert_array_equal(graph(X), want)
    np.testing.assert_array_equal(cv.vmap(cv.make_graph(collatz)(1))(np.array([1, 6, 27])), [0, 8, 111])
    np.testing.assert_array_equal(cv.vmap(cv.make_graph(power)(1.0, 1))(X, COUNTS), X**COUNTS)
    np.testing.assert_array_equal(cv.make_graph(cv.vmap(power))(X, COUNTS)(X, COUNTS), X**COUNTS)
    np.testing.assert_array_equal(cv.make_graph(cv.vmap(power, (0, None)))(X, 3)(X, 3), X**3)
    nested = cv.make_graph(cv.vmap(cv.vmap(power, (0, None)), (None, 0)))(X, COUNTS)
    np.testing.assert_array_equal(nested(X, COUNTS), X[None] ** COUNTS[:, None])
    pushed = cv.make_graph(cv.vmap(cv.jacfwd(lambda x, n: power(x, n))))(X, COUNTS)
    np.testing.assert_array_equal(pushed(X, COUNTS), COUNTS * X ** np.maximum(COUNTS - 1, 0))


def test_a_condition_that_is_the_same_for_all_examples_is_not_mapped():
    graph = cv.make_graph(cv.vmap(power, (0, None)))(X, 3)
    assert not any(eq.prim.name == "where" for eq in walk(graph.equations))


def test_a_row_that_is_done_is_not_taken_beyond_its_end():
    def total(x, n):
        return cv.while_loop(lambda c: c["i"] < n, lambda c: {"i": c["i"] + 1, "sum": c["sum"] + x[c["i"]]},
                             {"i": 0, "sum": 0.0})["sum"]

    rows, lengths = np.arange(6.0).reshape(2, 3), np.array([3, 1])
    np.testing.assert_array_equal(cv.make_graph(cv.vmap(total))(rows, lengths)(rows, lengths), [3.0, 3.0])

    def countdown(x):
        return cv.while_loop(lambda c: c[0] > 0.0, lambda c: (c[0] - 1.0, c[1] / c[0]), (x, 1.0), max_steps=5)[1]

    x = np.array([1.0, 3.0])
    with np.errstate(all="raise"):
        np.testing.assert_allclose(cv.make_graph(cv.vmap(countdown))(x)(x), [1.0, 1 / 6])
        np.testing.assert_allclose(cv.make_graph(cv.vmap(cv.grad(countdown)))(x)(x), [cv.grad(countdown)(v) for v in x])


def test_reverse_mode_needs_a_bound_where_the_condition_is_staged():
    for loop in (doubled, lambda x: power(x, cv.numpy.astype(x, int))):
        with pytest.raises(NotImplementedError, match=r"while_loop is differentiated in reverse.*staged.*max_steps="):
            cv.make_graph(cv.grad(loop))(2.0)
    assert cv.grad(cv.make_graph(doubled)(1.0))(1.0) == cv.grad(doubled)(1.0)  # the steps are known there
    np.testing.assert_array_equal(cv.vmap(cv.grad(cv.make_graph(doubled)(1.0)))(X), cv.vmap(cv.grad(doubled))(X))


def test_loops_of_bounded_length_in_reverse():
    def bounded(x):
        return cv.while_loop(lambda c: c < 10.0, lambda c: c * c + 1.0, x, max_steps=8)

    graph = cv.make_graph(cv.grad(bounded))(1.0)
    assert loops(graph) == ["scan", "scan"]
    for x in X:
        np.testing.assert_allclose(graph(x), cv.grad(bounded)(x))
        np.testing.assert_allclose(cv.make_graph(cv.hessian(bounded))(x)(x), cv.hessian(bounded)(x))
    np.testing.assert_allclose(cv.make_graph(cv.vmap(cv.grad(bounded)))(X)(X), [cv.grad(bounded)(x) for x in X])
    slope = cv.make_graph(cv.grad(lambda x, n: power(x, n, max_steps=5)))(2.0, 3)
    np.testing.assert_allclose([slope(2.0, n) for n in (0, 1, 5, 9)], [0.0, 1.0, 80.0, 80.0])


def test_no_more_than_max_steps_are_taken():
    def run(x):
        return cv.while_loop(lambda c: c < 100.0, lambda c: c * 2.0, x, max_steps=3)

    assert run(1.0) == cv.make_graph(run)(1.0)(1.0) == 8.0
    assert power(2.0, 9, max_steps=3) == 8.0
    np.testing.assert_array_equal(cv.vmap(run)(X), [8.0, 16.0, 120.0])
    with pytest.raises(ValueError, match=r"max_steps of while_loop.*-1"):
        cv.while_loop(lambda c: c, lambda c: c, False, max_steps=-1)


def test_a_loop_of_known_length_is_one_equation():
    def fun(x):
        return cv.fori_loop(0, 200, lambda i, c: np.sin(c) * x + i, x)

    for transform in (lambda f: f, lambda f: cv.vmap(f)):
        graph = cv.make_graph(transform(fun))(X)
        assert loops(graph) == ["scan"] and len(graph.equations) < 6
        np.testing.assert_allclose(graph(X), fun(X), rtol=1e-12)
    assert graph.equations[0].bodies()[0].graph.inputs[-1].aval.dtype == np.int64
    assert loops(cv.make_graph(lambda x: cv.fori_loop(0, 3, lambda i, c: c * x, x, unroll=True))(2.0)) == []
    slope = cv.make_graph(cv.grad(lambda x: fun(x).sum()))(X)
    np.testing.assert_allclose(slope(X), cv.grad(lambda x: fun(x).sum())(X), rtol=1e-12)
    assert cv.make_graph(lambda x: cv.fori_loop(3, 3, lambda i, c: c * x, x))(2.0)(2.0) == 2.0


def test_a_number_takes_the_dtype_of_the_carry():
    graph = cv.make_graph(lambda x: cv.fori_loop(0, 3, lambda i, c: c + x[i], 0))(X)
    assert graph(X) == 33.0
    assert cv.make_graph(lambda x: cv.while_loop(lambda c: c < 9, lambda c: c + x, 0))(2.5)(2.5) == 10.0


def test_a_loop_that_closes_over_a_staged_value_is_one_equation():
    w = np.array([0.5, 0.25])
    functions = {
        "carry": lambda w: cv.scan(lambda c, x: (c * 0.5 + x, c), w, X),
        "closure": lambda w: cv.scan(lambda c, x: (c * w + x, c), 1.0, X),
        "mapped beside it": lambda w: cv.vmap(lambda v: cv.scan(lambda c, x: (c * w.sum() + x, c), v, X))(w),
        "fori_loop": lambda w: cv.fori_loop(0, 9, lambda i, c: c * w, 1.0),
    }
    for name, fun in functions.items():
        staged = fun if name == "mapped beside it" else cv.vmap(fun)
        graph = cv.make_graph(staged)(w)
        assert loops(graph) == ["scan"]
        for _ in range(2):
            for a, b in zip(cv.tree.leaves(graph(w)), cv.tree.leaves(staged(w))):
                np.testing.assert_allclose(a, b, rtol=1e-15)


def test_a_staged_carry_keeps_its_form():
    def loop(body, init):
        return lambda x: cv.while_loop(lambda c: cv.tree.leaves(c)[0].sum() < x, body, init(x))

    with pytest.raises(ValueError, match=r"while_loop needs a carry that keeps its structure.*became.*return"):
        cv.make_graph(loop(lambda c: (c, c), lambda x: x))(2.0)
    with pytest.raises(ValueError, match=r"while_loop needs a carry that keeps its shape and dtype.*give init_val"):
        cv.make_graph(loop(lambda c: np.stack([c, c]), lambda x: x))(2.0)
    with pytest.raises(ValueError, match=r"fori_loop needs a carry that keeps its structure"):
        cv.make_graph(lambda x: cv.fori_loop(0, 3, lambda i, c: (c, c), x))(2.0)
    with pytest.raises(ValueError, match=r"while_loop needs a condition that is a boolean scalar.*f64\[3\].*any"):
        cv.make_graph(lambda x: cv.while_loop(lambda c: c, lambda c: c, x, max_steps=3))(X)
    with pytest.raises(TypeError, match=r"fori_loop stages its body once.*bool\(\).*unroll=True"):
        cv.make_graph(lambda x: cv.fori_loop(0, 3, lambda i, c: c if i else c * 2, x))(2.0)
    assert cv.make_graph(lambda x: cv.fori_loop(0, 3, lambda i, c: c if i else c * 2, x, unroll=True))(2.0)(2.0) == 4.0


def test_effects_of_a_staged_loop_keep_their_order(capsys):
    def body(c):
        cv.debug.print("at {}", c)
        return c * 2.0

    graph = cv.make_graph(lambda x: (cv.while_loop(lambda c: c < 4.0, body, x), x + 1)[1])(1.0)
    for _ in range(3):
        assert graph(1.0) == 2.0
        assert capsys.readouterr().out.splitlines() == ["at 1.0", "at 2.0"]


def shapes(graph):
    """The shapes of what the loops of a graph carry and collect."""
    return [[v.aval.shape for v in eq.outputs] for eq in walk(graph.equations) if eq.prim.name in ("scan", "while")]


def walked(x, rows):
    return cv.scan(lambda c, r: ((c[0] * r, c[1] + np.sin(r)), (c[0], np.cos(r))), (x, 0.0), rows)


def test_only_what_differs_between_examples_is_mapped_in_a_loop():
    rows, xs = np.linspace(0.5, 1.5, 4), np.array([1.0, 2.0, 3.0])
    graph = cv.make_graph(cv.vmap(walked, (0, None)))(xs, rows)
    assert shapes(graph) == [[(3,), (), (4, 3), (4,)]]
    want = [walked(x, rows) for x in xs]
    for k, found in enumerate(cv.tree.leaves(graph(xs, rows))):
        np.testing.assert_allclose(found, np.stack([cv.tree.leaves(w)[k] for w in want]), rtol=1e-15)
    through_rows = cv.make_graph(cv.vmap(walked, (None, 1)))(2.0, np.stack([rows, rows + 1.0], 1))
    assert shapes(through_rows) == [[(2,), (2,), (4, 2), (4, 2)]]
    by_steps = cv.make_graph(cv.vmap(lambda x, n: power(x, n), (0, None)))(xs, 3)
    assert shapes(by_steps) == [[(), (3,)]]
    np.testing.assert_array_equal(by_steps(xs, 3), xs**3)


def test_forward_mode_runs_a_loop_once_for_all_tangents():
    def cubed(x):
        return cv.scan(lambda c, _: (c * x, None), x, None, length=2)[0]

    def root(x):
        return cv.while_loop(lambda c: np.abs(c * c - x).sum() > 1e-12, lambda c: 0.5 * (c + x / c), x)

    for fun, carried in ((cubed, [(3,), (3, 3)]), (root, [(3,), (3, 3)])):
        graph = cv.make_graph(cv.jacfwd(fun))(X)
        assert shapes(graph) == [carried]
        np.testing.assert_allclose(graph(X), cv.jacfwd(fun)(X), rtol=1e-13)
        np.testing.assert_allclose(cv.jit(cv.jacfwd(cv.jit(fun)))(X), cv.jacfwd(fun)(X), rtol=1e-13)
        np.testing.assert_allclose(cv.jit(cv.vmap(cv.jacfwd(fun)))(np.stack([X, X + 1.0])),
                                   [cv.jacfwd(fun)(X), cv.jacfwd(fun)(X + 1.0)], rtol=1e-13)


def test_a_loop_knows_which_example_it_runs_for():
    def fun(x, n):
        return cv.fori_loop(0, n, lambda i, c: c + cv.axis_index("i") + cv.psum(i, "i"), x)

    mapped = cv.vmap(fun, (None, None), axis_name="i", axis_size=3)
    np.testing.assert_array_equal(cv.jit(mapped)(0.5, 2), mapped(0.5, 2))
    over = cv.vmap(lambda r: cv.scan(lambda c, r: (c + r, c * cv.axis_index("i")), 0.0, r), None, axis_name="i",
                   axis_size=2)
    for a, b in zip(cv.tree.leaves(cv.jit(over)(X)), cv.tree.leaves(over(X)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("loop", [
    lambda step, x: cv.scan(lambda c, _: (step(c), 0.0), x, None, length=2)[0],
    lambda step, x: cv.scan(lambda c, _: (c, step(c)), x, None, length=2)[1],
    lambda step, x: cv.while_loop(lambda c: c[1] < 2, lambda c: (step(c[0]), c[1] + 1), (x, 0))[0],
    lambda step, x: cv.cond(x[0] > 0.0, step, lambda x: x, x),
])
def test_a_python_number_that_a_body_closes_over_promotes_nothing(loop):
    def run(x, w):
        return loop(lambda c: np.sin(c) * w, x)

    x = np.array([0.1, 0.2, 0.3], np.float32)
    found = cv.jit(run)(x, 0.7)
    assert found.dtype == run(x, 0.7).dtype == np.float32
    np.testing.assert_allclose(found, run(x, 0.7), rtol=1e-6)


def test_native_steps_take_a_python_number_that_a_loop_closes_over():
    def run(x, w):
        return cv.scan(lambda c, _: (np.sin(c) * w, 0.0), x, None, length=1)[0]

    def moved(x, w):
        return cv.jvp(lambda w: np.sum(run(x, w) ** 2), (w,), (1.0,))[1]

    x = np.array([0.1, 0.2, 0.3])
    np.testing.assert_allclose(cv.grad(cv.jit(moved))(x, 0.7), cv.grad(moved)(x, 0.7), rtol=1e-12)


SWAPPED = {
    "scan": lambda x, xs: cv.scan(lambda c, r: (c * 2 + r, c), x, xs),
    "scan of rows": lambda x, xs: cv.scan(lambda c, r: (r, c), x, xs),
    "scan of none": lambda x, xs: cv.scan(lambda c, r: (c + r, c), x, xs[:0]),
    "fori_loop": lambda x, xs: cv.fori_loop(0, 3, lambda i, c: c * 2 + xs[i], x),
    "cond": lambda x, xs: cv.cond(x.sum() > 0, lambda x: x, lambda x: x * 2, x),
    "switch": lambda x, xs: cv.switch((x.sum() > 0).astype(int), [lambda x: x * 2, lambda x: x, lambda x: xs[0]], x),
    "closed over": lambda x, xs: cv.cond(x.sum() > 0, lambda: x, lambda: 2 * xs[0]),
}


@pytest.mark.parametrize("name", SWAPPED)
@pytest.mark.parametrize("dtype", [">f4", ">c16", ">i2", "<f8"])
def test_values_in_the_other_byte_order_are_carried(name, dtype):
    x, xs = np.arange(3).astype(dtype), np.ones((4, 3), dtype)
    wanted = cv.tree.leaves(SWAPPED[name](x, xs))
    mapped = [v[0] for v in cv.tree.leaves(cv.jit(cv.vmap(SWAPPED[name]))(x[None], xs[None]))]
    for leaves in (cv.tree.leaves(cv.jit(SWAPPED[name])(x, xs)), mapped):
        for a, b in zip(leaves, wanted, strict=True):
            assert a.dtype.newbyteorder("=") == b.dtype.newbyteorder("=")
            np.testing.assert_array_equal(a, b)
    if dtype[1] != "i":
        gradient = cv.grad(lambda x, xs: sum(np.sum(v.real) for v in cv.tree.leaves(SWAPPED[name](x, xs))), (0, 1))
        for a, b in zip(cv.jit(gradient)(x, xs), gradient(x, xs), strict=True):
            np.testing.assert_array_equal(a, b)


HELD: dict = {}  # what functions read that no closure shows


def held_while(x):
    HELD["x"] = x
    return cv.while_loop(lambda c: c[1] < 50, lambda c: (np.maximum(c[0], HELD["x"][c[1]]), c[1] + 1), (-9.0, 0))[0]


def held_scan(x):
    HELD["x"] = x
    return cv.scan(lambda c, k: (c * HELD["x"][k], c), 1.0, np.arange(30))[0]


def held_fori(x):
    HELD["x"] = x
    return cv.fori_loop(2, 30, lambda i, c: c + HELD["x"][i] ** 2, 0.0)


def held_map(x):
    HELD["x"] = x
    return np.sum(cv.map(lambda k: np.sin(HELD["x"][k]), np.arange(20)))


def held_cond(x):
    HELD["x"] = x
    return cv.cond(True, lambda k: np.sum(HELD["x"]) * k, lambda k: HELD["x"][0] * k, 2.0)


def held_switch(x):
    HELD["x"] = x
    return cv.switch(1, [lambda k: HELD["x"][0], lambda k: k * np.sum(HELD["x"]), lambda k: HELD["x"][1]], 2.0)


@pytest.mark.parametrize("f", [held_while, held_scan, held_fori, held_map, held_cond, held_switch])
def test_whatever_the_operands_are_what_stands_in_a_staged_function_is_one_equation(f):
    x = np.random.default_rng(0).uniform(0.5, 1.5, 60)
    control = [eq for eq in cv.make_graph(f)(x).equations if eq.bodies()]
    assert len(control) == 1
    assert len(list(walk(cv.make_graph(f)(x).equations))) < 15
    np.testing.assert_allclose(cv.jit(f)(x), f(x), rtol=1e-13)
    want = cv.grad(f)(x)
    for found in (cv.jit(cv.grad(f))(x), cv.grad(cv.jit(f))(x), cv.jit(cv.jacfwd(f))(x)):
        np.testing.assert_allclose(found, want, rtol=1e-12)
    np.testing.assert_allclose(cv.jit(cv.vmap(cv.grad(f)))(np.stack([x, x])), [want, want], rtol=1e-12)


@pytest.mark.parametrize(("test", "start", "by", "end"), [
    (np.less, 0, 1, 5), (np.less_equal, 0, 2, 8), (np.greater, 9, -2, 0), (np.greater_equal, 9, -3, 0),
    (np.not_equal, 0, 2, 8), (np.less, 5, 1, 2), (np.less, 0.0, 0.7, 5.0), (np.less, 0, 1, 200_000)])
def test_a_loop_of_a_known_number_of_rounds_needs_no_bound_in_reverse(test, start, by, end):
    def f(x):
        return cv.while_loop(lambda c: test(c[1], end), lambda c: (c[0] * x, c[1] + by), (1.0, start))[0]

    graph = cv.make_graph(f)(0.99)
    assert loops(graph) == ["scan"]
    want = cv.while_loop(lambda c: test(c, end), lambda c: c + by, start)
    rounds = round((want - start) / by)
    np.testing.assert_allclose(graph(0.99), 0.99 ** rounds, rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(cv.jit(cv.grad(f))(0.99), rounds * 0.99 ** max(rounds - 1, 0), rtol=1e-10, atol=1e-300)


def test_rounds_that_depend_on_a_traced_value_are_not_known():
    def f(x):
        return cv.while_loop(lambda c: c[1] < 5, lambda c: (c[0] * x, c[1] + (c[0] > 3.0)), (2.0, 0))[0]

    assert loops(cv.make_graph(f)(1.5)) == ["while"]
    np.testing.assert_allclose(cv.jit(f)(1.5), f(1.5))
    with pytest.raises(RuleError, match="max_steps"):
        cv.jit(cv.grad(f))(1.5)


def test_a_known_condition_calls_one_function_and_eval_shape_finds_unequal_ones():
    def fun(x):
        return cv.cond(True, lambda x: x, lambda x: (called.append(x), x), x)

    called: list = []
    assert fun(1.0) == 1.0 and not called
    for find in (cv.eval_shape, lambda f, x: cv.jit(f)(x), lambda f, x: cv.make_graph(f)(x)):
        with pytest.raises(TreeError, match="return one structure"):
            find(fun, 1.0)


def test_a_function_that_is_not_taken_leaves_no_trace():
    def fun(x):
        y, plain = x * 2.0, np.ones(2)

        def writes():
            y[0] = plain[0] = 100.0
            return y.sum()

        return cv.cond(True, lambda: y.sum(), writes) + cv.switch(0, [lambda: y.sum(), writes]) + plain.sum()

    value, slope = cv.value_and_grad(fun)(np.array([1.0, 2.0]))
    assert value == 14 and slope.tolist() == [4.0, 4.0]
