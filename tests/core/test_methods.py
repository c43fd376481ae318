"""Methods and operators of traced values against `numpy.ndarray`'s."""

import operator

import numpy as np
import pytest

import covector

RNG = np.random.default_rng(5)
M = RNG.uniform(0.5, 1.5, (3, 4))
T = RNG.uniform(0.5, 1.5, (2, 3, 4))
METHODS = {
    "sum": lambda x: x.sum(axis=0, keepdims=True),
    "sum dtype": lambda x: x.sum(dtype=np.float32),
    "prod": lambda x: x.prod(1),
    "mean": lambda x: x.mean((0, 1)),
    "mean dtype": lambda x: x.mean(dtype=np.float32),
    "var": lambda x: x.var(0, ddof=1),
    "var dtype": lambda x: x.var(dtype=np.float32),
    "std": lambda x: x.std(1, keepdims=True),
    "max": lambda x: x.max(0),
    "min": lambda x: x.min(),
    "argmax": lambda x: x.argmax(1),
    "argmin": lambda x: x.argmin(),
    "all": lambda x: (x > 0.7).all(0) if isinstance(x, np.ndarray) else x.astype(float).__gt__(0.7).all(0),
    "cumsum": lambda x: x.cumsum(1),
    "cumsum flat": lambda x: x.cumsum(),
    "reshape": lambda x: x.reshape(2, -1),
    "reshape tuple": lambda x: x.reshape((6, 2)),
    "reshape F": lambda x: x.reshape((2, 6), order="F"),
    "ravel F": lambda x: x.ravel("F"),
    "flatten": lambda x: x.flatten(),
    "flatten F": lambda x: x.flatten(order="F"),
    "transpose": lambda x: x.transpose(),
    "transpose axes": lambda x: x.transpose(1, 0),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "squeeze": lambda x: x[None].squeeze(0),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "conj": lambda x: x.conj(),
    "clip": lambda x: x.clip(0.7, 1.1),
    "clip low": lambda x: x.clip(min=0.7),
    "round": lambda x: x.round(1),
    "take": lambda x: x.take([1, 2], axis=1),
    "take wrap": lambda x: x.take([1, 9], axis=1, mode="wrap"),
    "take clip": lambda x: x.take([1, 99], mode="clip"),
    "repeat": lambda x: x.repeat(2, axis=0),
    "diagonal": lambda x: x.diagonal(1),
    "trace": lambda x: x.trace(),
    "dot": lambda x: x.dot(M.T),
    "astype": lambda x: x.astype(np.float32),
    "astype int": lambda x: (x * 3).astype(int),
    "argsort": lambda x: x.argsort(0),
    "copy": lambda x: x.copy() * 2,
    "iteration": lambda x: np.stack([row * k for k, row in enumerate(x)]),
    "divmod": lambda x: divmod(x, 0.4)[1],
    "rdivmod": lambda x: divmod(3.0, x)[0],
    "round()": lambda x: round(x, 1) if not isinstance(x, np.ndarray) else np.round(x, 1),
}
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv, operator.mod,
             operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
KEYS = [
    0, -1, slice(1, 3), (slice(None), 1), (1, 2), (Ellipsis, 0), (None, 1), slice(None, None, -2),
    (0, slice(None), None),
    [0, 2, 2], np.array([[0, 1], [2, -1]]), (slice(None), [1, 1, 3]), ([0, 2], [1, 1]), ([[0], [2]], [1, 3]),
    (None, [0, 1]), ([0, 1], None, [2, 3]), ([0, 1], slice(1, 3)), np.array([True, False, True]), M > 1.0,
    (slice(None), np.array([True, False, True, True])), (np.array([True, True, False]), 0), (0, [1, 2]), np.True_,
    (Ellipsis, [0, 3]), [], (1, Ellipsis, [2, 2]),
]  # fmt: skip
KEYS_3D = [([0, 1], slice(None), [1, 2]), (slice(None), [0, 2], [1, 3]), (0, slice(None), [1, 1]),
           (slice(0, 1), 1, [0, 2]),
           (T[:, :, 0] > 1), (Ellipsis, [0, 1], None), ([[0, 1]], 0, [[1, 2]])]  # fmt: skip


def compare(f, x):
    """Value, dtype, shape, tangent and cotangent of `f` at `x`."""
    want = np.asarray(f(x))
    dx = RNG.normal(size=x.shape)
    out, tangent = covector.jvp(f, (x,), (dx,))
    np.testing.assert_allclose(out, want, rtol=1e-6 if want.dtype == np.float32 else 1e-13)
    assert np.asarray(out).dtype == want.dtype
    if want.dtype.kind != "f":
        return
    if want.dtype == np.float64:
        slope = (f(x + 1e-6 * dx) - f(x - 1e-6 * dx)) / 2e-6
        np.testing.assert_allclose(tangent, slope, rtol=1e-6, atol=1e-7)
    out, pullback = covector.vjp(f, x)
    w = RNG.normal(size=want.shape).astype(want.dtype)
    np.testing.assert_allclose(np.vdot(w, tangent), np.vdot(pullback(w)[0], dx), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", METHODS)
def test_method(name):
    compare(METHODS[name], M)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_operator_with_arrays_and_numbers_on_either_side(op):
    for f in (lambda x: op(x, 0.83 * M[::-1]), lambda x: op(0.91 * M[0], x), lambda x: op(x, 0.7), lambda x: op(0.7, x),
              lambda x: op(x, np.float64(0.7)), lambda x: op(np.float64(0.7), x), lambda x: op(x, 2),
              lambda x: op(x, 1.07 * x.T[0, 0])):
        compare(f, M)


def test_matmul_on_either_side():
    compare(lambda x: x @ M.T, M)
    compare(lambda x: M.T @ x, M)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_every_form_of_index(key):
    compare(lambda x: x[key], M)


@pytest.mark.parametrize("key", KEYS_3D, ids=str)
def test_index_of_three_axes(key):
    compare(lambda x: x[key], T)


@pytest.mark.parametrize("key", [3, (0, 4), [0, 3], (0, 0, 0), np.array([True, False]), ([0, -4],), 1.0, "a"], ids=str)
def test_wrong_index_raises_as_numpy_does(key):
    with pytest.raises((IndexError, TypeError)):
        M[key]
    with pytest.raises((IndexError, TypeError)):
        covector.grad(lambda x: x[key].sum())(M)


def test_sort_and_fill_write_in_place():
    def f(x):
        y = x.copy()
        y.sort(axis=1)
        z = x.copy()
        z.fill(2.0)
        return (y * np.arange(4.0)).sum() + z.sum()

    g = covector.grad(f)(M)
    np.testing.assert_array_equal(g, np.argsort(np.argsort(M, axis=1), axis=1))


@pytest.mark.parametrize(
    "use", [float, int, complex, np.asarray, lambda x: x.item(), lambda x: x.tolist(), lambda x: np.zeros(3)[x]],
)  # fmt: skip
def test_conversion_is_refused(use):
    with pytest.raises((TypeError, IndexError)):
        covector.grad(lambda x: use(x) * x)(1.0)


@pytest.mark.parametrize("other", [None, "a", object(), {}, print], ids=lambda other: type(other).__name__)
def test_what_is_no_number_equals_no_element(other):
    def f(x):
        return x == other, x != other, other == x

    for x in (M, np.float64(2.0), np.arange(3)):
        for wanted, found in zip(f(x), covector.jit(f)(x), strict=True):
            assert type(found) in (np.ndarray, np.bool_) and np.shape(found) == np.shape(x)
            assert np.array_equal(found, np.broadcast_to(wanted, np.shape(x)))
    assert covector.grad(lambda x: np.sum((x != other) * x))(M).tolist() == np.ones_like(M).tolist()
    assert covector.vmap(lambda x: (x == other) | (x > 1))(M).tolist() == (M > 1).tolist()


@pytest.mark.parametrize("write", [operator.iadd, operator.imul, operator.ifloordiv, operator.ipow, operator.iand,
                                   lambda x, y: np.add(x, y, out=x)])
@pytest.mark.parametrize("left", "?bBlL")
@pytest.mark.parametrize("right", ["?", "b", "B", "l", True, 1])
def test_writes_cast_as_those_of_numpy_or_are_refused(write, left, right):
    y = np.ones(3, right) if isinstance(right, str) else right

    def f(x):
        x = x.copy()
        return write(x, y)

    x = np.ones(3, left)
    for traced in (covector.jit(f), lambda x: covector.vmap(f)(x[None])[0]):
        try:
            wanted = f(x)
        except TypeError:
            with pytest.raises(TypeError, match="test_methods"):
                traced(x)
        else:
            found = traced(x)
            assert found.dtype == wanted.dtype and np.array_equal(found, wanted)
