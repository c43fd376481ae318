"""Collectives that send values from example to example."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import ShapeError
from covector.testing import check_grads

X = np.random.default_rng(0).normal(size=(3, 6, 3, 4))


def mapped(fun):
    return cv.vmap(fun, axis_name="i")


def test_values_go_to_whom_they_are_sent():
    chain = mapped(lambda v: cv.ppermute({"a": v, "b": 2}, "i", [(0, 1), (1, 2)]))
    found = chain(X)
    np.testing.assert_array_equal(found["a"], np.stack([0 * X[0], X[0], X[1]]))
    np.testing.assert_array_equal(found["b"], [0, 2, 2])
    ring = mapped(lambda v: cv.ppermute(v, "i", [(0, 1), (1, 2), (2, 0)]))
    np.testing.assert_array_equal(ring(X), X[[2, 0, 1]])
    check_grads(lambda x: ring(x) * x, (X[:, 0, 0],))
    np.testing.assert_array_equal(cv.make_graph(ring)(X)(X), ring(X))
    np.testing.assert_array_equal(mapped(lambda v: cv.ppermute(v, "i", []))(X), 0.0 * X)
    rows = cv.vmap(mapped(lambda v: cv.ppermute(v, "i", [(0, 2)])))(X[0])
    np.testing.assert_array_equal(rows[:, 2], X[0, :, 0])


@pytest.mark.parametrize("split", [1, -2])
@pytest.mark.parametrize("concat", [0, 1, 2, -1])
def test_parts_of_an_axis_go_to_every_example(split, concat):
    found = mapped(lambda v: cv.all_to_all(v, "i", split, concat))(X)
    want = np.stack([np.stack([X[j].take(i, axis=1) for j in range(3)], axis=concat) for i in range(3)])
    np.testing.assert_array_equal(found, want)
    check_grads(mapped(lambda v: cv.all_to_all(v * v, "i", split, concat)), (X,))


@pytest.mark.parametrize("split", [0, 1])
@pytest.mark.parametrize("concat", [0, 1, 2])
def test_blocks_of_an_axis_go_to_every_example(split, concat):
    found = mapped(lambda v: cv.all_to_all(v, "i", split, concat, tiled=True))(X)
    blocks = [np.split(x, 3, axis=split) for x in X]
    want = np.stack([np.concatenate([blocks[j][i] for j in range(3)], axis=concat) for i in range(3)])
    np.testing.assert_array_equal(found, want)


def test_the_size_of_an_axis_is_a_number():
    sizes = []
    cv.vmap(mapped(lambda v: sizes.append((cv.axis_size("i"), cv.axis_size(("i", "j")))) or v), axis_name="j")(X)
    assert sizes == [(6, 18)]


def test_what_cannot_be_sent():
    for pairs in ([(0, 3)], [(0, 1), (0, 2)], [(0, 1), (2, 1)]):
        with pytest.raises(ValueError, match=r"ppermute needs pairs \(from, to\) of positions from 0 to 2.*but got"):
            mapped(lambda v, pairs=pairs: cv.ppermute(v, "i", pairs))(X)
    with pytest.raises(ShapeError, match=r"all_to_all needs axis 2 of length 3.*\(6, 3, 4\); pad it"):
        mapped(lambda v: cv.all_to_all(v, "i", 2, 0))(X)
    with pytest.raises(NameError, match="k"):
        mapped(lambda v: cv.axis_size("k") * v)(X)


SAME = {
    "psum": lambda x, n: x * cv.psum(n, "i"),
    "pmean": lambda x, n: x * cv.pmean(n * n, "i"),
    "pmax": lambda x, n: x * cv.pmax(n, "i"),
    "all_gather": lambda x, n: x * cv.all_gather(n, "i").sum(),
    "psum_scatter": lambda x, n: x * cv.psum_scatter(np.stack([n, 2.0 * n, n * n]), "i"),
    "psum in a loop": lambda x, n: cv.scan(lambda c, r: (c + cv.psum(n * r, "i"), None), x, np.arange(2.0))[0],
    "psum of a derivative": lambda x, n: cv.grad(lambda m: x * cv.psum(m * n, "i"))(n),
    "psum below a derivative": lambda x, n: cv.grad(lambda m: n * cv.psum(m, "i") * m)(2.0) * x,
}


@pytest.mark.parametrize("name", SAME)
def test_a_traced_value_that_is_the_same_in_all_examples_takes_part(name):
    def mapped(xs, n):
        return cv.vmap(SAME[name], (0, None), axis_name="i")(xs, n)

    xs, n = np.array([1.0, 2.0, 4.0]), 0.7
    want = cv.vmap(SAME[name], (0, 0), axis_name="i")(xs, np.full(3, n))  # the same as a value that varies
    np.testing.assert_allclose(mapped(xs, n), want, rtol=1e-14)
    np.testing.assert_allclose(cv.jit(mapped)(xs, n), want, rtol=1e-14)
    np.testing.assert_allclose(cv.make_graph(mapped)(xs, n)(xs, n), want, rtol=1e-14)
    step = 1e-6
    slope = (mapped(xs, n + step) - mapped(xs, n - step)).sum() / (2.0 * step)
    np.testing.assert_allclose(cv.grad(lambda n: mapped(xs, n).sum())(n), slope, rtol=1e-8)
    np.testing.assert_allclose(cv.jit(cv.grad(lambda n: mapped(xs, n).sum()))(n), slope, rtol=1e-8)


def test_collectives_over_two_mapped_axes_take_the_first_as_the_outermost():
    x = np.arange(6.0).reshape(2, 3)
    wide = np.random.default_rng(0).normal(size=(2, 3, 6))

    def twice(f, x):
        return cv.vmap(cv.vmap(f, axis_name="j"), axis_name="i")(x)

    both = ("i", "j")
    assert np.array_equal(twice(lambda v: cv.axis_index(both), x), x)
    assert np.array_equal(twice(lambda v: cv.axis_index(("j", "i")), x), np.arange(6).reshape(3, 2).T)
    assert np.array_equal(twice(lambda v: cv.all_gather(v, both), x), np.broadcast_to(np.arange(6), (2, 3, 6)))
    assert np.allclose(twice(lambda v: cv.psum_scatter(v, both), wide), wide.sum((0, 1)).reshape(2, 3))
    assert np.array_equal(twice(lambda v: cv.ppermute(v, both, [(k, (k + 1) % 6) for k in range(6)]), x),
                          np.roll(np.arange(6.0), 1).reshape(2, 3))
    with pytest.raises(ValueError, match=r"all_to_all takes one mapped axis, but got \('i', 'j'\)"):
        twice(lambda v: cv.all_to_all(v, both, 0, 0), wide)
