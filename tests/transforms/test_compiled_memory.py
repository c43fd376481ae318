"""What a compiled function writes into buffers and rows, and what it leaves out: the same bits as its graph."""

import re

import numpy as np
import pytest

import covector as cv

RNG = np.random.default_rng(8)
X = RNG.normal(size=(6, 4, 3))
W = RNG.normal(size=(3, 3))


def source_of(fun, *args):
    """The NumPy source for arrays; its outputs, a tuple, are those of the graph, bit for bit."""
    run = cv.jit(fun, compiler_options={"printer": "numpy"})
    stages = run.lower(*args)
    for a, b in zip(run(*args), stages.graph.interpret([np.array(x) for x in args]), strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
        assert np.shape(a) == np.shape(b)
    return stages.source


FUNCTIONS = {
    "a stack of products": lambda x: (np.tanh(np.sin(x) @ W).sum(axis=1),),
    "a stack of transposed products": lambda x: (np.tanh(np.swapaxes(np.sin(x), 1, 2) @ np.cos(x)).sum(axis=(0, 1)),),
    "matrices of which the stack is turned": lambda x: (
        np.tanh(np.sin(x).transpose(1, 0, 2) @ W).sum(axis=(0, 2)), np.sum(x.transpose(2, 1, 0) @ np.cos(x[:, :, 0]))),
    "a vector and a stack": lambda x: (np.tanh(np.cos(W[0]) @ np.swapaxes(x, 1, 2)).sum(axis=0),),
    "choices": lambda x: (np.tanh(np.where(x > 0, np.sin(x), x[0])).sum(axis=2),),
    "choices of turned arrays": lambda x: (np.where(x.T > 0, np.sin(x.T), 0.0).sum(axis=(0, 2)),),
    "places": lambda x: (cv.hessian(lambda v: np.sum(v[1:] ** 2 * v[:-1] ** 3))(x[:, 0, 0]),),
    "shapes": lambda x: (np.tanh(np.sin(x).reshape(24, 3).reshape(-1).reshape(6, 12)).sum(axis=1),),
    "shapes of turned arrays": lambda x: (np.tanh(np.sin(x.T).reshape(12, 6).reshape(3, 4, 6)).sum(axis=1),),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_what_the_graph_gives(name):
    for x in (X, X[::-1], np.asfortranarray(X), X.astype(np.float32)):
        source_of(FUNCTIONS[name], x)


def test_a_stack_of_products_is_compact_and_so_is_a_choice():
    text = source_of(FUNCTIONS["a stack of products"], X)
    assert "tanh(v" in text and "sum_over(b" in text
    assert "sum_over(b" in source_of(FUNCTIONS["choices"], X)


def test_only_the_last_of_several_changes_of_shape_is_left():
    assert source_of(FUNCTIONS["shapes"], X).count("reshape") <= 1
    found = dict(cv.jit(lambda x: (x.reshape(72).reshape(6, 4, 3) + 1.0,)).lower(X).passes)["rewritten"]
    assert "reshape" not in found


def test_equal_composites_are_written_out_once():
    text = source_of(lambda x: (np.tanh(x), cv.nn.softplus(x) + cv.nn.softplus(x) * 2.0), X)
    assert text.count("exp(") == source_of(lambda x: (cv.nn.softplus(x),), X).count("exp(")


def test_a_batch_of_sums_over_the_first_axis_is_a_product():
    x = RNG.normal(size=(20, 8, 5))
    fun = cv.vmap(lambda x: np.tanh(x).sum(axis=0))
    graph = cv.make_graph(fun)(x)
    assert "matmul" in [eq.prim.name for eq in graph.equations]
    np.testing.assert_allclose(graph(x), fun(x), rtol=1e-13)
    gradient = cv.grad(lambda x: (fun(x) ** 2).sum())
    np.testing.assert_allclose(cv.jit(gradient)(x), gradient(x), rtol=1e-12)


def test_constant_zeros_that_repeat_a_row_are_one_number():
    def f(x):
        return (cv.jacrev(lambda v: np.concatenate([np.sin(v[:20]), v[20:] ** 2]))(x),)

    assert "index_update(" not in source_of(f, np.linspace(0.0, 1.0, 40))


def loop(x, w):
    def step(state, row):
        state = np.tanh(state @ w + row)
        return state, (np.sin(state), state[::-1] * 2.0, state)

    return cv.scan(step, np.zeros((4, 3)), x)[1]


def test_what_a_loop_collects_is_computed_into_its_row():
    text = source_of(loop, X, W)
    first = next(line for line in text.splitlines() if "sin(" in line)
    assert ", y" in first  # sin(…, y12)
    assert text.count("] = ") - text.count("x") < 4


@pytest.mark.parametrize("cell", (
    lambda z: np.tanh(z[:, :3]) * np.sin(z[:, 3:]),
    lambda z: (t := np.tanh(z))[:, :3] * t[:, 3:],
    lambda z: np.cos(np.tanh(z) @ np.ones((6, 3)))))
def test_cotangents_of_a_loop_are_computed_into_their_rows(cell):
    def total(x, w):
        return np.sum(cv.scan(lambda s, row: (cell(s @ w + row), None), np.ones((4, 3)), x)[0] ** 2)

    x, w = RNG.normal(size=(6, 4, 6)), RNG.normal(size=(3, 6))
    gradient = cv.grad(total, argnums=(0, 1))
    text = source_of(gradient, x, w).partition("range(5, -1, -1)")[2]
    rows = [name for name, _ in re.findall(r"(y\d+) = (ys\d+)\[", text)]
    assert rows and all(re.search(rf"\w\({name}, |, {name}\)|{name}\.fill", text) for name in rows)
    for found, want in zip(cv.jit(gradient)(x, w), gradient(x, w), strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-10)


def test_a_row_that_is_also_carried_or_collected_twice_stays_as_it_was():
    def f(x):
        def step(state, row):
            state = state + row
            twice = np.sin(state)
            return state, (state, twice, twice)

        last, rows = cv.scan(step, np.zeros((4, 3)), x)
        return (last, *rows)

    source_of(f, X)
    last, states, first, second = cv.jit(f, compiler_options={"printer": "numpy"})(X)
    first[:] = 0.0
    assert second.any() and not np.may_share_memory(last, states)


def test_loops_on_floats_pass_their_rows_on_in_one_list():
    def energy(a):
        def step(s, _):
            v = np.tanh(a * s)
            return s + 0.1 * v * np.cos(v), None

        return np.sum(cv.scan(step, np.ones(2), None, length=20)[0] ** 2)

    a = np.array([0.3, -0.7])
    stages = cv.jit(cv.grad(energy), compiler_options={"printer": "scalar"})
    text = stages.lower(a).source
    assert text.count(".append") == 1 and "zip(" not in text
    np.testing.assert_allclose(stages(a), cv.grad(energy)(a), rtol=1e-12)


def test_rows_on_floats_that_leave_stay_lists_of_their_own():
    def f(a):
        def step(s, _):
            v, w = np.tanh(a * s), np.sin(s)
            return s + v, (v, w, v * w)

        s, (v, w, u) = cv.scan(step, np.ones(2), None, length=20)
        total, _ = cv.scan(lambda t, rows: (t + rows[0] * rows[1] + rows[2], None), s, (v, w, u))
        return total, w

    a = np.array([0.3, -0.7])
    run = cv.jit(f, compiler_options={"printer": "scalar"})
    for found, want in zip(run(a), f(a), strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-12)
    assert run.lower(a).source.count(".append") == 2


@pytest.mark.parametrize("value", [0.5, np.array([0.5]), np.array([[0.5], [0.25]])], ids=np.shape)
def test_rows_of_a_loop_that_are_written_to_afterwards(value):
    """A row may be computed where it is collected, although what is collected is a copy that a write made of it."""
    xs = np.linspace(-1.0, 1.0, 60).reshape(3, 2, 10)
    for index in (np.s_[..., :1], np.s_[:, :1], np.s_[:, 0] if np.ndim(value) < 2 else np.s_[:, 1:2]):
        def step(carry, x):
            row = cv.numpy.at((0.3 - x) * 2.0)[index].set(value)
            return carry, row

        def loop(xs):
            return cv.scan(step, 0.0, xs)[1]

        compiled = cv.jit(loop, compiler_options={"printer": "numpy"})
        for _ in range(3):
            np.testing.assert_array_equal(compiled(xs), loop(xs))
