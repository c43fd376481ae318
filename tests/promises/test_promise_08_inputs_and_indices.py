"""Promise 8: NumPy's indexing semantics, and inputs of every layout."""

import numpy as np
import pytest

import covector

X = np.arange(12.0).reshape(3, 4)
WEIGHTS = np.linspace(1.0, 2.0, 12).reshape(3, 4)
MASK = X % 2 == 0
INDICES = [
    0, -1, (1, 2), slice(None, None, -1), (slice(None), slice(1, None, 2)), (Ellipsis, 1), None, (None, 0),
    [0, 0, 2], (slice(None), [1, 1, -1]), ([0, 2], [1, 3]), ([[0], [2]], [1, 3]), (slice(None), MASK[0]), MASK,
    (0, [1, 2]), ([0, 1], slice(None), None), np.array([], int), True, False, (MASK[:, 0], 1), np.array(1),
    (Ellipsis, MASK[0]), (Ellipsis, MASK[:, 0], slice(1, None)), (None, Ellipsis, MASK[0]), (0, Ellipsis, MASK[0]),
    (Ellipsis, MASK, None), (MASK[:, 0], Ellipsis, [1]),
]  # fmt: skip


def _loop_gradient(key):
    """By a one-hot tangent an element: the value itself, not our rules."""
    places = np.arange(12).reshape(3, 4)[key].reshape(-1)
    weights = np.arange(1.0, places.size + 1)
    out = np.zeros(12)
    np.add.at(out, places, weights)
    return out.reshape(3, 4)


@pytest.mark.parametrize("key", INDICES, ids=str)
def test_gradient_of_every_index_form(key):
    def fun(x):
        part = x[key]
        assert part.shape == X[key].shape
        flat = part.reshape(-1)
        return np.sum(flat * np.arange(1.0, flat.shape[0] + 1))

    np.testing.assert_array_equal(covector.grad(fun)(X), _loop_gradient(key))


@pytest.mark.parametrize("key", INDICES, ids=str)
def test_write_at_every_index_form(key):
    def fun(x, v):
        y = np.copy(x)
        y[key] = v
        return np.sum(y * WEIGHTS)

    value, (gx, gv) = covector.value_and_grad(fun, (0, 1))(X, 5.0)
    plain = X.copy()
    plain[key] = 5.0
    hit = np.zeros_like(X, bool)
    hit[key] = True
    assert value == np.sum(plain * WEIGHTS)
    np.testing.assert_array_equal(gx, np.where(hit, 0.0, WEIGHTS))
    np.testing.assert_allclose(gv, WEIGHTS[hit].sum())


@pytest.mark.parametrize("key", [3, -4, (0, 4), [0, 3], (slice(None), [4]), (0, 0, 0), 1.5, "a"], ids=str)
def test_what_numpy_refuses_is_refused(key):
    with pytest.raises(IndexError):
        X[key]
    with pytest.raises(IndexError):
        covector.grad(lambda x: np.sum(x[key]))(X)


def _memmap(tmp_path):
    out = np.memmap(tmp_path / "x", np.float64, "w+", shape=(3, 4))
    out[:] = X
    return out


def _read_only():
    out = X.copy()
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    "make",
    [lambda p: X[::-1, ::-1], lambda p: np.asfortranarray(X), lambda p: _read_only(), _memmap,
     lambda p: np.broadcast_to(X[0], (3, 4)), lambda p: X.astype(">f8"), lambda p: np.repeat(X, 2, 1)[:, ::2]],
    ids=["negative", "fortran", "read-only", "memory-mapped", "zero stride", "big-endian", "strided"],
)
def test_inputs_of_every_layout(make, tmp_path):
    x = make(tmp_path)

    def fun(x):
        return np.sum(np.sin(x) @ x.T) + np.sum(x[::2] * 2.0)

    plain = np.array(x, np.float64)
    got, want = covector.grad(fun)(x), covector.grad(fun)(plain)
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)
    assert got.flags.writeable and got.shape == x.shape
    tangent = covector.jvp(fun, (x,), (np.ones_like(plain).astype(x.dtype),))[1]
    np.testing.assert_allclose(tangent, want.sum(), rtol=1e-12)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_empty_inputs(shape):
    x = np.zeros(shape)
    g = covector.grad(lambda x: np.sum(np.sin(x) * x[..., ::-1]) + np.sum(x.T))(x)
    assert g.shape == shape
    assert covector.hessian(lambda x: np.sum(x**3))(x).shape == shape * 2
