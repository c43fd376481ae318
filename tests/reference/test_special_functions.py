"""Special functions against JAX and PyTorch in float64: values, slopes and curvatures."""

import numpy as np
import pytest

import covector as cv
from covector.scipy import special

pytestmark = pytest.mark.reference
jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
torch = pytest.importorskip("torch", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
theirs = jax.scipy.special

X = np.array([0.15, 0.4, 0.55, 0.9])
ONE = ("gamma gammaln digamma erf erfc erfinv ndtr log_ndtr ndtri logit expit entr i0 i1 i0e i1e").split()
WIDE = np.array([-3.0, -0.7, 0.4, 2.5])
ON_WIDE = {"erf", "erfc", "ndtr", "log_ndtr", "expit", "i0", "i1", "i0e", "i1e"}
TWO = {"beta": (X, X + 1), "betaln": (X, X + 1), "xlogy": (X, X + 1), "xlog1py": (X, X),
       "rel_entr": (X, X + 1), "kl_div": (X, X + 1)}


def close(ours, other, rtol=1e-9):
    np.testing.assert_allclose(ours, np.asarray(other), rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("name", ONE)
def test_function_of_one_array_is_that_of_jax(name):
    x = WIDE if name in ON_WIDE else X
    f, g = getattr(special, name), getattr(theirs, name)
    close(f(x), g(x))
    close(cv.grad(lambda x: f(x).sum())(x), jax.grad(lambda x: g(x).sum())(x))
    if name not in ("i1", "i1e"):  # JAX's second derivative of i1 loses half of its digits
        ours = cv.jvp(cv.grad(lambda x: f(x).sum()), (x,), (np.ones(4),))[1]
        close(ours, jax.jvp(jax.grad(lambda x: g(x).sum()), (x,), (np.ones(4),))[1], rtol=1e-7)


@pytest.mark.parametrize("name", sorted(TWO))
def test_function_of_two_arrays_is_that_of_jax(name):
    f, g = getattr(special, name), getattr(theirs, name)
    close(f(*TWO[name]), g(*TWO[name]))
    for ours, other in zip(cv.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1))(*TWO[name]),
                           jax.grad(lambda x, y: g(x, y).sum(), argnums=(0, 1))(*TWO[name]), strict=True):
        close(ours, other)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gamma_is_that_of_jax(name):
    a, x = np.array([0.3, 1.7, 6.0, 40.0]), np.array([0.5, 1.0, 9.0, 35.0])
    f, g = getattr(special, name), getattr(theirs, name)
    for ours, other in zip(cv.grad(lambda a, x: f(a, x).sum(), argnums=(0, 1))(a, x),
                           jax.grad(lambda a, x: g(a, x).sum(), argnums=(0, 1))(a, x), strict=True):
        close(ours, other, rtol=1e-6)


def test_incomplete_beta_by_its_last_argument_is_that_of_jax():
    close(cv.grad(lambda x: special.betainc(2.5, 1.5, x).sum())(X),
          jax.grad(lambda x: theirs.betainc(2.5, 1.5, x).sum())(X))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_polygamma_is_that_of_torch(n):
    x = torch.tensor(X, requires_grad=True)
    torch.special.polygamma(n, x).sum().backward()
    close(cv.grad(lambda x: special.polygamma(n, x).sum())(X), x.grad)


@pytest.mark.parametrize("d", [1, 3])
def test_multigammaln_is_that_of_torch(d):
    x = torch.tensor(X + 2, requires_grad=True)
    torch.special.multigammaln(x, d).sum().backward()
    close(cv.grad(lambda x: special.multigammaln(x, d).sum())(X + 2), x.grad)


PAIRS = {"erfcx": "erfcx", "erfinv": "erfinv", "ndtri": "ndtri", "log_ndtr": "log_ndtr", "i0e": "i0e", "i1": "i1",
         "i1e": "i1e", "entr": "entr", "sinc": "sinc", "gammaln": "gammaln", "digamma": "digamma", "logit": "logit"}


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_function_is_that_of_torch(name):
    x = torch.tensor(X, requires_grad=True)
    out = getattr(torch.special, PAIRS[name])(x)
    out.sum().backward()
    close(getattr(special, name)(X), out.detach())
    close(cv.grad(lambda x: getattr(special, name)(x).sum())(X), x.grad)


@pytest.mark.parametrize("corner", [(0.0, 0.0), (0.0, 2.0), (2.0, 3.0), (0.0, -1.0)])
def test_xlogy_at_its_corner_is_that_of_torch(corner):
    x, y = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in corner)
    torch.special.xlogy(x, y).backward()
    with np.errstate(all="ignore"):
        ours = cv.grad(special.xlogy, argnums=(0, 1))(*corner)
    close(ours[0], x.grad)
    if corner != (0.0, 0.0):  # torch gives NaN there; 0 log y is 0 for all y
        close(ours[1], y.grad)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_weighted_logsumexp_is_that_of_jax(axis):
    a = np.array([[0.5, -1.0, 2.0], [2.0, 0.1, -3.0]])
    b = np.array([[1.0, 2.0, 3.0], [0.5, 1.5, 2.0]])
    got = cv.grad(lambda a, b: special.logsumexp(a, axis, b).sum(), argnums=(0, 1))(a, b)
    want = jax.grad(lambda a, b: theirs.logsumexp(a, axis, b).sum(), argnums=(0, 1))(a, b)
    for ours, other in zip(got, want, strict=True):
        close(ours, other)


PARTLY = {  # the arguments before the last one
    "exp1": (), "expi": (), "expn": (3,), "spence": (), "dawsn": (), "zeta": (2.5,), "hyp2f1": (0.7, -1.2, 1.3),
    "hyp1f1": (0.7, 1.3), "factorial": (),
}
BY_TWO = {"boxcox": (X, X + 1), "boxcox1p": (X, X + 1), "owens_t": (X, X + 1)}


@pytest.mark.parametrize("name", sorted(PARTLY))
def test_function_by_its_last_argument_is_that_of_jax(name):
    given = PARTLY[name]
    f, g = (lambda x, of=of: getattr(of, name)(*given, x) for of in (special, theirs))
    close(f(X), g(X), rtol=1e-8)
    close(cv.grad(lambda x: f(x).sum())(X), jax.grad(lambda x: g(x).sum())(X), rtol=1e-7)


@pytest.mark.parametrize("name", sorted(BY_TWO))
def test_function_by_both_arguments_is_that_of_jax(name):
    f, g = getattr(special, name), getattr(theirs, name)
    close(f(*BY_TWO[name]), g(*BY_TWO[name]))
    for ours, other in zip(cv.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1))(*BY_TWO[name]),
                           jax.grad(lambda x, y: g(x, y).sum(), argnums=(0, 1))(*BY_TWO[name]), strict=True):
        close(ours, other, rtol=1e-7)


@pytest.mark.parametrize("name", ["sici", "fresnel"])
def test_pair_of_integrals_is_that_of_jax(name):
    f, g = getattr(special, name), getattr(theirs, name)
    for k in (0, 1):
        close(f(X)[k], g(X)[k], rtol=1e-8)
        close(cv.grad(lambda x, k=k: f(x)[k].sum())(X), jax.grad(lambda x, k=k: g(x)[k].sum())(X), rtol=1e-7)
