"""Arguments that NumPy takes beside the usual ones, on traced values: lists, casts on writing, masks, other dtypes."""

import numpy as np
import pytest

import covector
import covector as cv
import covector.numpy as cnp

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
V = np.array([1.5, 0.5, 2.0])
M = np.array([[1.0, 3.0, 2.0], [4.0, 0.5, 2.5]])
INF = np.array([[3.0, np.inf, -np.inf], [np.inf, np.inf, 1.0], [np.nan, 1.0, 2.0]])
MASK = np.array([[True, False, True], [False, True, True]])
F, I = V.astype(np.float32), np.array([3, 1, 2])


def written(key, value):
    """A copy of an array with `value` written into a part."""

    def fun(xp, x):
        y = xp.copy(x)
        y[key] = value
        return y

    return fun


TOLERANCE = {"e": 1e-3, "f": 1e-6}
CALLS = {
    "list to the right": (lambda xp, x: x + [1.0, 2.0, 3.0], V),
    "list to the left": (lambda xp, x: [1, 2, 3] * x, V),
    "list as exponent": (lambda xp, x: np.power(x, [1.0, 2.0, 3.0]), V),
    "list as base": (lambda xp, x: xp.power([1.0, 2.0, 3.0], x), V),
    "list and arctan2": (lambda xp, x: xp.arctan2(x, [1.0, 2.0, 3.0]), V),
    "list of truths": (lambda xp, x: np.logical_and(x, [0.0, 1.0, 0.0]), V),
    "list in matmul": (lambda xp, x: x @ [1.0, 2.0, 3.0], V),
    "list in dot": (lambda xp, x: np.dot([1.0, 2.0, 3.0], x), V),
    "number in dot": (lambda xp, x: np.dot(x, 2), I.astype(np.int32)),
    "list in vecdot": (lambda xp, x: np.vecdot(x, [1.0, 2.0, 3.0]), V),
    "vecdot of an axis": (lambda xp, x: xp.vecdot(x, x, axis=0), M),
    "write a list into float32": (written(slice(0, 2), [1.0, 2.0]), F),
    "write a float64 into float32": (written(0, np.float64(7.0)), F),
    "write float64 by a list": (written([0, 2], np.array([7.0, 8.0])), F),
    "write a float into integers": (written(0, 5.7), I),
    "write a list into integers": (written(slice(0, 2), [5.7, True]), I),
    "write by a mask": (written(np.array([True, False, True]), 5), F),
    "write ones in front": (written(0, np.ones((1, 1, 3))), M),
    "initial of another dtype": (lambda xp, x: xp.sum(x, initial=np.float64(2.5)), F),
    "initial cut to an integer": (lambda xp, x: xp.max(x, initial=2.5), I),
    "initial of a product": (lambda xp, x: xp.prod(x, axis=0, initial=3), M),
    "initial of nothing": (lambda xp, x: xp.min(x[:0], initial=3.0), V),
    "sum of truths": (lambda xp, x: xp.sum(x, dtype=bool), V),
    "product of truths": (lambda xp, x: xp.prod(x, dtype=bool), V),
    "mean in integers": (lambda xp, x: xp.mean(x, dtype=int), V),
    "variance in complex": (lambda xp, x: xp.var(x, dtype=complex), V),
    "method with a mask": (lambda xp, x: x.sum(axis=1, where=MASK), M),
    "method with initial": (lambda xp, x: x.max(axis=1, initial=2.75), M),
    "method mean with a mask": (lambda xp, x: x.mean(where=MASK), M),
    "method std with a mask": (lambda xp, x: x.std(axis=0, where=MASK), M),
    "add.reduce with a mask": (lambda xp, x: np.add.reduce(x, axis=1, where=MASK, initial=4.0), M),
    "maximum.reduce with initial": (lambda xp, x: np.maximum.reduce(x, initial=2.75), M),
    "logaddexp.reduce with a mask": (lambda xp, x: np.logaddexp.reduce(x, axis=1, where=MASK), M),
    "logaddexp.reduce of integers": (lambda xp, x: np.logaddexp.reduce(x), I),
    "median beside infinity": (lambda xp, x: xp.median(x, axis=1), INF),
    "nanmedian beside infinity": (lambda xp, x: xp.nanmedian(x, axis=1), INF),
    "quantile beside infinity": (lambda xp, x: xp.quantile(x, [0.5, 1.0], axis=1), INF),
    "the last element": (lambda xp, x: xp.quantile(x, 1, axis=1), INF),
    "an element as it is": (lambda xp, x: xp.nanquantile(x, 0.9, axis=1, method="nearest"), INF),
    "quantile by weights": (lambda xp, x: xp.quantile(x, [0.2, 0.7], axis=1, weights=[1, 0, 3], method="inverted_cdf"),
                            M),
    "nanquantile by weights": (lambda xp, x: xp.nanquantile(x, 0.6, weights=[1, 5, 3], axis=0, method="inverted_cdf"),
                               np.array([2.0, np.nan, 1.0])),
    "float32 places": (lambda xp, x: xp.nanquantile(x, np.float32(0.4)), V),
    "einsum keeps small integers": (lambda xp, x: xp.einsum("ij->i", x), np.arange(6, dtype=np.int8).reshape(2, 3)),
    "einsum of truths": (lambda xp, x: xp.einsum("ij->i", x > 1), M),
    "largest of nothing": (lambda xp, x: xp.linalg.norm(x[:0], np.inf, axis=0), M),
    "spectral norm of nothing": (lambda xp, x: xp.linalg.matrix_norm(x[:0], ord=2), M),
    "lstsq of two dtypes": (lambda xp, x: xp.linalg.lstsq(np.eye(3), x)[0], F),
    "lstsq of nothing": (lambda xp, x: xp.linalg.lstsq(x[:0], np.zeros(0))[0], M),
    "determinant of NaN": (lambda xp, x: xp.linalg.det(x * np.array([[1.0, np.nan], [1.0, 1.0]])), M[:, :2] * 0 + 1),
    "condition of infinity": (lambda xp, x: xp.linalg.cond(x[:, :2] * np.array([[np.inf, 1.0], [1.0, 1.0]])), M),
    "half precision transform": (lambda xp, x: xp.fft.irfft(x), V.astype(np.float16)),
    "take by truths": (lambda xp, x: xp.take(x, [True, False], axis=0), M),
    "take of a number": (lambda xp, x: xp.take(x.sum(), 0), V),
    "squeeze a number": (lambda xp, x: xp.squeeze(x.sum(), 0), V),
    "argsort a number": (lambda xp, x: xp.argsort(x.sum()), V),
    "partition by a vector": (lambda xp, x: xp.partition(x, [0, 2])[..., [0, 2]], M),
    "partition of nothing": (lambda xp, x: xp.partition(x[:0], 1), V),
    "search an empty list": (lambda xp, x: xp.searchsorted(x[:0], 0.5), V),
    "take by floats in a list": (lambda xp, x: xp.take(x, [0.0, 1.9]), V),
    "select keeps float32": (lambda xp, x: xp.select([True, x > 1], [x, 2]), F),
    "select of numbers alone": (lambda xp, x: xp.select([x > 1], [3], 4), F),
    "insert into float32": (lambda xp, x: xp.insert(x, 1, [7.0, 8.0]), F),
    "stack lists of traced values": (lambda xp, x: xp.stack([x[:2], [x[1], 3.0]]), V),
    "join lists of traced values": (lambda xp, x: xp.hstack([x, [x[0], 2.0]]), V),
    "reshape by an array": (lambda xp, x: xp.reshape(x, np.array([3, -1])), M),
    "roll by a float": (lambda xp, x: xp.roll(x, 1.0), V),
    "move axes by arrays": (lambda xp, x: xp.moveaxis(x, np.array([0, 1]), np.array([1, 0])), M),
    "split by a float": (lambda xp, x: xp.split(x, 3.0, axis=1)[1], M),
    "size of some axes": (lambda xp, x: x * xp.size(x, (0, 1)), M),
    "full like small integers": (lambda xp, x: xp.full_like(x, x.sum()), I.astype(np.int16)),
    "linspace from a list": (lambda xp, x: xp.linspace([1.0, 2.0, 3.0], x, 3), V),
    "geomspace from a list": (lambda xp, x: xp.geomspace([1.0, 2.0, 3.0], x, 4), V),
    "close to a number beyond small integers": (lambda xp, x: xp.isclose(x, -1), I.astype(np.uint8)),
    "argmax keeps all axes": (lambda xp, x: xp.argmax(x, keepdims=True), M),
    "argmin of a number": (lambda xp, x: xp.argmin(x.sum(), keepdims=True), M),
    "average keeps its dtype": (lambda xp, x: xp.average(x, returned=True)[1], F),
    "sum of integer weights": (lambda xp, x: xp.average(x, weights=[1, 2, 3], returned=True)[1], V),
}


def staged(fun, x):
    graph = covector.make_graph(fun)(x)
    ans = graph(x)
    return ans, graph.out_avals[0]


@pytest.mark.parametrize("label", CALLS)
def test_traced_calls_give_numpys_values_and_dtypes(label):
    call, x = CALLS[label]
    want = np.asarray(call(np, x.copy()))
    for xp in (cnp, np):
        got = []
        graph, aval = staged(lambda v: call(xp, v), x)
        got.append(graph)
        assert (aval.shape, aval.dtype) == (want.shape, want.dtype)
        got.append(covector.vmap(lambda v: call(xp, v))(np.stack([x, x]))[1])
        if x.dtype.kind == "f":
            got.append(covector.jvp(lambda v: call(xp, v), (x,), (x,))[0])
            got.append(covector.vjp(lambda v: call(xp, v), x)[0])
        for ans in got:
            assert np.asarray(ans).dtype == want.dtype
            np.testing.assert_allclose(ans, want, rtol=TOLERANCE.get(want.dtype.char, 1e-12))


@pytest.mark.parametrize("label", [k for k, (_, x) in CALLS.items() if x.dtype == float and x is not INF])
def test_traced_calls_have_derivatives(label):
    call, x = CALLS[label]
    if np.asarray(call(np, x)).dtype.kind == "f" and np.isfinite(call(np, x)).all():
        covector.testing.check_grads(lambda v: call(cnp, v), (x,), order=2)


REFUSED = {
    "sum of misfits": (ValueError, r"add cannot broadcast shapes \(3,\) and \(2,\).*reshape one.*x\[:, None\]",
                       lambda xp, x: x + x[:2], V),
    "choice of misfits": (ValueError, r"where cannot broadcast shapes", lambda xp, x: xp.where(x > 0, x, x[:2]), V),
    "bits of floats": (TypeError, r"bitwise_invert is not defined on values of dtype float64; cast them before",
                       lambda xp, x: ~x, V),
    "divisor of floats": (TypeError, r"gcd is not defined on values of dtype float64", lambda xp, x: xp.gcd(x, x), V),
    "complex cube root": (TypeError, r"cbrt is not defined on values of dtype complex128",
                          lambda xp, x: xp.cbrt(x * 1j), V),
    "index out of bounds": (IndexError, r"index 5 is out of bounds.*shape \(3,\); it takes -3 to 2",
                            lambda xp, x: x[5], V),
    "too many indices": (IndexError, r"too many indices.*2 were indexed, in an index of an array of shape \(3,\)",
                         lambda xp, x: x[:, 0], V),
    "reshape to more": (ValueError, r"reshape cannot turn shape \(3,\).*\(2, 2\) \(4 elements\); -1 stands for",
                        lambda xp, x: x.reshape(2, 2), V),
    "join misfits": (ValueError, r"concatenate along axis 0 needs equal shapes elsewhere.*\(3,\), \(1, 3\); reshape",
                     lambda xp, x: xp.concatenate([x, x[None]]), V),
    "take by floats": (TypeError, r"indices to take are integers, but got dtype float64; cast them",
                       lambda xp, x: xp.take(x, np.array([0.0, 1.0])), V),
    "compress by a matrix": (ValueError, r"compress takes a boolean vector.*\(1, 3\); use a\[mask\]",
                             lambda xp, x: xp.compress([[True, False, True]], x), V),
    "triangle of a number": (TypeError, r"triangle is cut.*got a number; reshape", lambda xp, x: xp.tril(x.sum()), V),
    "insert by floats": (TypeError, r"insert needs integer positions.*float64",
                         lambda xp, x: xp.insert(x, [1.0], 2.0), V),
    "select by floats": (TypeError, r"select takes boolean masks, but condition 0 has dtype float64",
                         lambda xp, x: xp.select([x], [x]), V),
    "choose by a strange mode": (ValueError, r"choose supports the modes.*'q'; choose one of them",
                                 lambda xp, x: xp.choose([0, 1, 0], [x, x], mode="q"), V),
    "join to integers": (TypeError, r"concatenate was asked for dtype=int64, to which float64 is not cast",
                         lambda xp, x: xp.concatenate([x, x], dtype=int), V),
    "stack nowhere": (TypeError, r"stack needs the position of the new axis.*axis=None; use axis=0",
                      lambda xp, x: xp.stack([x, x], axis=None), V),
    "cut rows of a vector": (ValueError, r"vsplit cuts arrays of at least 2 axes.*\(3,\); use split",
                             lambda xp, x: xp.vsplit(x, 1), V),
    "tile less than nothing": (ValueError, r"tile repeats.*reps=\(-1,\); give nonnegative numbers",
                               lambda xp, x: xp.tile(x, -1), V),
    "roll an axis too far": (ValueError, r"rollaxis moves an axis before axis start.*9; use moveaxis",
                             lambda xp, x: xp.rollaxis(x, 0, 9), M),
    "sort by two kinds": (ValueError, r"sort takes kind= or stable=.*'stable' and True; omit one",
                          lambda xp, x: xp.sort(x, kind="stable", stable=True), V),
    "sort by an unknown kind": (ValueError, r"sort supports the kinds.*'bogus'; choose", lambda xp, x: xp.sort(
        x, kind="bogus"), V),
    "partition out of bounds": (ValueError, r"partition got kth=9.*length 3; give indices from -3 to 2",
                                lambda xp, x: xp.partition(x, 9), V),
    "clip by both pairs": (ValueError, r"clip takes a_min and a_max, or min= and max=.*omit one pair",
                           lambda xp, x: xp.clip(x, 0.5, 1.0, min=1.0), V),
    "round to a float": (TypeError, r"float", lambda xp, x: xp.round(x, 3.0), V),
    "sign of a complex infinity": (TypeError, r"isposinf asks for a sign.*complex128.*use isinf",
                                   lambda xp, x: xp.isposinf(x * 1j), V),
    "einsum with a digit": (ValueError, r"subscripts of letters.*got '1' in 'i1->i'; name each axis by a letter",
                            lambda xp, x: xp.einsum("i1->i", x), M),
    "einsum without its ellipsis": (ValueError, r"'...' for 2 axes.*none in its output '...->'",
                                    lambda xp, x: xp.einsum("...->", x), M),
    "einsum to integers": (TypeError, r"einsum was asked for dtype=int64, to which float64 is not cast.*'safe'",
                           lambda xp, x: xp.einsum("ij->i", x, dtype=int), M),
    "solve for a number": (ValueError, r"solve needs right sides of at least one axis.*\(\); divide",
                           lambda xp, x: xp.linalg.solve(x[:, :2], x.sum()), M),
    "axis by a list": (TypeError, r"axis of a reduction is None, an integer or a tuple.*list \[0\]; write axis=\(0,\)",
                       lambda xp, x: xp.sum(x, axis=[0]), V),
    "axis by a truth": (TypeError, r"an axis is an integer, but got True", lambda xp, x: xp.max(x, axis=True), M),
    "axis out of bounds": (ValueError, r"axis 2 is out of bounds.*dimension 2; its axes are -2 to 1",
                           lambda xp, x: xp.sum(x, axis=2), M),
    "complex initial": (TypeError, r"dtype float64, which cannot hold it: 1j", lambda xp, x: xp.sum(x, initial=1j), V),
    "mask of integers": (TypeError, r"where= takes a boolean mask, but got dtype int64.*mask != 0",
                         lambda xp, x: xp.sum(x, where=np.array([1, 0, 1])), V),
    "both degrees of freedom": (ValueError, r"ddof and correction.*1 and 1; omit one",
                                lambda xp, x: xp.var(x, ddof=1, correction=1), V),
    "weights that vanish": (ZeroDivisionError, r"sum of the weights, which is 0",
                            lambda xp, x: xp.average(x, weights=[0.0, 0.0, 0.0]), V),
    "NaN in integers": (TypeError, r"nanmean of values of dtype float64.*dtype=int64; ask for a floating dtype",
                        lambda xp, x: xp.nanmean(x, dtype=int), V),
    "write a complex number": (TypeError, r"array of dtype float64, which cannot hold it: 1j", written(0, 1j), V),
    "write a word": (ValueError, r"array of dtype float64, which cannot hold it: 'x'.*another dtype",
                     written(0, "x"), V),
    "write too many": (ValueError, r"shape \(2,\).*into (one element|a part).*; ", written(0, [1.0, 2.0]), V),
    "product of a number": (ValueError, r"matmul needs operands of at least one axis.*\(\) and \(3,\); use \*",
                            lambda xp, x: xp.matmul(x.sum(), x), V),
    "product of other lengths": (ValueError, r"matmul cannot contract shapes \(3,\) and \(1,\)",
                                 lambda xp, x: xp.matmul(x, x[:1]), V),
    "vecdot of other lengths": (ValueError, r"vecdot needs vectors of one length along axis -1.*\(3,\) and \(1,\)",
                                lambda xp, x: xp.vecdot(x, x[:1]), V),
    "matvec of vectors": (ValueError, r"matvec needs operands of at least two axes and one axis.*\(3,\) and \(3,\)",
                          lambda xp, x: xp.matvec(x, x), V),
    "vecmat of vectors": (ValueError, r"vecmat needs operands of at least one axis and two axes.*\(3,\) and \(3,\)",
                          lambda xp, x: xp.vecmat(x, x), V),
}


@pytest.mark.parametrize("label", REFUSED)
def test_what_numpy_refuses_is_refused_batched_and_staged_too(label):
    kind, message, call, x = REFUSED[label]
    with pytest.raises(kind):
        call(np, x.copy())
    for run in (
        lambda f: covector.vmap(f)(np.stack([x, x])),
        lambda f: covector.make_graph(f)(x),
    ):
        with pytest.raises(kind, match=message):
            run(lambda v: call(cnp, v))
    with pytest.raises(kind, match=message):
        covector.vjp(lambda v: call(cnp, v), x)
    with pytest.raises(kind, match=message):
        covector.jvp(lambda v: call(cnp, v), (x,), (x,))


WEAK = [2, 2.5, True, np.float32(1.5), np.int8(2)]


@pytest.mark.parametrize("dtype", ["f2", "f4", "F"])
@pytest.mark.parametrize("name", ["add", "power", "arctan2", "copysign", "hypot", "logaddexp", "maximum", "remainder",
                                  "divide", "fmod", "heaviside", "nextafter", "subtract", "fmin"])
def test_gradients_of_single_numbers_keep_their_dtype(name, dtype):
    x, call = np.asarray(0.7).astype(dtype), getattr(np, name)
    for other in WEAK:
        for fun in (lambda x: call(x, other), lambda x: call(other, x)):
            try:
                want = fun(x).dtype
            except TypeError:  # NumPy has it for real values only
                continue
            if want.itemsize > x.dtype.itemsize:
                continue
            answer, pullback = covector.vjp(fun, x)
            assert (answer.dtype, pullback(np.ones((), want))[0].dtype) == (want, dtype)
            assert covector.jvp(fun, (x,), (x,))[1].dtype == want


@pytest.mark.parametrize("fun", [lambda x: 1j + x, lambda x: 1j - x * x, lambda x: 2j / x, lambda x: 1j * (x + 1),
                                 lambda x: 1j ** (x * x)])
def test_python_complex_numbers_before_a_single_number_make_arrays(fun):
    def size(x):
        return np.abs(fun(x) * np.ones(2)) ** 2

    assert covector.vjp(fun, np.array(2.0))[0].dtype == np.complex128
    assert covector.make_graph(lambda x: fun(x * x))(np.array(2.0))(np.array(3.0)).dtype == np.complex128
    covector.testing.check_grads(lambda x: np.sum(size(x)), (np.array(2.0),), order=2)


def test_truth_values_keep_numpys_dtypes():
    b = np.array([True, False])
    for fun in (lambda x: np.power(x, 2), lambda x: x**2, lambda x: x**3, lambda x: x.flatten(), lambda x: x.conj(),
                np.conj):
        assert covector.vmap(fun)(b[None]).dtype == covector.eval_shape(fun, b).dtype == fun(b).dtype


def test_einsum_of_mixed_precision_sums_in_that_of_the_answer():
    x, y = np.float32([1.0, 1e-5, 1e-9]), np.array(3.0)
    want = np.einsum("i,->", x, y)
    np.testing.assert_allclose(covector.vjp(lambda x: np.einsum("i,->", x, y), x)[0], want, rtol=1e-15)


def test_isclose_keeps_python_numbers_weak():
    assert covector.vmap(lambda x: np.isclose(x, 2, atol=0, rtol=0.4999999999999999))(np.ones(1, "f4"))[0]


LINE = np.array([0.5, 1.5, -2.0, 3.0])
BOX = np.arange(12.0).reshape(2, 2, 3) / 7


def _doubled(vector, width, axis, options):
    """Writes what the next element inside is, doubled."""
    before, after = width
    if before:
        vector[:before] = 2 * vector[before]
    if after:
        vector[-after:] = 2 * vector[-after - options["step"]]


RARE = {
    "average of axes in another order": lambda x: np.average(x, axis=(2, 0), weights=BOX[0].T),
    "cov of one row whose columns are variables": lambda x: np.cov(x[:1, 0], rowvar=False, ddof=0),
    "cov with itself": lambda x: np.cov(x[0], x[0], rowvar=False),
    "cov of two rows": lambda x: np.cov(x[0], x[1, :1], rowvar=True),
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
@pytest.mark.parametrize("name", RARE)
def test_traced_values_are_numpys(name):
    want = RARE[name](BOX)
    _same(RARE[name], want, batch="trim" not in name)


def _same(fun, want, batch=True):
    for found in (cv.jvp(fun, (BOX,), (BOX,))[0], cv.vjp(fun, BOX)[0],
                  cv.vmap(fun)(np.stack([BOX, BOX]))[1] if batch else want):
        assert (found.shape, found.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(found, want, rtol=1e-12)


PLANE = {
    "both": lambda x: np.cross(x[..., :2], x[..., 1:]),
    "plane and space": lambda x: np.cross(x[..., :2], x),
    "space and plane": lambda x: np.cross(x, x[..., 1:], axisc=0),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", PLANE)
def test_cross_of_vectors_in_the_plane_is_numpys_where_numpy_has_it(name):
    if np.lib.NumpyVersion(np.__version__) < "2.5.0":
        _same(PLANE[name], PLANE[name](BOX))
        return
    for attempt in (lambda: PLANE[name](BOX), lambda: cv.jvp(PLANE[name], (BOX,), (BOX,)),
                    lambda: cv.vmap(PLANE[name])(np.stack([BOX, BOX]))):
        with pytest.raises(ValueError, match="3-dimensional|length 3"):
            attempt()


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
    "apply_along_axis": lambda t: cnp.apply_along_axis(lambda v: v * t, 0, BOX[0]),
    "vectorize": lambda t: cnp.vectorize(lambda a: a * t)(LINE),
    "vectorize with a signature": lambda t: cnp.vectorize(lambda a: a * t, signature="(n)->(n)")(BOX[0]),
    "piecewise": lambda t: cnp.piecewise(LINE, [LINE > 0], [lambda v: v * t, lambda v: v - t]),
    "fromfunction": lambda t: cnp.fromfunction(lambda i, j: i * t + j, (2, 3)),
    "apply_over_axes": lambda t: cnp.apply_over_axes(lambda a, axis: a.sum(axis) * t, BOX, [0, 1]),
}


@pytest.mark.parametrize("name", CLOSURES)
def test_functions_of_plain_values_may_close_over_traced_ones(name):
    call = CLOSURES[name]
    np.testing.assert_allclose(cv.vjp(call, np.array(1.5))[0], call(1.5))
    np.testing.assert_allclose(cv.vmap(call)(np.array([1.5, 2.0]))[1], call(2.0))
    cv.testing.check_grads(call, (np.array(1.5),), order=2)


ONE_ARRAY = ("sin abs add transpose squeeze expand_dims ravel flip roll round tile triu trace diagonal real nan_to_num "
             "shape size zeros_like where linalg.trace linalg.matrix_transpose fft.fftshift").split()


@pytest.mark.parametrize("name", ONE_ARRAY)
def test_lists_of_traced_values_are_arrays(name):
    fun = cnp
    for part in name.split("."):
        fun = getattr(fun, part)
    rest = {"add": (1.0,), "expand_dims": (0,), "roll": (1,), "tile": (2,)}.get(name, ())
    x = BOX[0]
    want = fun(x, *rest)
    for parts in (lambda x: [x[0], x[1]], lambda x: [[x[0, 0], x[0, 1], x[0, 2]], x[1]]):
        found = cv.jvp(lambda x: cnp.asarray(fun(parts(x), *rest)), (x,), (x,))[0]
        np.testing.assert_array_equal(found, np.asarray(want))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint64])
@pytest.mark.parametrize(("low", "high"), [(-1, 2), (0, 300), (None, 2**64), (-2**63 - 1, 3), (-1, 2**70)])
def test_limits_beyond_the_dtype_are_none_as_in_numpy(dtype, low, high):
    x = np.array([1, 2, 3, 100], dtype)
    want = np.clip(x, low, high)
    for fun in (lambda x: np.clip(x, low, high), lambda x: x.clip(low, high)):
        for got in (covector.jit(fun)(x), covector.vmap(fun)(x)):
            np.testing.assert_array_equal(got, want, strict=True)
