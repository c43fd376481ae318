"""Writing in place to traced buffers: values as NumPy's, gradients as of the functional rewriting."""

import numpy as np
import pytest

import covector
import covector.numpy as cnp

RNG = np.random.default_rng(11)
X = RNG.uniform(0.5, 1.5, (3, 4))


def w_scalar(y, x):
    y[1, 2] = x[0, 0]


def w_row(y, x):
    y[0] = x[1] * 2


def w_column(y, x):
    y[:, 1] = x[:, 0] ** 2


def w_broadcast(y, x):
    y[1:] = x[0]


def w_constant(y, x):
    y[1:, ::2] = 3.0


def w_all(y, x):
    y[...] = x * x


def w_negative_step(y, x):
    y[::-1, 0] = x[:, 3]


def w_fancy(y, x):
    y[[0, 2]] = x[[1, 1]]


def w_fancy_pairs(y, x):
    y[[0, 2], [1, 3]] = x[0, :2]


def w_duplicates(y, x):
    y[[0, 0, 1], 2] = x[:, 0]


def w_mask(y, x):
    y[X > 1.0] = x[0, 0]


def w_mask_values(y, x):
    y[X > 1.0] = x[X > 1.0] * 2


def w_mixed(y, x):
    y[1:, [0, 2]] = x[:2, [3, 1]]


def w_newaxis(y, x):
    y[None, 0] = x[2]


def a_add(y, x):
    y += x


def a_sub_broadcast(y, x):
    y -= x[0]


def a_mul(y, x):
    y *= x


def a_div(y, x):
    y /= x


def a_pow(y, x):
    y **= 2


def a_part(y, x):
    y[0] += x[1]


def a_part_twice(y, x):
    y[0] *= x[1]
    y[0] *= y[1]


def a_fancy(y, x):
    y[[0, 1]] += x[[2, 2]]


def a_add_at(y, x):
    np.add.at(y, [0, 0, 2], x)


def a_out(y, x):
    np.multiply(x, y, out=y)


def v_row(y, x):
    row = y[1]
    row[2] = x[0, 0]
    row += x[2]


def v_of_view(y, x):
    part = y[1:][:, ::2]
    part[0] = x[0, :2]


def v_transposed(y, x):
    y.T[1] = x[:, 0]


def v_reshaped(y, x):
    y.reshape(-1)[5] = x[0, 0] * 3


def v_flipped(y, x):
    y[::-1][0] = x[0]


def v_read_after_base(y, x):
    row = y[0]
    y[0, 1] = x[1, 1]
    y[2] = row * 2


def v_two_views(y, x):
    a, b = y[0], y[:, 0]
    a[0] = x[1, 1]
    b *= 2.0
    a += b[0]


def v_ravel(y, x):
    flat = y.ravel()
    flat[3:6] = x[0, :3]


def v_swapped(y, x):
    y.swapaxes(0, 1)[0] = x[:, 2]


def m_sort(y, x):
    y.sort(axis=0)


def m_fill(y, x):
    y[0].fill(2.0)


def s_overlap(y, x):
    y[1:] = y[:-1]


def s_self(y, x):
    y[0] = y[1] * y[0]


def s_loop(y, x):
    for i in range(1, 3):
        y[i] = y[i - 1] * x[i] + y[i]


def put_along(y, x):
    np.put_along_axis(y, np.array([[0, 2, 1, 0]]), x[:1], axis=0)


def put_flat(y, x):
    np.put(y, [0, 5], x[0, :2])


def copy_to(y, x):
    np.copyto(y, x * 2)


FORMS = [f for name, f in list(globals().items()) if name[:2] in ("w_", "a_", "v_", "m_", "s_") or name in (
    "put_along", "put_flat", "copy_to")]  # fmt: skip
STARTS = {
    "copy": lambda x: np.copy(x),
    "method": lambda x: x.copy(),
    "computed": lambda x: x * 1.5,
    "zeros_like": lambda x: np.zeros_like(x) + 0.5 if isinstance(x, np.ndarray) else _plus_half(np.zeros_like(x)),
    "transposed": lambda x: np.copy(x.T).T,
}


# What is computed is no buffer: it becomes one when it is written to, or through its only view; more live views refuse.
REFUSED = {
    "computed": ["v_of_view", "v_read_after_base", "v_two_views", "s_overlap"],
    "transposed": ["v_reshaped", "v_ravel"],
}  # fmt: skip


def _plus_half(y):
    y[...] = 0.5
    return y


def run(form, start, x):
    y = STARTS[start](x)
    before = y * 1.0  # a value read before the write must not see it
    form(y, x)
    return np.sum(y * W) + 0.1 * np.sum(before * before) + np.sum(x)


W = RNG.uniform(0.5, 1.5, (3, 4))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_write(form, start):
    def f(x):
        return run(form, start, x)

    want = f(X)
    if form.__name__ in REFUSED.get(start, ()):
        with pytest.raises(RuntimeError, match="copy"):
            covector.grad(f)(X)
        return
    dx = RNG.normal(size=X.shape)
    slope = (f(X + 1e-6 * dx) - f(X - 1e-6 * dx)) / 2e-6
    value, gradient = covector.value_and_grad(f)(X)
    np.testing.assert_allclose(value, want, rtol=1e-13)
    np.testing.assert_allclose(np.vdot(gradient, dx), slope, rtol=1e-6, atol=1e-7)
    out, tangent = covector.jvp(f, (X,), (dx,))
    np.testing.assert_allclose(out, want, rtol=1e-13)
    np.testing.assert_allclose(tangent, slope, rtol=1e-6, atol=1e-7)
    second = covector.jvp(covector.grad(f), (X,), (dx,))[1]
    differences = (covector.grad(f)(X + 1e-6 * dx) - covector.grad(f)(X - 1e-6 * dx)) / 2e-6
    np.testing.assert_allclose(second, differences, rtol=1e-5, atol=1e-6)


# Under vmap, set at repeated or masked places is allowed only where the places are not batched: here they never are.
@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_write_under_vmap(form):
    xs = np.stack([X, X[::-1]])
    got = covector.vmap(lambda x: run(form, "copy", x))(xs)
    np.testing.assert_allclose(got, [run(form, "copy", x) for x in xs], rtol=1e-12)


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


def test_shared_memory_that_cannot_be_followed_is_refused():
    def f(x):
        y = x * 2.0
        row = y[0]
        y[0] = 1.0
        return np.sum(row) + np.sum(y)

    with pytest.raises(RuntimeError, match="copy"):
        covector.grad(f)(X)


@pytest.mark.parametrize("view", [lambda y: y[0], lambda y: y.T, lambda y: y.reshape(-1), lambda y: y[0][1:]])
def test_write_waits_until_no_view_is_left(view):
    def f(x, keep):
        y = x * 2.0
        part = view(y)
        total = np.sum(part * part)
        if not keep:
            del part
        y[0] = x[1] ** 2
        return total + np.sum(y)

    dx = RNG.normal(size=X.shape)
    slope = (f(X + 1e-6 * dx, False) - f(X - 1e-6 * dx, False)) / 2e-6
    np.testing.assert_allclose(np.vdot(covector.grad(lambda x: f(x, False))(X), dx), slope, rtol=1e-6)
    with pytest.raises(RuntimeError, match="copy"):
        covector.grad(lambda x: f(x, True))(X)


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


@pytest.mark.parametrize("f", [fill, recurrence])
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
