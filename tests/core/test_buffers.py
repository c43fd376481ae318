"""Writing in place to traced buffers: values as NumPy's, gradients as of the functional rewriting."""

import numpy as np
import pytest

import covector

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
