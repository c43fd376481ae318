"""Loops of batched length, loops of no length, and what a carry may be."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import TreeError

X = np.array([1.0, 2.0, 30.0])
COUNTS = np.array([0, 3, 1])


def doubled(x):
    return cv.while_loop(lambda c: c < 10.0, lambda c: c * 2.0, x)


def power(x, n):
    return cv.fori_loop(0, n, lambda i, c: c * x, 1.0)


def test_each_example_has_its_own_number_of_trips():
    np.testing.assert_array_equal(cv.vmap(doubled)(X), [doubled(x) for x in X])
    np.testing.assert_array_equal(cv.vmap(power)(X, COUNTS), X**COUNTS)
    np.testing.assert_array_equal(cv.vmap(power, (None, 0))(2.0, COUNTS), 2.0**COUNTS)
    np.testing.assert_array_equal(cv.vmap(lambda n: cv.fori_loop(n, 3, lambda i, c: c + i, 0))(COUNTS), [3, 0, 3])
    nested = cv.vmap(cv.vmap(power, (0, None)), (None, 0))(X, COUNTS)
    np.testing.assert_array_equal(nested, X[None] ** COUNTS[:, None])


def test_derivatives_of_loops_of_batched_length():
    want = [cv.grad(doubled)(x) for x in X]
    np.testing.assert_array_equal(cv.vmap(cv.grad(doubled))(X), want)
    np.testing.assert_array_equal(cv.grad(lambda x: cv.vmap(doubled)(x).sum())(X), want)
    np.testing.assert_array_equal(cv.jvp(cv.vmap(doubled), (X,), (np.ones(3),))[1], want)
    np.testing.assert_allclose(cv.vmap(cv.hessian(lambda x, n: power(x, n)))(X, COUNTS), [0.0, 12.0, 0.0])


def test_an_example_that_is_done_is_not_taken_beyond_its_end():
    """A body may be wrong at a state that the loop never runs it at: out of bounds, or infinite."""
    def total(x, n):
        return cv.while_loop(lambda c: c["i"] < n, lambda c: {"i": c["i"] + 1, "sum": c["sum"] + x[c["i"]]},
                             {"i": 0, "sum": 0.0})["sum"]

    rows = np.arange(6.0).reshape(2, 3)
    lengths = np.array([3, 1])
    np.testing.assert_array_equal(cv.vmap(total)(rows, lengths), [3.0, 3.0])
    np.testing.assert_array_equal(cv.vmap(cv.grad(total))(rows, lengths), [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])

    def countdown(x):
        return cv.while_loop(lambda c: c[0] > 0.0, lambda c: (c[0] - 1.0, c[1] / c[0]), (x, 1.0))[1]

    with np.errstate(all="raise"):
        np.testing.assert_allclose(cv.vmap(countdown)(np.array([1.0, 3.0])), [1.0, 1 / 6])
        np.testing.assert_allclose(cv.vmap(cv.grad(countdown))(np.array([1.0, 3.0])),
                                   [cv.grad(countdown)(1.0), cv.grad(countdown)(3.0)])


def test_a_batched_carry_that_changes_is_refused():
    with pytest.raises(ValueError, match=r"while_loop needs a carry that keeps its structure.*but got"):
        cv.vmap(lambda x: cv.while_loop(lambda c: c < 2, lambda c: (c, c), x))(X)
    with pytest.raises(ValueError, match=r"while_loop needs a carry that keeps its shapes.*f64\[2\].*f64\[\]"):
        cv.vmap(lambda x: cv.while_loop(lambda c: c.sum() < 2, lambda c: np.stack([c, c]), x))(X)


def test_the_answers_of_no_steps_are_empty_arrays():
    def step(c, x):
        return c, {"row": c * x[0], "one": x.sum(), "count": 3}

    carry, ys = cv.scan(step, np.ones(2), np.zeros((0, 4), np.float32))
    assert ys["row"].shape == (0, 2) and ys["one"].dtype == np.float32 and ys["count"].dtype == np.int64
    assert cv.scan(lambda c, _: (c, c), 1.0, length=0)[1].shape == (0,)
    staged = cv.make_graph(lambda c, x: cv.scan(step, c, x))(np.ones(2), np.zeros((0, 4), np.float32))
    assert staged(np.ones(2), np.zeros((0, 4), np.float32))[1]["row"].shape == (0, 2)
    np.testing.assert_array_equal(cv.grad(lambda c: cv.scan(step, c, np.zeros((0, 4)))[1]["row"].sum())(X[:2]), [0, 0])
    with np.errstate(all="raise"):
        assert cv.scan(lambda c, x: (c, c / x), 1.0, np.zeros(0))[1].shape == (0,)
        assert cv.scan(lambda c, x: (c, c / x if x > 0 else x), 1.0, np.zeros(0))[1].shape == (0,)
    factors = cv.scan(lambda c, x: (c, np.linalg.cholesky(x)), 1.0, np.zeros((0, 2, 2)))[1]
    assert factors.shape == (0, 2, 2)
    staged = cv.make_graph(lambda x: cv.scan(lambda c, x: (c, np.linalg.cholesky(x)), 1.0, x)[1])
    assert staged(np.zeros((0, 2, 2)))(np.zeros((0, 2, 2))).shape == (0, 2, 2)
    w = cv.grad(lambda w: cv.scan(lambda c, x: (c * w, c), w, np.zeros(0))[0])(3.0)
    assert w == 1.0


@pytest.mark.parametrize("staged", [False, True])
def test_a_carry_keeps_structure_and_shapes(staged):
    def run(step, init):
        loop = lambda x: cv.scan(step, init, x)[0]  # noqa: E731 - staged below
        return cv.make_graph(loop)(X) if staged else loop(X)

    with pytest.raises(ValueError, match=r"keeps its structure.*'a'.*became.*'c'.*init"):
        run(lambda c, x: ({"c": c["a"], "d": c["b"]}, x), {"a": 1.0, "b": 2.0})
    with pytest.raises(ValueError, match=r"keeps its shapes.*\(\) to \(2,\).*init"):
        run(lambda c, x: (np.ones(2) * x, None), 0.0)


STATES = {
    "a number": 1.0,
    "an array": np.ones(2),
    "a tuple": (1.0, np.ones(2)),
    "a dict": {"a": np.ones(2), "b": np.float64(1.0)},
    "nested": {"a": [np.ones(2), (np.ones(1), None)], "b": 2.0},
}


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("step", [1, 4])
def test_a_carry_that_changes_at_any_step_is_refused(name, step):
    init = STATES[name]

    def run(change):
        seen = []

        def body(carry, _):
            seen.append(1)
            return (change(carry) if len(seen) == step else carry), None

        return cv.scan(body, init, length=5)

    def longer(tree):
        return cv.tree.map(lambda x: np.ones((3, 3)), tree)

    assert cv.tree.structure(run(lambda c: c)[0]) == cv.tree.structure(init)
    for wrong in (lambda c: (c, c), lambda c: [c], lambda c: None, longer, lambda c: {"other": c}):
        with pytest.raises(TreeError, match="scan needs a carry that keeps its s"):
            run(wrong)


def test_a_carry_of_other_numbers_and_in_another_order_is_kept():
    carry, _ = cv.scan(lambda c, x: ({"b": c["b"] + 1, "a": np.float32(2.0) * c["a"]}, None),
                       {"a": 1.0, "b": 0}, np.arange(3.0))
    assert carry == {"a": 8.0, "b": 3}
    powers = lambda w: cv.scan(lambda c, x: ((c[0] * w, x), c[0] + x), (1.0, 0.0), np.arange(4.0))[1]  # noqa: E731
    assert cv.grad(lambda w: powers(w).sum())(2.0) == 1.0 + 4.0 + 12.0


def test_outputs_of_one_structure_are_stacked_and_others_refused():
    def body(carry, x):
        return carry + 1, {"sum": carry + x, "none": None, "row": [np.full(2, x), 2]}

    _, ys = cv.scan(body, 0, np.arange(3.0))
    np.testing.assert_array_equal(ys["sum"], [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(ys["row"][0], [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    np.testing.assert_array_equal(ys["row"][1], [2, 2, 2])
    assert ys["none"] is None
    assert cv.scan(lambda c, x: (c, None), 0.0, np.arange(3.0)) == (0.0, None)
    for other in ((1.0,), None, (1.0, 2.0, 3.0), [1.0, 2.0], (1.0, (2.0,)), {"a": 1.0, "b": 2.0}, 1.0):
        with pytest.raises(TreeError, match="outputs of one structure"):
            cv.scan(lambda c, x, other=other: (c, (x, x) if x < 2 else other), 0.0, np.arange(3.0))
    for other in ({"a": 1.0, "c": 2.0}, {"a": 1.0, "b": (2.0,)}, {"b": 1.0}, (1.0, 2.0)):
        with pytest.raises(TreeError, match=r"outputs of one structure.*'b'.*return the same"):
            cv.scan(lambda c, x, other=other: (c, {"b": x, "a": x} if x < 2 else other), 0.0, np.arange(3.0))


OUTPUTS = {
    "a dict in another order": lambda x: {"b": x, "a": -x} if x < 1 else {"a": -x, "b": x},
    "a dict of numbers of two kinds": lambda x: {"b": 1, "a": True} if x < 1 else {"a": float(x), "b": 2},
    "a dict of one": lambda x: {"b": x},
    "a dict with keys of two types": lambda x: {1: x, "a": -x},
    "a tuple of arrays and numbers": lambda x: (np.full((2, 1), x), 2, x),
    "a list": lambda x: [x, np.full(3, x)],
    "numbers": lambda x: 2 if x < 1 else float(x),
    "matrices": lambda x: np.full((3, 2), x),
    "no elements": lambda x: {"a": np.zeros(0), "b": np.zeros((0, 2))},
    "a tuple in a list": lambda x: [(x, 1.0), x],
    "nothing in it": lambda x: (),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_are_stacked_leaf_by_leaf(name):
    given = np.arange(3.0)
    rows = [OUTPUTS[name](x) for x in given]
    found = cv.scan(lambda c, x: (c, OUTPUTS[name](x)), 0.0, given)[1]
    want = cv.tree.map(lambda *xs: np.stack(xs), *rows)
    assert cv.tree.structure(found) == cv.tree.structure(want)
    for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(want), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", ["e", "f", "d", "D", "b", "?"])
@pytest.mark.parametrize("start", [0.0, 0, True, 1j], ids=str)
def test_a_number_among_outputs_takes_the_dtype_of_the_others(start, dtype):
    def f(start, xs):
        return cv.scan(lambda c, x: (c + x, {"carry": c, "twice": (c * 2, x)}), start, xs)[1]

    xs = np.ones(3, dtype)
    wanted = cv.jit(f)(start, xs)
    for found in (f(start, xs), cv.vmap(f, (None, 0))(start, xs[None])):
        for a, b in zip(cv.tree.leaves(found), cv.tree.leaves(wanted), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a.reshape(3), b)


def test_a_differentiated_number_among_outputs_takes_the_dtype_of_the_others():
    def loss(start):
        ys = cv.scan(lambda c, x: (c + x, c), start, np.ones(3, np.float32))[1]
        assert ys.dtype == np.float32
        return ys.sum()

    assert cv.grad(loss)(1.0) == 3.0 and cv.jit(cv.grad(loss))(1.0) == 3.0


def test_outputs_of_two_shapes_are_refused():
    for shapes in (((2,), (3,)), ((2, 3), (2, 4)), ((2,), (2, 1)), ((), (1,)), ((2,), ())):
        with pytest.raises(ValueError, match="shape"):
            cv.scan(lambda c, x, shapes=shapes: (c, np.zeros(shapes[int(x)])), 0.0, np.arange(2.0))


@pytest.mark.parametrize("count", [2, 30])
def test_joined_and_stacked_parts_get_theirs_back(count):
    parts = [np.full((2, 1 + k % 3), float(k)) for k in range(count)]
    weights = np.arange(2.0 * sum(p.shape[1] for p in parts)).reshape(2, -1)
    ends = np.cumsum([p.shape[1] for p in parts])[:-1]
    found = cv.grad(lambda parts: (np.concatenate(parts, axis=1) * weights).sum())(parts)
    for got, want in zip(found, np.split(weights, ends, axis=1)):
        np.testing.assert_array_equal(got, want)
    only = cv.grad(lambda p: (np.concatenate([*parts[:-1], p], axis=1) * weights).sum())(parts[-1])
    np.testing.assert_array_equal(only, found[-1])
    rows = [np.full(2, float(k)) for k in range(count)]
    weights = np.arange(2.0 * count).reshape(count, 2)
    np.testing.assert_array_equal(np.stack(cv.grad(lambda rows: (np.stack(rows) * weights).sum())(rows)), weights)
    with pytest.raises(ValueError, match="shape"):
        cv.grad(lambda rows: np.stack([*rows, np.ones(3)]).sum())(rows)


@pytest.mark.parametrize("wrap", [lambda f: f, cv.checkpoint, cv.jit], ids=["plain", "checkpoint", "jit"])
def test_a_differentiated_number_that_a_function_closes_over_stays_one(wrap):
    x = np.ones(3, np.float32)
    outs = cv.jvp(lambda s: wrap(lambda x: np.sin(x) * s)(x), (2.5,), (1.0,))
    assert [y.dtype for y in outs] == [np.float32] * 2
    np.testing.assert_allclose(outs, [np.sin(x) * 2.5, np.sin(x)], rtol=1e-6)


def test_numbers_among_the_constants_of_a_staged_loop_stay_numbers_in_its_tangents():
    x = np.full(3, 0.5, np.float32)

    def loop(s, x):
        return cv.scan(lambda c, _: (np.sin(c) * s, c * s), x, np.zeros(3, np.float32))

    staged = cv.jit(lambda s: cv.jvp(lambda x: loop(s, x), (x,), (x,)))(2.5)
    plain = cv.jvp(lambda x: loop(2.5, x), (x,), (x,))
    for a, b in zip(cv.tree.leaves(staged), cv.tree.leaves(plain), strict=True):
        assert a.dtype == b.dtype == np.float32
        np.testing.assert_allclose(a, b, rtol=1e-6)


LOOPS = {
    "scan": lambda step, c: cv.scan(lambda c, _: (step(c), None), c, None, length=3)[0],
    "fori_loop": lambda step, c: cv.fori_loop(0, 3, lambda i, c: step(c), c),
    "while_loop": lambda step, c: cv.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, step(s[1])), (0, c))[1],
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("run", [lambda loop: loop, cv.jit, cv.jacrev, lambda loop: lambda c: cv.vmap(loop)(c[None])],
                         ids=["eager", "jit", "jacrev", "vmap"])
def test_a_carry_that_changes_its_shape_is_refused_eagerly_and_staged(name, run):
    with pytest.raises(TreeError, match=f"{name} needs a carry that keeps its shape.*give init"):
        run(lambda c: LOOPS[name](lambda c: np.concatenate([c, c]), c))(np.ones(1))


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_carry_that_changes_its_dtype_is_refused_eagerly_and_staged(loop):
    def wider(c):
        return c * np.linspace(0.5, 1.0, 3)

    x = np.ones(3, np.float32)
    for run in (loop, lambda step, c: cv.jit(lambda c: loop(step, c))(c), lambda step, c: cv.grad(
            lambda c: np.sum(loop(step, c)))(c)):
        with pytest.raises(TreeError, match=r"(?s)needs a carry that keeps.*f32\[3\].*f64\[3\].*astype"):
            run(wider, x)
    number = loop(wider, np.ones(3))
    assert number.dtype == np.float64 and loop(lambda c: c * np.float64(2.0), 1.0) == 8.0
