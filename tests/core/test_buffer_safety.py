"""What writes must not do: touch user arrays, cross transforms, hide from views, drop derivatives, cost O(n²)."""

import numpy as np
import pytest

import covector
import covector.numpy as cnp

RNG = np.random.default_rng(11)
X = RNG.uniform(0.5, 1.5, (3, 4))


def test_user_array_is_untouched():
    x = X.copy()

    def f(x):
        y = np.copy(x)
        y[0] = 0.0
        x[1] = 5.0
        return np.sum(x) + np.sum(y)

    covector.grad(f)(x)
    np.testing.assert_array_equal(x, X)


def test_traced_argument_may_be_written_to():
    def f(x):
        x[0] = 2 * x[1]
        return np.sum(x * x)

    want = 2 * X
    want[1] += 8 * X[1]
    want[0] = 0
    np.testing.assert_allclose(covector.grad(f)(X), want)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("view", [lambda y: y[0], lambda y: y.T, lambda y: y.reshape(-1), lambda y: y[0][1:]])
def test_a_write_is_seen_by_the_views_that_are_left(view, keep):
    def f(x):
        y = x * 2.0
        part = view(y)
        total = np.sum(part * part)
        if not keep:
            part = np.zeros(3)
        y[0] = x[1] ** 2
        return total + np.sum(y) + np.sum(part**3)

    dx = RNG.normal(size=X.shape)
    slope = (f(X + 1e-6 * dx) - f(X - 1e-6 * dx)) / 2e-6
    np.testing.assert_allclose(np.vdot(covector.grad(f)(X), dx), slope, rtol=1e-6)
    np.testing.assert_allclose(covector.jvp(f, (X,), (dx,))[1], slope, rtol=1e-6)


def test_inner_value_into_an_outer_buffer_is_refused():
    def f(x):
        y = np.zeros_like(x)

        def inner(z):
            y[0] = z
            return z * z

        return covector.grad(inner)(x[0, 0]) + np.sum(y)

    with pytest.raises(TypeError, match="inside the transformed function"):
        covector.grad(f)(X)


def test_plain_array_takes_no_traced_value():
    plain = np.zeros(4)

    def assign(x):
        plain[0] = x[0, 0]
        return x.sum()

    def add(x):
        y = np.zeros(4)
        y += x[0]
        return y.sum()

    for f in (assign, add):
        with pytest.raises((TypeError, ValueError)) as caught:  # NumPy wraps ours where it asks for a float
            covector.grad(f)(X)
        assert "zeros_like" in str(caught.value) + str(caught.value.__cause__)


def test_derivative_is_never_cast_away():
    with pytest.raises(TypeError, match="dtype"):
        covector.grad(lambda x: _into(np.zeros(4, int, like=x), x))(X)
    with pytest.raises(TypeError, match="dtype"):
        covector.grad(lambda x: np.real(np.sum(_into(np.zeros_like(x[0]), x * 1j))))(X)


def _into(y, x):
    y[...] = x[0]
    return np.sum(y)


def test_wrong_shape_and_place_raise_and_change_nothing():
    def f(x):
        y = np.copy(x)
        for key, value in ((0, x[:, 0]), (7, 1.0), ((0, 0, 0), 1.0), ([9], 1.0)):
            with pytest.raises((ValueError, IndexError)):
                y[key] = value
        return np.sum(y)

    np.testing.assert_array_equal(covector.grad(f)(X), np.ones_like(X))


def _count(monkeypatch, n, f):
    """How many array elements index_update and the sweep's buffers copy for n writes."""
    copied = [0]
    array, zeros = np.array, np.zeros

    def counted(maker):
        def make(*args, **kwargs):
            out = maker(*args, **kwargs)
            copied[0] += out.size
            return out

        return make

    with monkeypatch.context() as patch:
        patch.setattr(np, "array", counted(array))
        patch.setattr(np, "zeros", counted(zeros))
        covector.grad(f)(RNG.normal(size=n))
    return copied[0]


def fill(x):
    y = np.zeros_like(x)
    for i in range(x.size):
        y[i] = x[i] * 2.0
    return np.sum(y)


def recurrence(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, x.size):
        y[i] = y[i - 1] * 0.5 + x[i]
    return np.sum(y)


def rows(x):
    y = np.zeros_like(x, shape=(x.size // 4, 4))
    for i in range(1, len(y)):
        y[i] = np.sin(y[i - 1]) * x[i]  # the pullback keeps the row
    return np.sum(y)


@pytest.mark.parametrize("f", [fill, recurrence, rows])
def test_n_reads_and_writes_copy_o_of_n_elements(f, monkeypatch):
    few, many = _count(monkeypatch, 500, f), _count(monkeypatch, 1000, f)
    assert many < 3 * few + 2000, (few, many)


@pytest.mark.slow
@pytest.mark.parametrize("f", [fill, recurrence])
def test_ten_thousand_writes(f):
    x = RNG.normal(size=10_000)
    g = covector.grad(f)(x)
    assert g.shape == x.shape
    np.testing.assert_allclose(g[-1], 2.0 if f is fill else 1.0)
    np.testing.assert_allclose(g[0], 2.0)


def test_copy_of_a_buffer_is_its_own():
    def f(x):
        y = cnp.zeros_like(x)
        y[0] = x[0]
        z = y.copy()
        y[0] = 0.0
        return np.sum(z)

    np.testing.assert_array_equal(covector.grad(f)(X)[0], np.ones(4))


@pytest.mark.parametrize("n", [4, 10_000])
def test_what_was_read_before_a_write_stays_as_it_was(n):
    def f(x):
        y = np.zeros(n, like=x)
        y[1] = 3.0
        seen = np.sum(x * y)  # the pullback needs these contents, of which nobody else knows
        y[0] = 5.0
        y[1] = 7.0
        return seen

    gradient = covector.grad(f)(np.ones(n))
    assert gradient[1] == 3.0 and np.count_nonzero(gradient) == 1


@pytest.mark.parametrize("part", [0, slice(0, 2), slice(0, 9), (slice(None), 1), ...])
@pytest.mark.parametrize("transform", [covector.grad, covector.jacfwd, lambda f: covector.grad(
    lambda x: np.sum(covector.grad(f)(x)))])
def test_parts_of_a_buffer_that_writes_follow_keep_what_was_read(transform, part):
    def f(x, write=True):
        y = np.zeros((10, 3), like=x)
        y[:] = x
        y[0] = x[1] ** 2
        seen = y[part] * y[part]
        if write:
            y[0] = 7.0
            y[:, 1] = y[:, 1] * 3.0
        return np.sum(np.sin(seen))

    x = RNG.normal(size=(10, 3))
    np.testing.assert_array_equal(transform(f)(x), transform(lambda x: f(x, False))(x))
