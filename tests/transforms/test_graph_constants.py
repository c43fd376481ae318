"""Constants of graphs: one literal an array, none handed out, no dense seeds and bases."""

import numpy as np
import pytest

import covector as cv
from covector.transforms.graph.equations import constants

C = np.arange(3.0)
X = np.array([1.0, 2.0, 30.0])


def held(graph):
    """Bytes of all arrays that a graph holds."""
    blocks = {}
    for literal in constants(graph):
        block = literal.value
        while isinstance(getattr(block, "base", None), np.ndarray):
            block = block.base
        blocks[id(block)] = getattr(block, "nbytes", 0)
    return sum(blocks.values())


@cv.custom_vjp
def with_a_constant(x):
    return C


with_a_constant.defvjp(lambda x: (C, None), lambda kept, ct: (ct,))
ANSWERS = {
    "a constant": lambda x: C,
    "a large constant": lambda x, big=np.arange(10_000.0): big,
    "a uniform constant": lambda x: np.ones(3),
    "of a branch": lambda x: cv.cond(x[0] > 0, lambda: C, lambda: C + 1.0),
    "of a loop": lambda x: cv.scan(lambda c, v: (C, v), C * 2.0, x)[0],
    "of a custom rule": with_a_constant,
    "of a checkpoint": lambda x: cv.checkpoint(lambda x: C)(x),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_no_constant_is_handed_out(name):
    graph = cv.make_graph(lambda x: (x * 2.0, ANSWERS[name](x)))(X)
    want = graph(X)[1].copy()
    graph(X)[1][...] = 99.0
    np.testing.assert_array_equal(graph(X)[1], want)
    assert not any(np.shares_memory(graph(X)[1], v.value) for v in constants(graph) if np.ndim(v.value))


def test_no_two_outputs_are_one_array():
    graph = cv.make_graph(lambda x: (x, x, [x * 2.0] * 2, C, C))(X)
    outs = cv.tree.leaves(graph(X))
    for k, a in enumerate(outs):
        assert not any(np.shares_memory(a, b) for b in outs[:k])
    a, b = cv.vjp(lambda x: cv.make_graph(lambda x: (x, x))(x)(x), X)[1]((X, X))[0], 2 * X
    np.testing.assert_array_equal(a, b)


def test_an_array_used_many_times_is_one_literal():
    graph = cv.make_graph(lambda x: sum([x * C for _ in range(5)]) + C)(X)
    found = [v for v in constants(graph) if np.ndim(v.value)]
    assert len(found) == 6 and len({id(v) for v in found}) == 1
    assert found[0].value is not C


def test_an_array_written_to_while_staging_counts_as_it_was():
    def fun(x):
        c = np.zeros(3)
        y = x + c
        c[0] = 5.0
        return y * c

    np.testing.assert_array_equal(cv.make_graph(fun)(X)(X), fun(X))

    def temporaries(x):
        for k in range(20):
            x = x + np.array([k, 1.0, 2.0])
        return x

    np.testing.assert_array_equal(cv.make_graph(temporaries)(X)(X), temporaries(X))


@pytest.mark.parametrize("constant", [np.zeros(3), -np.zeros(3), np.full(3, np.nan), np.array([0.0, -0.0, 0.0]),
                                      np.array(2.0), np.zeros((0, 3)), np.broadcast_to(C, (2, 3)),
                                      np.eye(40), -np.eye(40), np.where(np.eye(40) > 0, np.eye(40), -0.0)], ids=str)
def test_constants_keep_every_bit(constant):
    def fun(x):
        return x * constant

    found, want = cv.make_graph(fun)(1.0)(1.0), fun(1.0)
    assert found.dtype == want.dtype and found.shape == want.shape
    assert found.tobytes() == np.ascontiguousarray(want).tobytes()


def test_a_large_uniform_array_may_be_written_to_afterwards():
    zeros = np.zeros(100_000)
    graph = cv.make_graph(lambda x: x + zeros)(1.0)
    zeros[:] = 7.0
    np.testing.assert_array_equal(graph(1.0), np.ones(100_000))
    assert held(graph) == 8


def loss(x):
    return np.sum(np.sin(x) * x * x[0])


@pytest.mark.parametrize("transform", ["grad", "hessian", "fwd_rev", "jacfwd", "jacrev"])
def test_seeds_and_bases_are_not_held_dense(transform):
    n = 300
    x = np.linspace(0.1, 1.0, n)
    made = {
        "grad": cv.grad(loss), "hessian": cv.hessian(loss), "fwd_rev": cv.jacfwd(cv.grad(loss)),
        "jacfwd": cv.jacfwd(lambda x: np.sin(x) * x), "jacrev": cv.jacrev(lambda x: np.cumsum(np.sin(x)) * x),
    }[transform]
    graph = cv.make_graph(made)(x)
    assert held(graph) < 20 * 8 * n  # vectors, no matrix (720 kB)
    np.testing.assert_allclose(graph(x), made(x), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(cv.vmap(graph)(np.stack([x, x + 1]))[1], made(x + 1), rtol=1e-12, atol=1e-12)


def test_a_graph_of_unit_vectors_has_derivatives():
    x = np.linspace(0.1, 1.0, 40)
    graph = cv.make_graph(cv.jacfwd(lambda x: np.sin(x) * x))(x)
    np.testing.assert_allclose(cv.grad(lambda x: np.sum(graph(x) ** 2))(x),
                               cv.grad(lambda x: np.sum(cv.jacfwd(lambda x: np.sin(x) * x)(x) ** 2))(x), rtol=1e-13)


def test_a_linear_function_may_not_add_unit_vectors():
    with pytest.raises(NotImplementedError, match="joins the arguments with a constant"):
        cv.linear_transpose(lambda x: x + np.eye(100), np.ones((100, 100)))
    np.testing.assert_array_equal(cv.linear_transpose(lambda x: x * np.eye(40), np.ones(40))(np.ones((40, 40)))[0],
                                  np.ones(40))
