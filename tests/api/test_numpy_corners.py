"""Calls at the corners of NumPy's functions: traced values answer, and refuse, as plain ones do."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

V = np.array([0.5, 1.5, -2.0, 3.0])
M = np.arange(12.0).reshape(2, 2, 3) / 7

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
        with pytest.raises((cv.core.errors.DtypeError), match="type"):
            transform(lambda x: found)(V)
    with pytest.raises(cv.core.errors.DtypeError, match="type"):
        transform(type)(V)
