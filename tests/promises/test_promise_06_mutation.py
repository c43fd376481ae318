"""Promise 6: arrays written to between the forward run and the pullback are copied if small, noticed if large."""

import numpy as np
import pytest

import covector
from covector.core.errors import MutationError

LARGE = 5000  # elements: above 32 KiB, up to which inputs are copied


def test_small_inputs_and_captured_arrays_are_copied():
    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    _, pullback = covector.vjp(lambda x: np.sum(x * x * w), x)
    x[:], w[:] = 100.0, 100.0
    assert pullback(1.0)[0].tolist() == [6.0, 16.0]


@pytest.mark.parametrize("which", ["input", "captured"])
def test_write_to_a_large_array_is_noticed(which):
    x, w = np.ones(LARGE), np.ones(LARGE)
    _, pullback = covector.vjp(lambda x: np.sum(x * x * w), x)
    pullback(1.0)
    (x if which == "input" else w)[:] = 2.0
    with pytest.raises(RuntimeError, match=r"shape \(5000,\).*float64"):
        pullback(1.0)


def test_write_inside_the_function_is_noticed():
    w = np.ones(LARGE)

    def fun(x):
        y = np.sum(x * w)
        w[:] = 5.0
        return y

    with pytest.raises(RuntimeError, match="written"):
        covector.grad(fun)(np.ones(LARGE))


def test_write_to_a_view_of_a_captured_array_is_noticed():
    base = np.ones((2, LARGE))
    _, pullback = covector.vjp(lambda x: np.sum(x * base[0]), np.ones(LARGE))
    base[:, ::2] = 3.0
    with pytest.raises(RuntimeError, match="written"):
        pullback(1.0)


def test_one_byte_is_noticed_in_debug_mode():
    with covector.debug_mutation():
        w = np.ones(LARGE)
        _, pullback = covector.vjp(lambda x: np.sum(x * w), np.ones(LARGE))
        w[1] = np.nextafter(1.0, 2.0)
        with pytest.raises(RuntimeError, match="written"):
            pullback(1.0)


def test_write_to_the_answer_does_not_reach_the_pullback():
    out, pullback = covector.vjp(lambda x: np.exp(x), np.zeros(3))
    out[:] = 7.0
    assert pullback(np.ones(3))[0].tolist() == [1.0, 1.0, 1.0]


LATER = {
    "checkpoint": lambda f, x: covector.vjp(covector.checkpoint(f), x)[1],
    "checkpoint of a gradient": lambda f, x: covector.vjp(
        lambda x: covector.jvp(covector.checkpoint(f), (x,), (np.ones_like(x),))[1], x)[1],
    "pullback of a graph": lambda f, x: covector.vjp(covector.make_graph(f)(x), x)[1],
    "tangent map": lambda f, x: covector.linearize(f, x)[1],
    "transposed function": lambda f, x: covector.linear_transpose(lambda x: x * f(np.ones_like(x)), x),
    "graph": lambda f, x: covector.make_graph(f)(x),
    "loop of a graph": lambda f, x: covector.make_graph(
        lambda x: covector.scan(lambda c, _: (f(c), None), x, None, length=2)[0])(x),
}  # fmt: skip


@pytest.mark.parametrize("n", [3, LARGE])
@pytest.mark.parametrize("name", LATER)
def test_captured_arrays_of_what_runs_later_are_kept_too(name, n):
    w, x = np.full(n, 3.0), np.linspace(0.1, 0.9, n)
    later = LATER[name](lambda x: np.sin(x) * w, x)
    wanted = covector.tree.leaves(later(np.ones(n)))[0]
    w[:] = 5.0
    try:
        found = covector.tree.leaves(later(np.ones(n)))[0]
    except MutationError:
        assert n == LARGE
    else:
        np.testing.assert_array_equal(found, wanted)


def test_memory_mapped_inputs_are_kept_too(tmp_path):
    for n in (3, LARGE):
        x = np.memmap(tmp_path / "x", float, "w+", shape=n)
        x[:] = 2.0
        _, pullback = covector.vjp(lambda x: x * x * x, x)
        x[:] = 5.0
        if n == 3:
            assert pullback(np.ones(n))[0].tolist() == [12.0] * n
        else:
            with pytest.raises(RuntimeError, match="written"):
                pullback(np.ones(n))
