"""Promise 7: gradients are ordinary writable arrays that share memory with nothing."""

import itertools

import numpy as np
import pytest

import covector

A, B = np.array([[1.0, 2.0, 3.0]]), np.array([[4.0, 5.0, 6.0]])
FUNCTIONS = {
    "identity": lambda x, y: x,
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "reshape": lambda x, y: x.reshape(3) + y.reshape(3),
    "transpose": lambda x, y: x.T + y.T,
    "broadcast": lambda x, y: np.broadcast_to(x, (2, 3)) + y,
    "index": lambda x, y: x[:, ::-1] + y[:, :3],
    "swapped": lambda x, y: (y, x),
    "twice": lambda x, y: (x, x),
    "sum": lambda x, y: x.sum() + y.sum(),
    "unused": lambda x, y: x * 2.0,
    "concatenate": lambda x, y: np.concatenate([x, y]),
    "cast": lambda x, y: x + y.astype(np.complex64 if y.dtype.kind == "c" else np.float32),
}


def _leaves(tree):
    return list(itertools.chain(*map(_leaves, tree))) if isinstance(tree, (tuple, list)) else [tree]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_cotangents_share_memory_with_nothing(name, dtype):
    x, y = A.astype(dtype), B.astype(dtype)
    out, pullback = covector.vjp(FUNCTIONS[name], x, y)
    ones = [np.ones(np.shape(v), v.dtype) for v in _leaves(out)]
    cts = tuple(ones) if isinstance(out, tuple) else ones[0]
    first, second = pullback(cts), pullback(cts)
    arrays = [*first, *second]
    for c, like in zip(arrays, (x, y, x, y)):
        assert type(c) is np.ndarray and c.shape == like.shape and c.dtype == like.dtype
        assert c.flags.writeable and c.base is None
    for a, b in itertools.combinations([*arrays, x, y, *ones], 2):
        assert not np.shares_memory(a, b) or (a is b)
    kept = [c.copy() for c in second]
    for c in first:
        c[...] = 99.0
    assert all((a == b).all() for a, b in zip(kept, second))


@pytest.mark.parametrize("x", [2.0, np.float32(2.0), np.array(2.0), np.array([2.0])[0]])
def test_scalars_give_0d_arrays(x):
    g = covector.grad(lambda x: x * x)(x)
    assert type(g) is np.ndarray and g.shape == () and g.flags.writeable and g == 4.0
    assert g.dtype == np.asarray(x).dtype


def test_gradient_does_not_share_with_the_input_it_is_equal_to():
    x = np.ones(3)
    value, g = covector.value_and_grad(lambda x: np.sum(0.5 * x * x))(x)
    assert not np.shares_memory(x, g)


HANDED_THROUGH = {
    "itself": lambda x: x, "turned": lambda x: x.T, "part": lambda x: x[1:],
    "spread": lambda x: np.broadcast_to(x, (2, 3, 3)), "twice": lambda x: (x, x.reshape(9)),
    "sum": lambda x: x + 0.0, "constant": lambda x: (x, np.ones(3)),
}  # fmt: skip


@pytest.mark.parametrize("name", HANDED_THROUGH)
def test_tangents_are_arrays_of_their_own(name):
    fun, x, t = HANDED_THROUGH[name], np.eye(3), np.arange(9.0).reshape(3, 3)
    for tangents in (covector.jvp(fun, (x,), (t,))[1], covector.linearize(fun, x)[1](t)):
        found = covector.tree.leaves(tangents)
        for k, part in enumerate(found):
            assert part.flags.writeable
            assert not any(np.shares_memory(part, other) for other in (x, t, *found[:k]))


JACOBIANS = {
    "sum of two": lambda a, b: a + b, "both": lambda a, b: (a, b, a), "twice": lambda a, b: (a + b, a + b),
    "reduced": lambda a, b: np.sum(a + b), "reduced and kept": lambda a, b: np.sum(a, keepdims=True),
    "spread": lambda a, b: np.broadcast_to(np.sum(a), (4,)), "over no axis": lambda a, b: np.sum(a, axis=()) + b,
    "mean": lambda a, b: np.mean(a) + np.mean(b), "constant": lambda a, b: np.ones(2), "itself": lambda a, b: a,
}  # fmt: skip


@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("jacobian", [covector.jacrev, covector.jacfwd, covector.jacobian])
@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_are_arrays_of_their_own(name, jacobian, n):
    x, y = np.ones(n), np.ones(n)
    blocks = covector.tree.leaves(jacobian(JACOBIANS[name], (0, 1))(x, y))
    assert_apart(blocks, x, y)


def test_derivatives_under_vmap_are_arrays_of_their_own():
    x, t = np.ones((3, 4)), np.full((3, 4), 2.0)
    loss = lambda a, b: np.sum(np.sin(a + b))  # noqa: E731 - both gradients are one array inside
    assert_apart(covector.vmap(covector.grad(loss, (0, 1)))(x, x), x)
    pulled = covector.vmap(lambda a, ct: covector.vjp(lambda a: (a, 1.0 * a), a)[1]((ct, ct)))(x, t)
    assert_apart(pulled, x, t)
    pushed = covector.vmap(lambda a, da: covector.jvp(lambda a: (a, a, np.broadcast_to(a, (2, 4))), (a,), (da,))[1])
    assert_apart(pushed(x, t), x, t)


def test_tangent_maps_give_constants_anew():
    tangent_map = covector.linearize(lambda x: (x, np.ones(3)), np.ones(3))[1]
    first = tangent_map(np.ones(3))
    first[1][...] = 7.0
    assert_apart([*first, *tangent_map(np.ones(3))])
    assert tangent_map(np.ones(3))[1].tolist() == [0.0, 0.0, 0.0]


def assert_apart(arrays, *given):
    arrays = list(arrays)
    for k, a in enumerate(arrays):
        assert type(a) is np.ndarray and a.flags.writeable and (a.size < 2 or 0 not in a.strides)
        assert not any(np.shares_memory(a, b) for b in (*arrays[:k], *given))
