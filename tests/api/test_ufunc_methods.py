"""`reduce`, `accumulate`, `reduceat`, `outer` and `at` of NumPy's ufuncs on traced values."""

import numpy as np
import pytest

import covector

V, M = np.array([1.5, 0.7, 2.1, 0.4]), np.linspace(0.4, 1.9, 12).reshape(3, 4) ** 1.3
PAIRS = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.fmax, np.fmin, np.logaddexp,
         np.logaddexp2, np.hypot, np.copysign]
WHOLE = [np.bitwise_and, np.bitwise_xor, np.gcd, np.lcm, np.logical_xor, np.add, np.floor_divide]
CALLS = {
    "reduce": lambda u, x: u.reduce(x),
    "reduce an axis": lambda u, x: u.reduce(x, axis=-1, keepdims=True),
    "reduce from a value": lambda u, x: u.reduce(x, axis=0, initial=2),
    "accumulate": lambda u, x: u.accumulate(x, axis=-1),
    "reduceat": lambda u, x: u.reduceat(x, [0, 2, 1, 1], axis=-1),
    "reduceat of nothing": lambda u, x: u.reduceat(x, [], axis=-1),
    "outer": lambda u, x: u.outer(x, [1, 2]),
}


def written(u, x, key, *values):
    y = np.copy(x)
    u.at(y, key, *values)
    return y


def everywhere(fun, x):
    """The answers of `fun` traced in every way."""
    yield covector.make_graph(fun)(x)(x)
    yield covector.vmap(fun)(np.stack([x, x]))[1]
    if x.dtype.kind == "f":
        yield covector.jvp(fun, (x,), (x,))[0]
        yield covector.vjp(fun, x)[0]


def check(fun, x, wanted=None):
    want = np.asarray(fun(x) if wanted is None else wanted)
    for got in everywhere(fun, x):
        assert (np.shape(got), np.asarray(got).dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(got, want, rtol=1e-12)
    if x.dtype.kind == "f" and want.size and wanted is None:
        covector.testing.check_grads(fun, (x,), order=2, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("u", PAIRS, ids=lambda u: u.__name__)
def test_method_of_a_pair_does_what_numpy_does(u, call):
    for x in (V, M):
        check(lambda v: CALLS[call](u, v), x)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("u", WHOLE, ids=lambda u: u.__name__)
def test_method_on_integers_does_what_numpy_does(u, call):
    check(lambda v: CALLS[call](u, v), np.array([[12, 5, 6, 3], [4, 7, 2, 9]]))


@pytest.mark.parametrize("u", [np.power, np.arctan2], ids=lambda u: u.__name__)
def test_method_whose_order_matters_goes_from_the_first_to_the_last(u):
    """NumPy's own `reduce` of these two skips elements where its loops are vectorised; its `accumulate` does not."""
    check(lambda v: u.reduce(v), V, u.accumulate(V)[-1])
    forward = covector.jvp(u.reduce, (V,), (np.ones(4),))[1]
    np.testing.assert_allclose(forward, covector.jvp(lambda v: u.accumulate(v)[-1], (V,), (np.ones(4),))[1])
    covector.testing.check_grads(u.accumulate, (V,))


@pytest.mark.parametrize("u", [*PAIRS, np.power], ids=lambda u: u.__name__)
def test_duplicate_places_are_met_one_after_the_other(u):
    check(lambda v: written(u, v, [0, 1, 0, -1], [0.5, 2.0, 3.0, 1.5]), V)
    check(lambda v: written(u, v, ([0, 1, 0], [1, 1, 1]), v[0, :3]), M)


@pytest.mark.parametrize("u", [np.negative, np.exp, np.square, np.reciprocal], ids=lambda u: u.__name__)
def test_duplicate_places_of_one_operand(u):
    check(lambda v: written(u, v, [0, 1, 0]), V)
    check(lambda v: written(u, v, np.array([True, False, True, False])), V)


def test_integers_take_whole_numbers_and_refuse_fractions():
    k = np.array([-2, 5, 3])
    for u in (np.add, np.subtract, np.multiply):
        check(lambda v, u=u: written(u, v, [0, 1, 0], [3.0, -1.0, 2.0]), k)
        for cut in (0.5, [1.0, 1.5]):  # NumPy adds, and cuts off the fraction, one by one
            with pytest.raises(TypeError, match=r"\.at of fractions \(float64\) on an array of dtype int64.*round"):
                covector.jit(lambda v, u=u, cut=cut: written(u, v, [0, 1], cut))(k)


def test_numbers_with_axes_of_none_are_written_by_out():
    def squared(v):
        y = v[:1].reshape(())
        return np.stack([np.multiply(y, y, out=y), y, v[0]])

    check(squared, V.copy(), [V[0] ** 2] * 3)
    np.testing.assert_array_equal(covector.jit(lambda y: (np.negative(y, out=y), y))(np.array(0.5)), [-0.5, -0.5])


def test_several_axes_at_once():
    check(lambda v: np.hypot.reduce(v, axis=(0, 1)), M)
    check(lambda v: np.fmax.reduce(v, axis=None), M)


REFUSED = {
    "order": (ValueError, lambda x: np.subtract.reduce(x, axis=None), r"depends on the order.*\(0, 1\); reduce them"),
    "nothing": (ValueError, lambda x: np.divide.reduce(x[:0]), r"of no elements is undefined.*give initial="),
    "mask": (NotImplementedError, lambda x: np.hypot.reduce(x, where=M > 1), r"does not take where=.*np\.where"),
    "out": (NotImplementedError, lambda x: np.add.reduce(x, out=np.zeros(4)), r"does not write into out=.*buffer"),
    "comparison": (TypeError, lambda x: np.greater.reduce(x), r"compares.*np\.all or np\.any"),
    "dtype": (TypeError, lambda x: np.gcd.reduce(x), r"gcd is not defined on values of dtype float64; cast"),
    "places": (IndexError, lambda x: np.add.reduceat(x, [0, 7]), r"indices from 0 to 2 of axis 0.*\[0, 7\]; clip"),
    "floats": (TypeError, lambda x: np.add.reduceat(x, [0.5]), r"vector of integers.*float64.*astype\(int\)"),
    "number": (TypeError, lambda x: np.add.accumulate(x.sum()), r"runs along an axis, but got a number; reshape"),
    "axes": (ValueError, lambda x: np.add.accumulate(x, axis=None), r"one axis.*axis=None.*ravel"),
    "plain target": (TypeError, lambda x: np.multiply.at(M.copy(), [0], x[0]), r"plain array.*zeros_like"),
    "cast": (TypeError, lambda x: np.add.outer(x, x, dtype=int), r"asked for dtype=int64.*float64.*same_kind"),
    "ufunc cast": (TypeError, lambda x: np.negative(x, dtype=int), r"asked for dtype=int64.*float64.*same_kind"),
    "method": (NotImplementedError, lambda x: np.divmod.outer(x, x), r"divmod\.outer is not supported"),
}


@pytest.mark.parametrize("label", REFUSED)
def test_refusals_say_what_to_do(label):
    kind, call, message = REFUSED[label]
    with pytest.raises(kind, match=message):
        covector.jvp(call, (M,), (M,))


@pytest.mark.parametrize("ufunc", PAIRS, ids=lambda u: u.__name__)
@pytest.mark.parametrize("method", ["accumulate", "reduce"])
def test_a_fold_in_order_is_not_unrolled(ufunc, method):
    x = np.random.default_rng(3).uniform(0.8, 1.2, 200)
    fun = getattr(ufunc, method)
    assert len(covector.make_graph(fun)(x).equations) < 40
    assert len(covector.make_graph(covector.grad(lambda x: np.sum(np.sin(fun(x)))))(x).equations) < 400
    np.testing.assert_allclose(covector.jit(fun)(x), fun(x), rtol=1e-10)


@pytest.mark.parametrize("ufunc", [np.logaddexp, np.hypot, np.subtract, np.divide, np.power, np.fmax, np.floor_divide],
                         ids=lambda u: u.__name__)
def test_derivatives_of_running_folds_are_those_of_a_loop(ufunc):
    def by_hand(x):
        rows = [x[0]]
        for k in range(1, len(x)):
            rows.append(ufunc(rows[-1], x[k]))
        return np.sum(np.sin(np.stack(rows)))

    def fun(x):
        return np.sum(np.sin(ufunc.accumulate(x)))

    x = np.random.default_rng(3).uniform(0.5, 1.5, 6)
    for derivative in (covector.grad, covector.jacfwd, covector.hessian):
        want = derivative(by_hand)(x)
        np.testing.assert_allclose(derivative(fun)(x), want, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(covector.jit(derivative(fun))(x), want, rtol=1e-10, atol=1e-12)


def test_functions_of_covector_have_the_methods_of_numpys_ufuncs():
    def f(x, xp):
        return (xp.maximum.reduce(x) + xp.multiply.accumulate(x).sum() + xp.exp(-xp.subtract.outer(x, x) ** 2).sum()
                + xp.add.reduceat(x * x, [0, 2])[1] + xp.add.identity)

    x = np.array([0.3, 1.2, -0.7, 2.0])
    np.testing.assert_array_equal(covector.grad(f)(x, covector.numpy), covector.grad(f)(x, np))
    assert f(x, covector.numpy) == f(x, np)
