"""covector.scipy.special: SciPy's values, its ufuncs on traced values, poles, dtypes, and life without SciPy."""

import subprocess
import sys

import numpy as np
import pytest

import covector as cv
from covector.core.errors import DtypeError, MissingLibraryError, RuleError
from covector.core.ops.special.every import SPECIAL
from covector.scipy import special
from covector.testing import check_grads

scipy_special = pytest.importorskip("scipy.special", reason="needs the extra `scipy`: pip install -e '.[scipy]'")

X = np.array([0.3, 0.55, 0.9])
OPERANDS = {"beta": (X, X + 1), "betaln": (X, X + 1), "xlogy": (X, X + 1), "xlog1py": (X, X), "gammainc": (X + 1, X),
            "gammaincc": (X + 1, X), "rel_entr": (X, X + 1), "kl_div": (X, X + 1), "betainc": (X + 1, X + 2, X),
            "gammaincinv": (X + 1, X), "gammainccinv": (X + 1, X), "betaincinv": (X + 1, X + 2, X),
            "owens_t": (X, X + 1), "poch": (X, X + 1), "binom": (X + 1, X), "ellipkinc": (X, X), "ellipeinc": (X, X),
            "voigt_profile": (X, X + 1, X + 1), "betaincc": (X + 1, X + 2, X), "chdtr": (X + 1, X),
            "chdtrc": (X + 1, X), "chdtri": (X + 1, X), "fdtr": (X + 1, X + 2, X), "fdtrc": (X + 1, X + 2, X),
            "fdtri": (X + 1, X + 2, X), "gdtr": (X + 1, X + 2, X), "gdtrc": (X + 1, X + 2, X), "boxcox": (X, X),
            "boxcox1p": (X, X), "inv_boxcox": (X, X), "inv_boxcox1p": (X, X),
            "huber": (X, X + 1), "pseudo_huber": (X, X + 1), "ndtri_exp": (-X,)}
ORDERED = ["jv", "yn", "yv", "iv", "ive", "kv", "kve"]
PARTLY = {"expn": (2,), "hyp1f1": (0.7, 1.3), "hyp2f1": (0.7, -1.2, 1.3), "hyp0f1": (1.3,), "hyperu": (0.7, 1.3),
          "stdtr": (2.5,),
          "stdtrit": (2.5,)}  # parameters without derivative
UFUNCS = sorted(set(SPECIAL) - {"exp2", "expm1", "log1p", "cbrt", "gammasgn", "pdtr", "pdtrc", *ORDERED, *PARTLY})
OURS = {"psi": "digamma"}


def operands(name, dtype=float):
    return [x.astype(dtype) for x in OPERANDS.get(name, (X,))]


@pytest.mark.parametrize("name", UFUNCS)
def test_value_is_that_of_scipy(name):
    args = operands(name)
    want = getattr(scipy_special, name)(*args)
    np.testing.assert_allclose(getattr(special, OURS.get(name, name))(*args), want, rtol=1e-14)
    np.testing.assert_allclose(getattr(special, OURS.get(name, name))(*[a.tolist() for a in args]), want, rtol=1e-14)


@pytest.mark.parametrize("name", UFUNCS)
def test_ufunc_of_scipy_differentiates_unmodified(name):
    args = operands(name)
    theirs, ours = getattr(scipy_special, name), getattr(special, OURS.get(name, name))
    every = tuple(range(len(args)))
    got = cv.grad(lambda *a: theirs(*a).sum().real, argnums=every)(*args)
    want = cv.grad(lambda *a: ours(*a).sum().real, argnums=every)(*args)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)
        assert np.isfinite(g).all()
        assert (g != 0).all()
    np.testing.assert_allclose(cv.vmap(theirs)(*args), theirs(*args), rtol=1e-15)


@pytest.mark.parametrize("name", sorted(set(UFUNCS) & set(OPERANDS)))
@pytest.mark.parametrize("number", [1, 1.0, True])
def test_float32_beside_a_number_stays_float32(name, number):
    fun = getattr(special, name)
    args = operands(name, np.float32)
    for i in range(len(args)):
        def alone(x, i=i):
            return fun(*[x if k == i else number for k in range(len(args))])

        out, tangent = cv.jvp(alone, (args[i],), (args[i],))
        assert {np.dtype(v.dtype) for v in (alone(args[i]), out, tangent)} == {np.dtype(np.float32)}
        gradient = cv.grad(lambda x, f=alone: f(x).sum())(args[i])
        assert gradient.dtype == np.float32
        np.testing.assert_allclose(gradient * args[i], tangent, rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize("name", sorted(set(UFUNCS) - {"wofz"}))  # complex numbers have no half precision
def test_half_precision_is_kept(name):
    args = operands(name, np.float16)
    fun = getattr(special, OURS.get(name, name))
    out = fun(*args)
    assert out.dtype == np.float16
    np.testing.assert_allclose(out, fun(*[a.astype(float) for a in args]), rtol=2e-3)
    assert cv.grad(lambda x: fun(x, *args[1:]).astype(np.float32).sum())(args[0]).dtype == np.float16


@pytest.mark.parametrize("name", ["exp2", "expm1", "log1p", "cbrt"])
def test_functions_that_numpy_has_too_are_the_same(name):
    theirs, ours = getattr(scipy_special, name), getattr(np, name)
    np.testing.assert_array_equal(cv.grad(lambda x: theirs(x).sum())(X), cv.grad(lambda x: ours(x).sum())(X))


def slope(fun, *at, argnum=0):
    with np.errstate(all="ignore"):
        return float(cv.grad(fun, argnums=argnum)(*[float(x) for x in at]))


def test_slopes_at_poles_and_corners():
    inf, nan = np.inf, np.nan
    chosen = {
        (special.erfinv, (1.0,), 0): inf, (special.erfcinv, (0.0,), 0): -inf, (special.ndtri, (0.0,), 0): inf,
        (special.logit, (0.0,), 0): inf, (special.entr, (0.0,), 0): inf, (special.entr, (-1.0,), 0): nan,
        (special.y0, (0.0,), 0): inf, (special.gammaln, (0.0,), 0): -inf, (special.i0e, (0.0,), 0): 0.0,
        (special.xlogy, (0.0, 0.0), 0): 0.0, (special.xlogy, (0.0, 0.0), 1): 0.0,
        (special.xlogy, (0.0, 2.0), 0): np.log(2.0), (special.xlogy, (2.0, 0.0), 1): inf,
        (special.xlog1py, (0.0, -1.0), 0): 0.0, (special.gammainc, (1.0, 0.0), 1): 1.0,
        (special.rel_entr, (0.0, 1.0), 0): 0.0, (special.rel_entr, (0.0, 0.0), 1): 0.0,
        (special.kl_div, (0.0, 0.0), 1): 1.0, (special.kl_div, (0.0, 2.0), 0): 0.0,
        (special.betainc, (1.0, 1.0, 0.0), 2): 1.0, (special.gammainc, (2.0, 0.0), 0): 0.0,
    }  # fmt: skip
    for (fun, at, argnum), want in chosen.items():
        np.testing.assert_array_equal(slope(fun, *at, argnum=argnum), want, err_msg=f"{fun.__name__}{at} by {argnum}")


def test_masked_xlogy_stops_an_infinite_slope():
    assert float(cv.grad(lambda x: special.xlogy(0.0 * x, np.sqrt(x)))(0.0)) == 0.0


def test_slope_of_log_ndtr_holds_in_both_tails():
    assert slope(special.log_ndtr, -1e8) == pytest.approx(1e8, rel=1e-15)
    # -x + 1/(-x) - 2/(-x)³ … for the ratio φ/Φ, the asymptotic series of Mills' ratio.
    assert slope(special.log_ndtr, -200.0) == pytest.approx(200 + 1 / 200 - 2 / 200**3, rel=1e-12)
    assert slope(special.log_ndtr, 40.0) == 0.0


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_polygamma_is_that_of_scipy_and_goes_on(n):
    np.testing.assert_allclose(special.polygamma(n, X), scipy_special.polygamma(n, X), rtol=1e-14)
    np.testing.assert_allclose(cv.grad(lambda x: special.polygamma(n, x).sum())(X), scipy_special.polygamma(n + 1, X),
                               rtol=1e-14)


def test_orders_of_polygamma_broadcast_and_are_whole():
    n = np.arange(4)[:, None]
    np.testing.assert_allclose(special.polygamma(n, X), scipy_special.polygamma(n, X), rtol=1e-14)
    assert float(special.polygamma(1.0, 1.0)) == float(special.polygamma(1, 1.0))
    with pytest.raises(TypeError, match=r"integer orders, but got n of dtype float64.*astype\(int\)"):
        cv.grad(lambda n: special.polygamma(n, 2.0))(1.0)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_multigammaln_is_that_of_scipy(d):
    a = X + 2.5
    np.testing.assert_allclose(special.multigammaln(a, d), scipy_special.multigammaln(a, d), rtol=1e-14)
    want = sum(scipy_special.psi(a - j / 2) for j in range(d))
    np.testing.assert_allclose(cv.grad(lambda a: special.multigammaln(a, d).sum())(a), want, rtol=1e-14)
    assert special.multigammaln(a.astype(np.float32), d).dtype == np.float32


def test_multigammaln_refuses_what_diverges():
    with pytest.raises(ValueError, match="needs a > .* = 1.0, but the smallest a is 0.5"):
        cv.grad(lambda a: special.multigammaln(a, 3))(0.5)
    with pytest.raises(ValueError, match="at least 1, but got 0"):
        special.multigammaln(2.0, 0)


A = np.array([[0.5, -1.0, 800.0], [2.0, 0.1, 799.0]])
B = np.array([[1.0, -2.0, 0.0], [0.5, 1.5, 0.25]])


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), (1,)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_are_those_of_scipy(axis, keepdims):
    for x in (A, A[:, :2]):
        np.testing.assert_allclose(special.logsumexp(x, axis, keepdims=keepdims),
                                   scipy_special.logsumexp(x, axis, keepdims=keepdims), rtol=1e-14)
        np.testing.assert_allclose(special.softmax(x, axis), scipy_special.softmax(x, axis), rtol=1e-13)
        np.testing.assert_allclose(special.log_softmax(x, axis), scipy_special.log_softmax(x, axis), rtol=1e-13,
                                   atol=1e-13)
    got = special.logsumexp(A, axis, B, keepdims, return_sign=True)
    with np.errstate(divide="ignore"):
        want = scipy_special.logsumexp(A, axis, B, keepdims, return_sign=True)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-13)
    np.testing.assert_allclose(got[1], want[1])


def test_weight_of_zero_has_its_slope():
    a, b = np.array([0.0, 1.0]), np.array([2.0, 0.0])
    got = cv.grad(lambda a, b: special.logsumexp(a, b=b), argnums=(0, 1))(a, b)
    np.testing.assert_allclose(got[0], [1.0, 0.0])
    np.testing.assert_allclose(got[1], np.exp(a) / 2.0)


def test_negative_sum_has_no_logarithm():
    assert np.isnan(special.logsumexp([0.0, 0.0], b=[1.0, -2.0]))
    with pytest.raises(DtypeError, match="takes real values, but got complex128"):
        special.logsumexp(np.array([1j]), b=2.0)


@pytest.mark.parametrize("name", ["erf", "erfc", "erfcx", "ndtr", "log_ndtr"])
def test_error_functions_of_complex_values(name):
    z, dz = np.array([0.3 + 0.5j, -0.2 - 1j]), np.array([1.0, 0.5j])
    fun, h = getattr(special, name), 1e-6
    np.testing.assert_allclose(fun(z), getattr(scipy_special, name)(z), rtol=1e-14)
    want = (fun(z + h * dz) - fun(z - h * dz)) / (2 * h)
    np.testing.assert_allclose(cv.jvp(fun, (z,), (dz,))[1], want, rtol=1e-8)


def test_gamma_of_complex_values_is_refused():
    with pytest.raises(DtypeError, match="gamma takes real values, but got complex128.*outside the differentiated "
                                         "function"):
        cv.grad(lambda x: scipy_special.gamma(x * 1j).real)(1.0)


def test_ufunc_without_rules_is_refused():
    with pytest.raises(RuleError, match="agm has no derivative rules"):
        cv.grad(lambda x: scipy_special.agm(1.0, x))(0.5)


@pytest.mark.parametrize("fun", [special.gamma, special.ndtri, special.beta])
def test_without_scipy_the_error_names_the_extra(fun, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'covector\[scipy\]'"):
        fun(*[X] * (2 if fun is special.beta else 1))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_without_scipy_the_others_still_compute(dtype, monkeypatch):
    x = np.array([0.0, 0.3, 0.9, 1.0, -2.0]).astype(dtype)
    alone = "erf erfc expit softmax log_softmax logsumexp sinc logit log_expit entr i0 i1 exprel".split()
    calls = [(name, (x,)) for name in alone] + [(name, args) for name in ("xlogy", "xlog1py", "rel_entr", "kl_div")
                                                for args in ((x, x), (x, 0.0), (0.0, x), (x, np.nan), (2, 3))]
    want = [getattr(special, name)(*args) for name, args in calls]
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    for (name, args), value in zip(calls, want, strict=True):
        got = getattr(special, name)(*args)
        assert got.dtype == value.dtype
        np.testing.assert_allclose(got, value, rtol=2e-7 if dtype == np.float32 else 1e-15)
    with pytest.raises(DtypeError, match="needs SciPy"):
        special.erf(X * 1j)


@pytest.mark.parametrize(("a", "x"), [(0.7, 0.2), (0.7, 3.0), (25.0, 20.0), (25.0, 32.0), (3e3, 2.9e3), (1e-3, 0.5)])
def test_incomplete_gamma_by_its_parameter(a, x):
    h = 1e-5 * a
    want = (scipy_special.gammainc(a + h, x) - scipy_special.gammainc(a - h, x)) / (2 * h)
    assert slope(special.gammainc, a, x) == pytest.approx(want, rel=1e-6)
    assert slope(special.gammaincc, a, x) == pytest.approx(-want, rel=1e-6)


def test_incomplete_beta_at_the_ends_is_flat_in_its_parameters():
    for x in (0.0, 1.0):
        assert slope(special.betainc, 2.0, 3.0, x) == 0.0
        assert slope(special.betainc, 2.0, 3.0, x, argnum=1) == 0.0


GAMMA = {  # ∂P, ∂²P and ∂³P by a, by mpmath 1.3 with 40 digits
    (0.3, 2.0): (-0.099252660101240122, -0.17897351352819282, -0.047078233752725311),
    (2.5, 9.0): (-0.0047416795481938814, -0.0062175983712570992, -0.0061581615907174861),
    (40.0, 30.0): (-0.016111947669694542, 0.0046456304661113462, -0.00093614389585117811),
}
BETA = {  # ∂I by a, by b, by a and b, by b twice, likewise
    (0.3, 0.4, 0.2): (-1.0711007163280363, 0.53490101507898375, -0.26057105116700621, -1.1498350408824621),
    (30.0, 20.0, 0.55): (-0.037539577308887913, 0.050974536193413576, -0.004617594589492056, 0.0049775340748104921),
}


@pytest.mark.parametrize("at", sorted(GAMMA))
def test_higher_derivatives_of_the_incomplete_gamma_function(at):
    fun = special.gammainc
    for want in GAMMA[at]:
        fun = cv.grad(fun)
        assert float(fun(*at)) == pytest.approx(want, rel=2e-11)


@pytest.mark.parametrize("at", sorted(BETA))
def test_higher_derivatives_of_the_incomplete_beta_function(at):
    by_a, by_b = cv.grad(special.betainc), cv.grad(special.betainc, argnums=1)
    found = by_a(*at), by_b(*at), cv.grad(by_a, argnums=1)(*at), cv.grad(by_b, argnums=1)(*at)
    np.testing.assert_allclose(found, BETA[at], rtol=1e-12)


@pytest.mark.slow
def test_threads_that_need_scipy_first_wait_for_each_other():
    code = """
import sys, threading, numpy as np
from covector.scipy import special
assert "scipy" not in sys.modules
start, failed = threading.Barrier(8), []
def run():
    start.wait()
    try:
        special.gammaln(np.ones(3))
    except BaseException as error:
        failed.append(repr(error))
threads = [threading.Thread(target=run) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ORDERED)
@pytest.mark.parametrize("order", [0, 1, 2, 0.5, -1.5], ids=str)
def test_bessel_functions_of_any_order(name, order):
    if name == "yn" and order != int(order):
        return
    theirs, ours = getattr(scipy_special, name), getattr(special, name)
    np.testing.assert_allclose(ours(order, X), theirs(order, X), rtol=1e-14)
    check_grads(lambda x: theirs(order, x), (X + 0.5,), order=3, rtol=1e-4, atol=1e-5)
    gradient = cv.grad(lambda x: ours(order, x).sum())(X.astype(np.float32))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, cv.grad(lambda x: theirs(order, x).sum())(X), rtol=1e-4)


@pytest.mark.parametrize("name", ORDERED)
def test_orders_broadcast_and_batch_without_a_derivative(name):
    fun, orders = getattr(scipy_special, name), np.array([0, 1, 2])
    want = np.stack([cv.elementwise_grad(lambda x, v=v: fun(v, x))(X) for v in orders])
    np.testing.assert_allclose(cv.vmap(lambda v: cv.elementwise_grad(lambda x: fun(v, x))(X))(orders), want)
    np.testing.assert_allclose(cv.jacrev(lambda x: fun(orders[:, None], x).sum(1))(X), want)
    gradient = cv.grad(lambda v: fun(v, 1.0))
    graph = cv.make_graph(lambda v: fun(v, 1.0))(1.0)
    for traced, v in ((gradient, 1.0), (cv.grad(graph), 1.0), (cv.vmap(gradient), np.ones(1))):
        with pytest.raises(RuleError, match=rf"{name}.*is not differentiable with respect to its operand "
                                            rf"'v'.*stop_gradient"):
            traced(v)
    with pytest.raises(TypeError, match=rf"{name} takes real values.*complex128.*outside"):
        cv.jvp(lambda z: fun(1, z), (1j,), (1.0 + 0j,))


def test_slopes_at_zero_of_bessel_functions_of_several_orders():
    np.testing.assert_array_equal(cv.jacfwd(lambda x: scipy_special.jv(np.arange(3), x))(0.0), [0.0, 0.5, 0.0])
    np.testing.assert_array_equal(cv.jacfwd(lambda x: scipy_special.ive(np.arange(3), x))(0.0), [0.0, 0.5, 0.0])


def test_the_reciprocal_of_gamma_is_smooth_at_the_poles_of_gamma():
    poles = -np.arange(5.0)
    np.testing.assert_allclose(cv.elementwise_grad(scipy_special.rgamma)(poles), [1.0, -1.0, 2.0, -6.0, 24.0])
    points = np.array([-3.0, -1.3, 0.0, 0.49, 0.5, 0.51, 4.0])
    check_grads(scipy_special.rgamma, (points,), order=3, rtol=1e-4, atol=1e-5)
    with np.errstate(all="raise"):
        cv.grad(lambda x: scipy_special.rgamma(x).sum())(np.array([-2.0, 0.0, 3.0]))
    np.testing.assert_array_equal(cv.elementwise_grad(scipy_special.gammasgn)(X), 0 * X)


@pytest.mark.parametrize("name", sorted(PARTLY))
def test_functions_of_parameters_without_a_derivative(name):
    given, theirs, ours = PARTLY[name], getattr(scipy_special, name), getattr(special, name)
    np.testing.assert_allclose(ours(*given, X), theirs(*given, X), rtol=1e-14)
    check_grads(lambda x: theirs(*given, x), (X,), order=2, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(cv.vmap(lambda x: ours(*given, x))(X), ours(*given, X))
    with pytest.raises(RuleError, match="no closed form|the order is an integer"):
        cv.grad(lambda a: ours(a, *given[1:], 0.5))(2.0)


def test_the_hurwitz_zeta_function():
    np.testing.assert_allclose(special.zeta(3.0, X), scipy_special.zeta(3.0, X))
    np.testing.assert_allclose(special.zeta(2.0), np.pi**2 / 6)
    check_grads(lambda q: special.zeta(2.5, q), (X,))
    with pytest.raises(RuleError, match="no closed form"):
        cv.grad(special.zeta)(2.0)


@pytest.mark.parametrize("name", ["sici", "fresnel"])
def test_pairs_of_integrals(name):
    ours, theirs = getattr(special, name), getattr(scipy_special, name)
    for k in (0, 1):
        for dtype in (np.float64, np.float32, np.float16):
            assert ours(X.astype(dtype))[k].dtype == dtype
        np.testing.assert_allclose(ours(X)[k], theirs(X)[k], rtol=1e-14)
        check_grads(lambda x, k=k: ours(x)[k], (X,))
    assert cv.grad(lambda x: special.sici(x)[0])(0.0) == 1.0
    with pytest.raises(DtypeError, match=rf"{name} takes real values, but got complex"):
        ours(1j * X)


def test_factorials_and_the_box_cox_transform():
    np.testing.assert_allclose(special.factorial([0, 3, 5, -2]), [1.0, 6.0, 120.0, 0.0])
    check_grads(special.factorial, (np.array([0.5, 3.0, -1.0]),))
    with pytest.raises(ValueError, match="factorial returns floating-point numbers, but exact=True was asked for"):
        special.factorial(3, exact=True)
    lmbda = np.array([-0.7, 0.0, 1e-9, 0.4, 2.0])
    for name in ("boxcox", "boxcox1p"):
        fun = getattr(special, name)
        np.testing.assert_allclose(fun(X[:, None], lmbda), getattr(scipy_special, name)(X[:, None], lmbda), rtol=1e-13)
        check_grads(fun, (X[:, None], lmbda))
    np.testing.assert_allclose(slope(special.boxcox, 2.0, 0.0, argnum=1), np.log(2.0) ** 2 / 2)


def test_the_box_cox_transform_at_the_ends_of_its_range():
    """The logarithm is infinite there, and 0 * inf is no value."""
    lmbda = np.array([-2.0, -0.5, 0.0, 0.25, 1.0, 2.0])
    x = np.array([[0.0], [np.inf]])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(special.boxcox(x, lmbda), scipy_special.boxcox(x, lmbda))
        np.testing.assert_array_equal(special.boxcox1p(x - 1, lmbda), scipy_special.boxcox1p(x - 1, lmbda))
        slopes = cv.vmap(cv.grad(special.boxcox, (0, 1)))(np.zeros(3), np.array([0.5, 1.0, 2.0]))
    np.testing.assert_array_equal(slopes[0], [np.inf, 1.0, 0.0])  # x^(λ - 1)
    np.testing.assert_array_equal(slopes[1], [4.0, 1.0, 0.25])  # of -1 / λ


def test_slopes_where_a_formula_divides_by_zero():
    assert slope(special.spence, 1.0) == -1.0
    assert float(cv.grad(cv.grad(special.spence))(1.0)) == 0.5
    assert slope(special.spence, 0.0) == -np.inf
    assert (slope(special.exprel, 0.0), float(cv.grad(cv.grad(special.exprel))(0.0))) == (0.5, pytest.approx(1 / 3))
    near = np.array([0.949, 0.951, 1.049, 1.051])
    h = 1e-5
    want = (scipy_special.spence(near + h) - scipy_special.spence(near - h)) / (2 * h)
    np.testing.assert_allclose(cv.elementwise_grad(special.spence)(near), want, rtol=1e-9)
    x = np.array([-0.501, -0.499, 0.499, 0.501])
    want = (scipy_special.exprel(x + h) - scipy_special.exprel(x - h)) / (2 * h)
    np.testing.assert_allclose(cv.elementwise_grad(special.exprel)(x), want, rtol=1e-9)


@pytest.mark.parametrize("a", [0.4, 1.0, 3.0])
def test_quantiles_are_still_at_the_ends_of_their_domain(a):
    assert slope(special.gammaincinv, a, 0.0) == slope(special.gammainccinv, a, 1.0) == 0.0
    for y in (0.0, 1.0):
        assert slope(special.betaincinv, a, 2.0, y) == slope(special.betaincinv, a, 2.0, y, argnum=1) == 0.0
    want = {0.4: 0.0, 1.0: 1.0, 3.0: np.inf}[a]
    assert slope(special.gammaincinv, a, 0.0, argnum=1) == want


@pytest.mark.parametrize("a", [0.02, 0.7, 5.0, 400.0])
def test_quantiles_undo_their_functions(a):
    y = np.array([0.01, 0.4, 0.9])
    np.testing.assert_allclose(special.gammainc(a, special.gammaincinv(a, y)), y)
    np.testing.assert_allclose(cv.jacobian(lambda a: special.gammainc(a, special.gammaincinv(a, y)))(a), 0.0,
                               atol=1e-12)
    np.testing.assert_allclose(cv.jacobian(lambda a: special.betainc(a, 2.0, special.betaincinv(a, 2.0, y)))(a), 0.0,
                               atol=1e-12)


def test_the_inverse_error_function_needs_no_scipy(monkeypatch):
    x = np.concatenate([np.linspace(-1.0, 1.0, 2001), 1.0 - np.logspace(-16, -1, 50), np.logspace(-300, -1, 50)])
    want = scipy_special.erfinv(x)
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    np.testing.assert_allclose(special.erfinv(x), want, rtol=2e-15)
    np.testing.assert_array_equal(special.erfinv(np.array([-1.0, 1.0, 1.5, np.nan])), [-np.inf, np.inf, np.nan, np.nan])
    assert cv.random.normal(cv.random.key(0), (3,)).shape == (3,)


def test_names_of_autograd():
    assert special.psi is special.digamma and special.jn is special.jv


@pytest.mark.filterwarnings("ignore:floating point number truncated:RuntimeWarning")
def test_yn_of_an_order_that_is_not_whole_is_that_of_the_whole_one():
    x = np.array([0.5, 1.5])
    for order in (0.7, 2.9, 1, np.array([0.7, 2.0])):
        gradient = cv.grad(lambda x: special.yn(order, x).sum())(x)
        np.testing.assert_allclose(gradient, cv.grad(lambda x: special.yn(np.trunc(order), x).sum())(x))
