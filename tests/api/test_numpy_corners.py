"""Calls at the corners of NumPy's functions: traced values answer, and refuse, as plain ones do."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp
from covector.core.errors import DtypeError

V = np.array([0.5, 1.5, -2.0, 3.0])
M = np.arange(12.0).reshape(2, 2, 3) / 7


def _doubled(vector, width, axis, options):
    """Writes what the next element inside is, doubled."""
    before, after = width
    if before:
        vector[:before] = 2 * vector[before]
    if after:
        vector[-after:] = 2 * vector[-after - options["step"]]


CALLS = {
    "average of axes in another order": lambda x: np.average(x, axis=(2, 0), weights=M[0].T),
    "cov of one row whose columns are variables": lambda x: np.cov(x[:1, 0], rowvar=False, ddof=0),
    "cov with itself": lambda x: np.cov(x[0], x[0], rowvar=False),
    "cov of two rows": lambda x: np.cov(x[0], x[1, :1], rowvar=True),
    "cross in the plane": lambda x: np.cross(x[..., :2], x[..., 1:]),
    "cross of plane and space": lambda x: np.cross(x[..., :2], x),
    "cross of space and plane": lambda x: np.cross(x, x[..., 1:], axisc=0),
    "nothing left to trim, front": lambda x: np.trim_zeros(x[0, 0] * 0, "f"),
    "nothing left to trim, back of one axis": lambda x: np.trim_zeros(x[0] * 0, "b", axis=1),
    "NaN made infinite": lambda x: np.nan_to_num(x / 0.0, nan=np.inf, posinf=999.0),
    "small integers stay small": lambda x: np.sum(x * 9, axis=1, dtype="i4"),
    "small integers stay small in a running product": lambda x: np.cumprod(x * 9, axis=1, dtype=np.int8),
    "truths of a running sum": lambda x: np.cumsum(x, axis=0, dtype=bool),
    "small integers stay small in methods": lambda x: x[0].trace(dtype="u1"),
    "small integers stay small in ufuncs": lambda x: np.add.reduce(x * 9, 2, "i2"),
    "a shape in an array": lambda x: np.broadcast_to(x, np.array([2, *x.shape])),
    "axes in an array": lambda x: np.flip(np.median(x, np.array([0, 2])), np.array([0])),
    "pad by a function": lambda x: np.pad(x, ((1, 2), (0, 1), (2, 0)), _doubled, step=1),
    "pad with constants in an array": lambda x: np.pad(x[0], 1, constant_values=np.array([[1.0, 2], [3, 4]])),
    "NaN of complex values made infinite": lambda x: np.nan_to_num(np.full(2, np.nan + 1j) * x[0, 0, :2], nan=np.inf),
    "variance of what a mask leaves": lambda x: np.var(np.where(x > 1, np.nan, x), axis=0, where=x <= 1),
    "dtypes among arrays": lambda x: np.zeros(2, np.result_type(x, np.dtype("c8"), np.float32)),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_traced_values_are_numpys(name):
    want = CALLS[name](M)
    for found in (cv.jvp(CALLS[name], (M,), (M,))[0], cv.vjp(CALLS[name], M)[0],
                  cv.vmap(CALLS[name])(np.stack([M, M]))[1] if "trim" not in name else want):
        assert (found.shape, found.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(found, want, rtol=1e-12)


def test_what_is_outside_of_interp_has_the_same_derivative_both_ways():
    tangents = np.ones(()), np.arange(3.0), np.array([2.0, 5.0, 7.0])
    for x in (np.nan, np.inf, -np.inf, -1.0, 4.0, 0.0, 2.0):
        primals = np.asarray(x), np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, -1.0])
        forward = cv.jvp(np.interp, primals, tangents)[1]
        gradients = cv.vjp(np.interp, *primals)[1](np.ones(()))
        np.testing.assert_allclose(forward, sum((g * t).sum() for g, t in zip(gradients, tangents)))
        assert np.isfinite(forward)


KNOTS = [-np.inf, np.inf], [-np.inf, 1.0], [0.0, np.inf], [-np.inf, 0.0, 1.0, np.inf]
VALUES = [0.0, 10.0, 3.0, 2.0], [10.0] * 4, [np.inf] * 4, [-np.inf, 5.0, 5.0, 1.0], [5.0, np.inf, -np.inf, 2.0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("knots", KNOTS)
@pytest.mark.parametrize("scale", [1.0, 2 - 1j])
def test_interp_between_infinite_points_is_numpys(knots, values, scale):
    x = np.array([0.5, -np.inf, np.inf, 1.0, 0.0, -3.0])
    operands = x, np.array(knots), np.array(values[: len(knots)]) * scale
    want = np.interp(*operands)
    np.testing.assert_array_equal(cv.vjp(np.interp, *operands)[0], want)
    np.testing.assert_array_equal(cv.vmap(np.interp)(*[v[None] for v in operands])[0], want)
    if np.isfinite(values).all():
        assert np.isfinite(cv.vjp(np.interp, *operands)[1](np.ones(6, want.dtype))[2]).all()


def test_masked_nan_is_left_out_of_a_variance_both_ways():
    x, mask = np.array([1.0, np.nan, 3.0, 5.0]), np.array([True, False, True, True])
    for name in ("var", "std", "mean", "sum"):
        gradient = cv.grad(lambda x: getattr(np, name)(x, where=mask))(x)
        kept = cv.grad(lambda x: getattr(np, name)(x))(x[mask])
        np.testing.assert_allclose(gradient, np.insert(kept, 1, 0.0))


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nansum"])
def test_a_traced_mask_of_plain_values_keeps_numpys_shape(name):
    call = getattr(np, name)
    masks = np.array([[[True, False, True], [False, True, True]], [[True, True, True], [True, True, False]]])
    found = cv.vmap(lambda mask: call(np.arange(6).reshape(2, 3), where=mask))(masks)
    np.testing.assert_allclose(found, [call(np.arange(6).reshape(2, 3), where=mask) for mask in masks])


def test_pad_by_a_function_and_by_traced_constants_have_derivatives():
    check = cv.testing.check_grads
    x = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, 3.0]])
    check(lambda x: np.pad(x, ((1, 2), (0, 1)), _doubled, step=1) ** 2, (x,), order=2)
    check(lambda t: cnp.pad(x, 1, constant_values=(t, t * t)), (np.array(0.5),), order=2)
    check(lambda x, c: np.pad(x, 2, "linear_ramp", end_values=c), (x, np.array([[1.0, 2.0], [3.0, 4.0]])), order=2)


@pytest.mark.parametrize("method", ["linear", "hazen", "weibull", "median_unbiased", "normal_unbiased",
                                    "interpolated_inverted_cdf"])
def test_quantiles_of_a_traced_q(method):
    x, holes = np.array([0.3, 2.0, -1.0, 0.9, 4.0]), np.array([0.3, np.nan, 2.0, -1.0, 0.9, 4.0])
    for q in (np.array([0.05, 0.31, 0.52, 0.93]), np.array(0.37)):
        want = np.quantile(x, q, method=method)
        for name, data in (("quantile", x), ("nanquantile", holes)):
            call = getattr(np, name)
            np.testing.assert_allclose(cv.vjp(lambda q: call(data, q, method=method), q)[0], want, rtol=1e-14)
            np.testing.assert_allclose(cv.make_graph(lambda q: call(data, q, method=method))(q)(q), want, rtol=1e-14)
        cv.testing.check_grads(lambda x, q: np.quantile(x, q, method=method), (x, q), order=1)
    t = np.array(0.3)
    np.testing.assert_allclose(cv.vjp(lambda t: cnp.nanquantile(holes, [t, 2 * t], method=method), t)[0],
                               np.quantile(x, [0.3, 0.6], method=method))


CLOSURES = {
    "apply_along_axis": lambda t: cnp.apply_along_axis(lambda v: v * t, 0, M[0]),
    "vectorize": lambda t: cnp.vectorize(lambda a: a * t)(V),
    "vectorize with a signature": lambda t: cnp.vectorize(lambda a: a * t, signature="(n)->(n)")(M[0]),
    "piecewise": lambda t: cnp.piecewise(V, [V > 0], [lambda v: v * t, lambda v: v - t]),
    "fromfunction": lambda t: cnp.fromfunction(lambda i, j: i * t + j, (2, 3)),
    "apply_over_axes": lambda t: cnp.apply_over_axes(lambda a, axis: a.sum(axis) * t, M, [0, 1]),
}


@pytest.mark.parametrize("name", CLOSURES)
def test_functions_of_plain_values_may_close_over_traced_ones(name):
    call = CLOSURES[name]
    np.testing.assert_allclose(cv.vjp(call, np.array(1.5))[0], call(1.5))
    np.testing.assert_allclose(cv.vmap(call)(np.array([1.5, 2.0]))[1], call(2.0))
    cv.testing.check_grads(call, (np.array(1.5),), order=2)


def test_errors_of_functions_of_plain_values_go_on():
    for call in (lambda f: cnp.vectorize(f)(V), lambda f: cnp.piecewise(V, [V > 0], [f]),
                 lambda f: cnp.apply_along_axis(f, 0, V)):
        with pytest.raises(ValueError, match="invalid literal"):
            call(lambda v: int("x"))


WRONG = {
    "quantile beyond 1": (ValueError, lambda x: np.quantile(V, x[0] * 4)),
    "percentile that is NaN": (ValueError, lambda x: np.percentile(V, x[0] * np.nan)),
    "weights of too many axes": (RuntimeError, lambda x: np.cov(x, aweights=np.ones((2, 2)))),
    "a power of what is not square": (np.linalg.LinAlgError, lambda x: np.linalg.matrix_power(x[:, None], 2)),
    "the inverse of what is not square": (np.linalg.LinAlgError, lambda x: np.linalg.inv(x[:, None])),
    "an inverse of a tensor": (np.linalg.LinAlgError, lambda x: np.linalg.tensorinv(np.reshape(x, (4, 1)), ind=1)),
    "linalg.cross in the plane": (ValueError, lambda x: np.linalg.cross(x[:2], x[2:])),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_of_numpys_kinds(name):
    kind, call = WRONG[name]
    with pytest.raises(kind):
        call(V)
    with pytest.raises(kind) as caught:
        cv.jvp(call, (V,), (V,))
    assert "test_numpy_corners.py" in str(caught.value)


ONE_ARRAY = ("sin abs add transpose squeeze expand_dims ravel flip roll round tile triu trace diagonal real nan_to_num "
             "shape size zeros_like where linalg.trace linalg.matrix_transpose fft.fftshift").split()


@pytest.mark.parametrize("name", ONE_ARRAY)
def test_lists_of_traced_values_are_arrays(name):
    fun = cnp
    for part in name.split("."):
        fun = getattr(fun, part)
    rest = {"add": (1.0,), "expand_dims": (0,), "roll": (1,), "tile": (2,)}.get(name, ())
    x = M[0]
    want = fun(x, *rest)
    for parts in (lambda x: [x[0], x[1]], lambda x: [[x[0, 0], x[0, 1], x[0, 2]], x[1]]):
        found = cv.jvp(lambda x: cnp.asarray(fun(parts(x), *rest)), (x,), (x,))[0]
        np.testing.assert_array_equal(found, np.asarray(want))


@pytest.mark.parametrize("transform", [cv.grad, cv.vmap, lambda f: lambda x: cv.jvp(f, (x,), (x,)), cv.jacobian,
                                       lambda f: lambda x: cv.vjp(f, x)])
def test_a_class_is_no_array(transform):
    for found in (np.float64, type(None)):
        with pytest.raises((DtypeError), match="type"):
            transform(lambda x: found)(V)
    with pytest.raises(DtypeError, match="type"):
        transform(type)(V)


def test_a_plain_matrix_times_a_traced_one_in_place_says_what_to_do():
    def fun(x):
        y = np.eye(2)
        y @= x
        return y

    with pytest.raises(TypeError, match="plain array.*drop its derivative"):
        cv.grad(lambda x: fun(x).sum())(np.eye(2))
