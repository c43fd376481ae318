"""Calls at the corners of NumPy's functions: traced values answer, and refuse, as plain ones do."""

import numpy as np
import pytest

import covector
import covector as cv
import covector.numpy as cnp
from covector.core.errors import DtypeError
from covector.numpy.surface import FUNCTIONS

LINE = np.array([0.5, 1.5, -2.0, 3.0])


def test_errors_of_functions_of_plain_values_go_on():
    for call in (lambda f: cnp.vectorize(f)(LINE), lambda f: cnp.piecewise(LINE, [LINE > 0], [f]),
                 lambda f: cnp.apply_along_axis(f, 0, LINE)):
        with pytest.raises(ValueError, match="invalid literal"):
            call(lambda v: int("x"))


WRONG = {
    "quantile beyond 1": (ValueError, lambda x: np.quantile(LINE, x[0] * 4)),
    "percentile that is NaN": (ValueError, lambda x: np.percentile(LINE, x[0] * np.nan)),
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
        call(LINE)
    with pytest.raises(kind) as caught:
        cv.jvp(call, (LINE,), (LINE,))
    assert "test_numpy_messages.py" in str(caught.value)


@pytest.mark.parametrize("transform", [cv.grad, cv.vmap, lambda f: lambda x: cv.jvp(f, (x,), (x,)), cv.jacobian,
                                       lambda f: lambda x: cv.vjp(f, x)])
def test_a_class_is_no_array(transform):
    for found in (np.float64, type(None)):
        with pytest.raises((DtypeError), match="type"):
            transform(lambda x: found)(LINE)
    with pytest.raises(DtypeError, match="type"):
        transform(type)(LINE)


def test_a_plain_matrix_times_a_traced_one_in_place_says_what_to_do():
    def fun(x):
        y = np.eye(2)
        y @= x
        return y

    with pytest.raises(TypeError, match="plain array.*drop its derivative"):
        cv.grad(lambda x: fun(x).sum())(np.eye(2))


V, M = np.linspace(0.5, 2.0, 4), np.linspace(0.5, 2.0, 6).reshape(2, 3)
MESSAGES = [
    ("mask", ValueError, lambda x: cnp.sum(x, where=np.ones((2, 4), bool)), r"where=.*\(4,\).*\(2, 4\)"),
    ("max mask", ValueError, lambda x: cnp.max(x, where=x > 1), r"max with where= is undefined.*; give initial="),
    ("out", NotImplementedError, lambda x: cnp.cumprod(x, out=V.copy()), r"cumprod.*out=.*assign it"),
    ("ufunc where", NotImplementedError, lambda x: cnp.exp(x, where=V > 1), r"exp does not take where=.*np\.where"),
    ("cumulative axis", ValueError, lambda x: cnp.cumulative_sum(x[None]), r"cumulative_sum.*2 axes needs axis"),
    ("ediff1d", TypeError, lambda x: cnp.ediff1d(x, 1j), r"to_end of dtype complex128.*float64"),
    ("gradient order", ValueError, lambda x: cnp.gradient(x, edge_order=3), r"edge_order 1 and 2, but got 3"),
    ("gradient size", ValueError, lambda x: cnp.gradient(x[:1]), r"needs 2 elements along axis 0.*\(1,\)"),
    ("gradient spacings", TypeError, lambda x: cnp.gradient(x, 1.0, 2.0), r"one for each of 1 axes, but got 2"),
    ("gradient coordinates", ValueError, lambda x: cnp.gradient(x, V[:3]), r"4 coordinates for axis 0.*\(3,\)"),
    ("convolve", ValueError, lambda x: cnp.convolve(x, np.ones((2, 2))), r"two vectors.*second has shape \(2, 2\)"),
    ("mode", ValueError, lambda x: cnp.convolve(x, x, "half"), r"'full', 'same' and 'valid', but got 'half'"),
    ("interp", ValueError, lambda x: cnp.interp(x, V, V[:3]), r"as many values as knots.*\(4,\).*\(3,\)"),
    ("vander", ValueError, lambda x: cnp.vander(x[None]), r"vander needs a vector.*\(1, 4\)"),
    ("polyfit", TypeError, lambda x: cnp.polyfit(x, V[:3], 1), r"points of shape \(n,\).*\(4,\).*\(3,\)"),
    ("cov", RuntimeError, lambda x: cnp.cov(x, aweights=V[:3]), r"aweights of shape \(4,\), but got \(3,\)"),
    ("cov sign", ValueError, lambda x: cnp.cov(x, aweights=-V), r"nonnegative aweights"),
    ("histogram bins", ValueError, lambda x: cnp.histogram(x, 0), r"at least one bin, but got bins=0"),
    ("histogram range", ValueError, lambda x: cnp.histogram(x, 2, (2.0, 1.0)), r"range that increases.*2\.0 to 1\.0"),
    ("histogram edges", ValueError, lambda x: cnp.histogram(x, [1.0, 0.5]), r"edges that increase"),
    ("histogram weights", ValueError, lambda x: cnp.histogram(x, weights=V[:2]), r"weights of shape \(4,\).*\(2,\)"),
    ("bincount", ValueError, lambda x: cnp.bincount([0, 1], x), r"weight for each of 2 elements.*\(4,\)"),
    ("searchsorted", ValueError, lambda x: cnp.searchsorted(x[None], 1.0), r"a sorted vector.*\(1, 4\)"),
    ("quantile weights", ValueError, lambda x: cnp.quantile(x, 0.5, weights=-V, method="inverted_cdf"),
     r"takes nonnegative weights, but the least is -2\.0; clip them"),
    ("quantile weights' shape", ValueError, lambda x: cnp.nanquantile(x, 0.5, 0, weights=V[:2], method="inverted_cdf"),
     r"weights of shape \(4,\) along axis 0, but got \(2,\)"),
    ("quantile of a traced q", ValueError, lambda x: cnp.quantile(V, x / 4, method="lower"),
     r"traced q takes real elements.*hazen.*method='lower'.*stop_gradient"),
    ("choose under vmap", ValueError, lambda x: covector.vmap(lambda i: cnp.choose(i, [x[0], x[1]]))(np.array([0, 5])),
     r"indices from 0 to 1, but got 0 to 5"),
    ("put_along_axis", IndexError, lambda x: cnp.put_along_axis(x * 1, np.array([7]), x[:1], None),
     r"4 elements: 7 to 7"),
    ("lexsort", TypeError, lambda x: FUNCTIONS[np.lexsort](()), r"at least one key"),
    ("trim", ValueError, lambda x: cnp.trim_zeros(x, "x"), r"'f', 'b' or 'fb', but got 'x'"),
    ("diagonal", ValueError, lambda x: cnp.diag_indices_from(x), r"two axes, all of one length.*\(4,\)"),
    ("ix_", ValueError, lambda x: cnp.ix_(x[None]), r"ix_ needs vectors.*\(1, 4\)"),
    ("matrix directive", ValueError, lambda x: cnp.r_["r", x], r"up to three numbers.*'r'.*not supported"),
    ("insert", IndexError, lambda x: cnp.insert(x, 9, 1.0), r"out of bounds for axis 0 of length 4"),
    ("insert dtype", TypeError, lambda x: cnp.insert(np.arange(3), 1, x[0]), r"float64.*int64.*drop.*float64"),
    ("block", ValueError, lambda x: cnp.block([x, [x]]), r"nested equally deep"),
    ("block tuple", TypeError, lambda x: cnp.block([(x, x)]), r"tuple"),
    ("resize", ValueError, lambda x: cnp.resize(x, (-1, 2)), r"nonnegative.*\(-1, 2\)"),
    ("pad mode", ValueError, lambda x: cnp.pad(x, 1, "mirror"), r"modes constant.*mode='mirror'"),
    ("pad statistic", ValueError, lambda x: cnp.pad(x, 1, "mean", stat_length=-1), r"nonnegative stat_length.*-1"),
    ("astype object", TypeError, lambda x: x.astype(object), r"dtype object.*convert it first"),
    ("sum as object", TypeError, lambda x: np.sum(x, dtype=object), r"dtype object.*convert it first"),
    ("pad width", ValueError, lambda x: cnp.pad(x, -1), r"nonnegative widths, but got -1"),
    ("put", TypeError, lambda x: cnp.put(V.copy(), [0], x), r"put was asked.*drop its derivative.*zeros_like"),
    ("put mode", ValueError, lambda x: np.put(cnp.copy(x), [0], 1.0, mode="x"), r"'raise', 'wrap' and 'clip'.*'x'"),
    ("put index", IndexError, lambda x: np.put(cnp.copy(x), [7], 1.0), r"out of bounds.*4 elements"),
    ("place", ValueError, lambda x: np.place(cnp.copy(x), x > 0, []), r"at least one value"),
    ("fill_diagonal", ValueError, lambda x: np.fill_diagonal(cnp.copy(x), 1.0), r"needs a matrix.*\(4,\)"),
    ("piecewise", ValueError, lambda x: cnp.piecewise(x, [x > 1], [1, 2, 3]), r"as many functions.*3 and 1"),
    ("vectorize", TypeError,
     lambda x: cnp.vectorize(lambda v: v, otypes=[int])(x), r"dtype int64.*float64.*drop their derivative"),
    ("signature", ValueError,
     lambda x: cnp.vectorize(lambda v, w: v @ w, signature="(n),(n)->()")(x, V[:3]), r"lengths 4 and 3 for n"),
    ("isfortran", TypeError, lambda x: cnp.isfortran(x), r"isfortran was asked.*f64\[4\].*order='F'"),
    ("finite", ValueError, lambda x: cnp.asarray_chkfinite(x / 0), r"infinite values or NaN"),
    ("windows", ValueError, lambda x: np.lib.stride_tricks.sliding_window_view(x, 5), r"windows of 5.*length 4"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "call", "message"), [row[1:] for row in MESSAGES], ids=[row[0] for row in MESSAGES])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_message_says_what_was_given_and_what_to_do(kind, call, message):
    with pytest.raises(kind, match=message):
        covector.jvp(lambda x: (call(x), x)[1], (V,), (V,))


@pytest.mark.parametrize("name", ["unique", "nonzero", "trim_zeros", "roots"])
def test_shapes_that_depend_on_data_are_refused_where_the_data_is_not_known(name):
    with pytest.raises(TypeError, match=rf"{name}.*batched"):
        covector.vmap(getattr(cnp, name))(M)
    with pytest.raises(TypeError, match=rf"{name}.*not known while the graph is staged"):
        covector.make_graph(getattr(cnp, name))(V)


def test_polyfit_warns_of_points_that_do_not_determine_the_coefficients():
    with pytest.warns(np.exceptions.RankWarning, match="poorly conditioned"):
        covector.jvp(lambda x: cnp.polyfit(x, V, 2), (np.array([1.0, 1.0, 2.0, 2.0]),), (np.zeros(4),))
