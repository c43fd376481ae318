"""The functions whose values and slopes are compared with mpmath's, and where: rows that no extra package is needed for.

A row is `(name, function, mpmath's, options)`: the function takes the varied operand and those that `rest` gives for a
place. mpmath's references are recorded in `precision.npz`, which
`test_precision.py` reads; a derivative that is not recorded there is NaN.
"""

# ruff: noqa: E501 - a row a line

import math
import re

import numpy as np

import covector.numpy as cnp
from covector import nn
from covector.scipy import special, stats

_SIZES = [1e-300, 1e-200, 1e-160, 1e-100, 1e-40, 1e-30, 1e-20, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-4, 1e-3, 0.01,
          0.03, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.9, 0.99, 0.999, 1 - 2.0**-20, 1.0, 1.0001, 1.01, 1.1, 1.3, 1.5, 2.0, 2.5,
          3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.01, 10.0, 12.0, 15.0, 17.0, 18.5, 20.0, 22.0, 25.0, 27.0, 30.0, 35.0,
          38.0, 40.0, 50.0, 60.0, 80.0, 87.0, 88.5, 90.0, 100.0, 103.0, 150.0, 200.0, 300.0, 500.0, 700.0, 709.0, 745.0,
          1e3, 3e3, 1e4, 1e5, 1e6, 1e8, 1e10, 1e14, 1e18, 1e20, 1e25, 1e30, 1e37, 1e50, 1e80, 1e100, 1e154, 1e160, 1e200,
          1e300]


def rounded(x):
    """The nearest float32, of what has a normal one: both precisions then have the same places."""
    x = np.asarray(x, float)
    size = np.abs(x)
    with np.errstate(over="ignore"):
        return np.where((size >= 2.0**-126) & (size < 1e38), x.astype(np.float32).astype(float), x)


PLACES = rounded(np.concatenate([-np.array(_SIZES[::-1]), _SIZES]))
QUANTILES = rounded(np.array([1e-300, 1e-200, 1e-100, 1e-40, 1e-30, 1e-20, 1e-12, 1e-8, 1e-5, 1e-3, 0.01, 0.05, 0.1, 0.2,
                              0.3, 0.45, 0.499, 0.501, 0.55, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1 - 2.0**-15,
                              1 - 2.0**-20]))
_FEW = rounded(np.array([1e-6, 0.01, 0.3, 1.5, 4.0, 10.0, 25.0, 38.0, 60.0, 100.0, 500.0, 700.0]))


class Row:
    """One function of one varied operand.

    `rest(x)` gives the other operands at the places x; `low` and `high` bound the places, `size` their absolute values.
    """

    def __init__(self, name, fun, exact, rest=(), low=-math.inf, high=math.inf, size=(0.0, math.inf), places=None):
        self.name, self.fun, self.exact = name, fun, exact
        found = PLACES if places is None else places
        keep = (found > low) & (found < high) & (abs(found) >= size[0]) & (abs(found) <= size[1])
        self.places = found[keep]
        self.rest = [rounded(np.broadcast_to(r(self.places) if callable(r) else r, self.places.shape)) for r in rest]


def _unary(mp):
    """Functions of one operand."""
    exp, log, one, pi = mp.exp, mp.log, mp.mpf(1), mp.pi
    sig = lambda x: one / (1 + exp(-x))  # noqa: E731
    log1p = mp.log1p
    soft = lambda x: log1p(exp(-abs(x))) + max(x, 0)  # noqa: E731
    phi = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2  # noqa: E731
    scaled_erfc = lambda x: exp(x * x) * mp.erfc(x) if x < 1e3 else 1 / (x * mp.sqrt(pi)) * mp.hyp2f0(  # noqa: E731
        one / 2, 1, -1 / x**2)
    elu = lambda a, s: lambda x: s * (x if x > 0 else a * mp.expm1(x))  # noqa: E731
    scale, alpha = mp.mpf(1.0507009873554804934193349852946), mp.mpf(1.6732632423543772848170429916717)
    gelu_inner = lambda x: mp.sqrt(2 / pi) * (x + mp.mpf(0.044715) * x**3)  # noqa: E731
    wide = {"size": (1e-40, 1e6)}
    some = {"size": (1e-12, 1e4)}
    R = Row
    return [
        R("exp", cnp.exp, exp), R("exp2", cnp.exp2, lambda x: mp.mpf(2) ** x), R("expm1", cnp.expm1, mp.expm1),
        R("log", cnp.log, log, low=0), R("log2", cnp.log2, lambda x: log(x) / log(mp.mpf(2)), low=0),
        R("log10", cnp.log10, lambda x: log(x) / log(mp.mpf(10)), low=0), R("log1p", cnp.log1p, log1p, low=-1),
        R("sin", cnp.sin, mp.sin, size=(0, 1e8)), R("cos", cnp.cos, mp.cos, size=(0, 1e8)),
        R("tan", cnp.tan, mp.tan, size=(0, 1e6)),
        R("sinh", cnp.sinh, mp.sinh), R("cosh", cnp.cosh, mp.cosh), R("tanh", cnp.tanh, mp.tanh),
        R("arcsin", cnp.arcsin, mp.asin, low=-1, high=1), R("arccos", cnp.arccos, mp.acos, low=-1, high=1),
        R("arctan", cnp.arctan, mp.atan), R("arcsinh", cnp.arcsinh, mp.asinh), R("arccosh", cnp.arccosh, mp.acosh, low=1),
        R("arctanh", cnp.arctanh, mp.atanh, low=-1, high=1),
        R("sqrt", cnp.sqrt, mp.sqrt, low=0), R("cbrt", cnp.cbrt, lambda x: mp.sign(x) * mp.cbrt(abs(x))),
        R("square", cnp.square, lambda x: x * x), R("reciprocal", cnp.reciprocal, lambda x: 1 / x),
        R("cube", lambda x: x**3, lambda x: x**3), R("x**-2", lambda x: x**-2, lambda x: x**-2),
        R("x**-1", lambda x: x**-1, lambda x: x**-1), R("x**-3", lambda x: x**-3, lambda x: x**-3),
        R("x**0.5", lambda x: x**0.5, mp.sqrt, low=0), R("x**1.5", lambda x: x**1.5, lambda x: x**mp.mpf(1.5), low=0),
        R("x**-0.5", lambda x: x**-0.5, lambda x: x**mp.mpf(-0.5), low=0),
        R("1/x", lambda x: 1 / x, lambda x: 1 / x), R("2**x", lambda x: 2.0**x, lambda x: mp.mpf(2)**x),
        R("sinc", cnp.sinc, lambda x: mp.sin(pi * x) / (pi * x), size=(0, 1e4)),
        R("sigmoid", nn.sigmoid, sig), R("silu", nn.silu, lambda x: x * sig(x)), R("softplus", nn.softplus, soft),
        R("log_sigmoid", nn.log_sigmoid, lambda x: -soft(-x)), R("nn.tanh", nn.tanh, mp.tanh),
        R("elu", nn.elu, elu(1, 1)), R("elu 0.5", lambda x: nn.elu(x, 0.5), elu(one / 2, 1)),
        R("selu", nn.selu, elu(alpha, scale)), R("celu", nn.celu, elu(1, 1)),
        R("celu 2", lambda x: nn.celu(x, 2.0), lambda x: x if x > 0 else 2 * mp.expm1(x / 2)),
        R("mish", nn.mish, lambda x: x * mp.tanh(soft(x))),
        R("gelu", nn.gelu, lambda x: x * sig(2 * gelu_inner(x))),
        R("gelu exact", lambda x: nn.gelu(x, False), lambda x: x * phi(x)),
        R("squareplus", nn.squareplus, lambda x: (x + mp.sqrt(x * x + 4)) / 2 if x > 0 else 2 / (mp.sqrt(x * x + 4) - x)),
        R("log1mexp", nn.log1mexp, lambda x: log1p(-exp(-x)) if x > 1 else log(-mp.expm1(-x)), low=0),
        R("softsign", nn.soft_sign,
          lambda x: x / (1 + abs(x))),
        R("softmax 2", lambda x: nn.softmax(cnp.stack([x, 0 * x], 1), 1)[:, 0], sig),
        R("log_softmax 2", lambda x: nn.log_softmax(cnp.stack([x, 0 * x], 1), 1)[:, 0], lambda x: -soft(-x)),
        R("logsumexp 2", lambda x: special.logsumexp(cnp.stack([x, 0 * x], 1), 1), soft),
        R("expit", special.expit, sig), R("log_expit", special.log_expit, lambda x: -soft(-x)),
        R("logit", special.logit, lambda x: log(x) - log1p(-x), low=0, high=1),
        R("entr", special.entr, lambda x: -x * log(x), low=0), R("erf", special.erf, mp.erf),
        R("erfc", special.erfc, mp.erfc),
        R("erfcx", special.erfcx, scaled_erfc, low=-27),
        R("erfi", special.erfi, mp.erfi, size=(0, 30)),
        R("dawsn", special.dawsn, lambda x: mp.sqrt(pi) / 2 * exp(-x * x) * mp.erfi(x), size=(0, 60)),
        R("ndtr", special.ndtr, phi), R("log_ndtr", special.log_ndtr, lambda x: log(phi(x)) if x < 1 else log1p(-phi(-x))),
        R("ndtri", special.ndtri, lambda q: mp.sqrt(2) * mp.erfinv(2 * q - 1), places=QUANTILES[6:]),
        R("erfinv", special.erfinv, mp.erfinv, low=-1, high=1),
        R("erfcinv", special.erfcinv, lambda q: mp.erfinv(1 - q), places=QUANTILES[6:]),
        R("gamma", special.gamma, mp.gamma, size=(1e-40, 200)), R("gammaln", special.gammaln, lambda x: mp.loggamma(x).real,
                                                                low=0, size=(1e-100, 1e18)),
        R("digamma", special.digamma, mp.digamma, low=0, **wide), R("rgamma", special.rgamma, mp.rgamma, size=(1e-40, 200)),
        R("exp1", special.exp1, mp.e1, low=0, size=(1e-40, 800)), R("expi", special.expi, mp.ei, size=(1e-40, 800)),
        R("expn 2", lambda x: special.expn(2, x), lambda x: mp.expint(2, x), low=0, size=(1e-12, 700)),
        R("exprel", special.exprel, lambda x: mp.expm1(x) / x),
        R("spence", special.spence, lambda x: mp.polylog(2, 1 - x) if x <= 2 else -mp.polylog(2, 1 / (1 - x)) - pi**2 / 6
          - log(x - 1)**2 / 2, low=0, size=(1e-20, 1e6)),
        R("sici 0", lambda x: special.sici(x)[0], mp.si, **some), R("sici 1", lambda x: special.sici(x)[1], mp.ci, low=0, **some),
        R("shichi 0", lambda x: special.shichi(x)[0], mp.shi, size=(1e-12, 700)),
        R("shichi 1", lambda x: special.shichi(x)[1], mp.chi, low=0, size=(1e-12, 700)),
        R("i0", special.i0, lambda x: mp.besseli(0, x), size=(1e-12, 720)),
        R("i1", special.i1, lambda x: mp.besseli(1, x), size=(1e-12, 720)),
        R("i0e", special.i0e, lambda x: mp.besseli(0, x) * exp(-abs(x)), **some),
        R("i1e", special.i1e, lambda x: mp.besseli(1, x) * exp(-abs(x)), **some),
        R("ive 2", lambda x: special.ive(2, x), lambda x: mp.besseli(2, x) * exp(-abs(x)), low=0, **some),
        R("k0", special.k0, lambda x: mp.besselk(0, x), places=_FEW),
        R("k1", special.k1, lambda x: mp.besselk(1, x), places=_FEW),
        R("k0e", special.k0e, lambda x: mp.besselk(0, x) * exp(x), places=_FEW),
        R("k1e", special.k1e, lambda x: mp.besselk(1, x) * exp(x), places=_FEW),
        R("kve 0.5", lambda x: special.kve(0.5, x), lambda x: mp.besselk(one / 2, x) * exp(x), low=0, **some),
        R("iv 1.5", lambda x: special.iv(1.5, x), lambda x: mp.besseli(one * 1.5, x), low=0, size=(1e-12, 700)),
        R("j0", special.j0, lambda x: mp.besselj(0, x), size=(1e-8, 200)), R("j1", special.j1, lambda x: mp.besselj(1, x), size=(1e-8, 200)),
        R("jv 1.5", lambda x: special.jv(1.5, x), lambda x: mp.besselj(one * 1.5, x), low=0, size=(1e-8, 200)),
        R("y0", special.y0, lambda x: mp.bessely(0, x), low=0, size=(1e-8, 200)), R("y1", special.y1, lambda x: mp.bessely(1, x), low=0, size=(1e-8, 200)),
        R("ellipk", special.ellipk, mp.ellipk, high=1, size=(1e-16, 1e8)), R("ellipe", special.ellipe, mp.ellipe, high=1, size=(1e-16, 1e8)),
        R("cosm1", special.cosm1, lambda x: -2 * mp.sin(x / 2)**2, size=(0, 1e6)), R("exp10", special.exp10, lambda x: mp.mpf(10)**x),
        R("ndtri_exp", special.ndtri_exp, None, places=np.array([])),
        R("wrightomega", special.wrightomega, lambda x: mp.lambertw(exp(x)).real, size=(0, 700)),
    ]


def _several(mp):
    """Functions of several operands, by each; the others near, equal, far above and far below."""
    exp, log = mp.exp, mp.log
    rows = []

    def both(name, fun, exact, others, **limits):
        """Vary either operand; `others` makes the one from the other."""
        for label, other in others.items():
            rows.append(Row(f"{name} by x, y = {label}", fun, exact, [other], **limits))
            rows.append(Row(f"{name} by y, x = {label}", lambda y, x, fun=fun: fun(x, y), lambda y, x: exact(x, y), [other], **limits))

    near = {"1": 1.0, "0.6 its": lambda x: 0.6 * x, "-3 its": lambda x: -3 * x, "1e-30": 1e-30, "1e30": 1e30}
    positive = {"0.7": 0.7, "2.5": 2.5, "0.6 its": lambda x: 0.6 * x}
    both("arctan2", cnp.arctan2, lambda x, y: mp.atan2(x, y), near)
    both("hypot", cnp.hypot, lambda x, y: mp.sqrt(x * x + y * y), near)
    both("divide", cnp.divide, lambda x, y: x / y, near)
    both("logaddexp", cnp.logaddexp, lambda x, y: max(x, y) + mp.log1p(exp(-abs(x - y))), {"0": 0.0, "1": 1.0, "-3 its": lambda x: -3 * x, "2 less": lambda x: rounded(x - 2)})
    both("logaddexp2", cnp.logaddexp2, lambda x, y: max(x, y) + mp.log1p(exp(-abs(x - y) * log(mp.mpf(2)))) / log(mp.mpf(2)), {"0": 0.0, "1": 1.0})
    both("power", cnp.power, lambda x, y: x**y, {"0.7": 0.7, "2.5": 2.5, "2": 2.0}, low=0)
    rows.append(Row("power by x, y = -1.5", cnp.power, lambda x, y: x**y, [-1.5], low=0))
    both("xlogy", special.xlogy, lambda x, y: x * log(y), positive, low=0)
    both("xlog1py", special.xlog1py, lambda x, y: x * mp.log1p(y), positive, low=0)
    both("rel_entr", special.rel_entr, lambda x, y: x * log(x / y), positive, low=0)
    both("kl_div", special.kl_div, lambda x, y: x * log(x / y) - x + y, positive, low=0)

    def boxcox(x, k):
        return log(x) if k == 0 else mp.expm1(k * log(x)) / k

    def boxcox1p(x, k):
        u = mp.log1p(x)
        return u if k == 0 else mp.expm1(k * u) / k

    for k in (-6.27, -1.0, -1e-3, 1e-8, 0.0, 0.5, 1.0, 3.0):
        rows.append(Row(f"boxcox by x, lmbda = {k}", special.boxcox, boxcox, [k], low=0))
        rows.append(Row(f"boxcox1p by x, lmbda = {k}", special.boxcox1p, boxcox1p, [k], low=-1))
        rows.append(Row(f"inv_boxcox by y, lmbda = {k}", special.inv_boxcox, lambda y, k: exp(y) if k == 0 else exp(mp.log1p(k * y) / k) if k * y > -1 else mp.nan, [k]))
        rows.append(Row(f"inv_boxcox1p by y, lmbda = {k}", special.inv_boxcox1p, lambda y, k: mp.expm1(y) if k == 0 else mp.expm1(mp.log1p(k * y) / k) if k * y > -1 else mp.nan, [k]))
    for x in (0.3, 1.5, 15013173.0):
        rows.append(Row(f"boxcox by lmbda, x = {x}", lambda k, x: special.boxcox(x, k), lambda k, x: boxcox(x, k), [x], size=(1e-30, 700)))
        rows.append(Row(f"boxcox1p by lmbda, x = {x}", lambda k, x: special.boxcox1p(x, k), lambda k, x: boxcox1p(x, k), [x], size=(1e-30, 700)))
    both("beta", special.beta, lambda a, b: mp.beta(a, b), {"0.7": 0.7, "2.5": 2.5}, low=0, size=(1e-20, 1e3))
    both("betaln", special.betaln, lambda a, b: (mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)).real, {"0.7": 0.7, "2.5": 2.5}, low=0, size=(1e-20, 1e8))
    for a in (0.5, 2.5, 30.0):
        rows.append(Row(f"gammainc {a} by x", lambda x, a: special.gammainc(a, x), lambda x, a: mp.gammainc(a, 0, x, regularized=True), [a], low=0, size=(1e-40, 800)))
        rows.append(Row(f"gammaincc {a} by x", lambda x, a: special.gammaincc(a, x), lambda x, a: mp.gammainc(a, x, mp.inf, regularized=True), [a], low=0, size=(1e-40, 800)))
    for a, b in ((0.5, 0.5), (2.5, 0.7), (30.0, 20.0)):
        rows.append(Row(f"betainc {a} {b} by x", lambda x, a, b: special.betainc(a, b, x), lambda x, a, b: mp.betainc(a, b, 0, x, regularized=True), [a, b], low=0, high=1, size=(1e-20, 1)))
    rows.append(Row("stdtr 3 by t", lambda x, d: special.stdtr(d, x), lambda x, d: _student(mp, x, d), [3.0], size=(1e-20, 1e30)))
    rows.append(Row("owens_t by h", special.owens_t, None, [0.7], places=np.array([])))
    rows.append(Row("huber by r", lambda r, d: special.huber(d, r), lambda r, d: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), [1.25]))
    rows.append(Row("pseudo_huber by r", lambda r, d: special.pseudo_huber(d, r), lambda r, d: r * r / (1 + mp.sqrt(1 + (r / d)**2)), [1.25]))
    rows.append(Row("pseudo_huber by delta", special.pseudo_huber, lambda d, r: r * r / (1 + mp.sqrt(1 + (r / d)**2)), [1.25], low=0))
    return rows


def _student(mp, x, d):
    """The distribution function of Student's t, from its smaller tail."""
    tail = mp.betainc(d / 2, mp.mpf(1) / 2, 0, d / (d + x * x), regularized=True) / 2
    return tail if x < 0 else 1 - tail


def _distributions(mp):
    """Methods of distributions: each given by its lower and upper tail and density."""
    exp, log, log1p, expm1, one, pi = mp.exp, mp.log, mp.log1p, mp.expm1, mp.mpf(1), mp.pi
    rows = []

    def add(name, args, lower, upper, logpdf, low=-math.inf, size=(0, math.inf), high=math.inf, ppf=None, quick=None):
        dist, label = getattr(stats, name), " ".join([name, *map(str, args)])
        logged = lambda this, other: lambda x: log(this(x)) if this(x) < one / 2 else log1p(-other(x))  # noqa: E731
        methods = {"pdf": lambda x: exp(logpdf(x)), "logpdf": logpdf}
        if lower is not None:
            methods |= {"cdf": lower, "sf": upper, "logcdf": logged(lower, upper), "logsf": logged(upper, lower)}
        for method, exact in methods.items():
            rows.append(Row(f"{label}.{method}", lambda x, m=method: getattr(dist, m)(x, *args), exact, low=low, high=high,
                            places=PLACES[::3], size=size if method in ("pdf", "logpdf") or quick is None else quick))
        if ppf is not None:
            rows.append(Row(f"{label}.ppf", lambda q: dist.ppf(q, *args), ppf[0], places=ppf[2] if len(ppf) > 2 else QUANTILES))
            rows.append(Row(f"{label}.isf", lambda q: dist.isf(q, *args), ppf[1], places=ppf[2] if len(ppf) > 2 else QUANTILES))

    root2 = mp.sqrt(2)
    phi = lambda x: mp.erfc(-x / root2) / 2  # noqa: E731
    quantile = lambda q: root2 * mp.erfinv(2 * q - 1)  # noqa: E731
    few = QUANTILES[6:]
    add("norm", (), phi, lambda x: phi(-x), lambda x: -x * x / 2 - log(2 * pi) / 2,
        ppf=(quantile, lambda q: -quantile(q), few))
    s = one * 0.75
    add("lognorm", (0.75,), lambda x: phi(log(x) / s), lambda x: phi(-log(x) / s),
        lambda x: -(log(x) / s)**2 / 2 - log(x) - log(s) - log(2 * pi) / 2, low=0,
        ppf=(lambda q: exp(s * quantile(q)), lambda q: exp(-s * quantile(q)), few))
    add("uniform", (), lambda x: x, lambda x: 1 - x, lambda x: 0 * x, low=0, high=1, ppf=(lambda q: q, lambda q: 1 - q))
    add("expon", (), lambda x: -expm1(-x), lambda x: exp(-x), lambda x: -x, low=0,
        ppf=(lambda q: -log1p(-q), lambda q: -log(q)))
    half = lambda x: exp(x) / 2 if x < 0 else 1 - exp(-x) / 2  # noqa: E731
    lap = lambda q: log(2 * q) if q < one / 2 else -log(2 * (1 - q))  # noqa: E731
    add("laplace", (), half, lambda x: half(-x), lambda x: -abs(x) - log(mp.mpf(2)), ppf=(lap, lambda q: -lap(q)))
    sig = lambda x: 1 / (1 + exp(-x))  # noqa: E731
    odds = lambda q: log(q) - log1p(-q)  # noqa: E731
    add("logistic", (), sig, lambda x: sig(-x), lambda x: -abs(x) - 2 * log1p(exp(-abs(x))), ppf=(odds, lambda q: -odds(q)))
    low_cauchy = lambda x: mp.atan2(1, -x) / pi  # noqa: E731
    cauchy_ppf = lambda q: -mp.cot(pi * q)  # noqa: E731
    add("cauchy", (), low_cauchy, lambda x: low_cauchy(-x), lambda x: -log(pi) - log1p(x * x), ppf=(cauchy_ppf, lambda q: -cauchy_ppf(q)))
    double = lambda z: -expm1(-exp(z))  # noqa: E731
    single = lambda z: exp(-exp(z))  # noqa: E731
    shown = {"size": (0, 1e4)}
    add("gumbel_r", (), lambda x: single(-x), lambda x: double(-x), lambda x: -x - exp(-x),
        ppf=(lambda q: -log(-log(q)), lambda q: -log(-log1p(-q))), **shown)
    add("gumbel_l", (), double, single, lambda x: x - exp(x), ppf=(lambda q: log(-log1p(-q)), lambda q: log(-log(q))), **shown)
    b = one * 2.5
    add("pareto", (2.5,), lambda x: -expm1(-b * log(x)), lambda x: x**-b, lambda x: log(b) - (b + 1) * log(x), low=1,
        ppf=(lambda q: exp(-log1p(-q) / b), lambda q: q**(-1 / b)))
    for c in (0.5, 2.5):
        m = one * c
        add("weibull_min", (c,), lambda x, m=m: -expm1(-x**m), lambda x, m=m: exp(-x**m),
            lambda x, m=m: log(m) + (m - 1) * log(x) - x**m, low=0,
            ppf=(lambda q, m=m: (-log1p(-q))**(1 / m), lambda q, m=m: (-log(q))**(1 / m)))
    quick = (1e-30, 800)
    for a in (0.5, 2.5):
        m = one * a
        add("gamma", (a,), lambda x, m=m: mp.gammainc(m, 0, x, regularized=True), lambda x, m=m: mp.gammainc(m, x, mp.inf, regularized=True),
            lambda x, m=m: (m - 1) * log(x) - x - mp.loggamma(m).real, low=0, quick=quick)
    m = one * 2.5
    add("invgamma", (2.5,), lambda x: mp.gammainc(m, 1 / x, mp.inf, regularized=True), lambda x: mp.gammainc(m, 0, 1 / x, regularized=True),
        lambda x: -(m + 1) * log(x) - 1 / x - mp.loggamma(m).real, low=0, quick=(1e-3, 1e30))
    k = one * 3
    add("chi2", (3.0,), lambda x: mp.gammainc(k / 2, 0, x / 2, regularized=True), lambda x: mp.gammainc(k / 2, x / 2, mp.inf, regularized=True),
        lambda x: (k / 2 - 1) * log(x / 2) - x / 2 - mp.loggamma(k / 2).real - log(mp.mpf(2)), low=0, quick=quick)
    p, r = one * 2.5, one * 0.75
    add("beta", (2.5, 0.75), lambda x: mp.betainc(p, r, 0, x, regularized=True), lambda x: mp.betainc(r, p, 0, 1 - x, regularized=True),
        lambda x: (p - 1) * log(x) + (r - 1) * log1p(-x) - log(mp.beta(p, r)), low=0, high=1, quick=(1e-20, 1))
    d = one * 3
    add("t", (3.0,), lambda x: _student(mp, x, d), lambda x: _student(mp, -x, d),
        lambda x: (mp.loggamma((d + 1) / 2) - mp.loggamma(d / 2)).real - log(pi * d) / 2 - (d + 1) / 2 * log1p(x * x / d), quick=(1e-10, 1e30))
    add("halfnorm", (), lambda x: mp.erf(x / root2), lambda x: mp.erfc(x / root2), lambda x: -x * x / 2 + log(2 / pi) / 2, low=0,
        ppf=(lambda q: root2 * mp.erfinv(q), lambda q: root2 * mp.erfinv(1 - q), few))
    add("halfcauchy", (), lambda x: 2 / pi * mp.atan(x), lambda x: 2 / pi * mp.atan2(1, x), lambda x: log(2 / pi) - log1p(x * x), low=0,
        ppf=(lambda q: mp.tan(pi * q / 2), lambda q: mp.cot(pi * q / 2)))
    n1, n2 = one * 3, one * 5
    ratio = lambda x: n1 * x / (n2 + n1 * x)  # noqa: E731
    add("f", (3.0, 5.0), lambda x: mp.betainc(n1 / 2, n2 / 2, 0, ratio(x), regularized=True),
        lambda x: mp.betainc(n2 / 2, n1 / 2, 0, n2 / (n2 + n1 * x), regularized=True),
        lambda x: n2 / 2 * log(n2) + n1 / 2 * log(n1) + (n1 / 2 - 1) * log(x) - (n1 + n2) / 2 * log(n2 + n1 * x) - log(mp.beta(n1 / 2, n2 / 2)),
        low=0, quick=(1e-10, 1e20))
    g = one * 1.5
    add("gennorm", (1.5,), None, None, lambda x: log(g) - log(mp.mpf(2)) - mp.loggamma(1 / g).real - abs(x)**g)
    add("vonmises", (1.5,), None, None, lambda x: g * mp.cos(x) - log(2 * pi) - log(mp.besseli(0, g)), size=(0, 1e6))
    lo, hi = one * 1.5, one * 40
    mass = phi(-lo) - phi(-hi)
    add("truncnorm", (1.5, 40.0), lambda x: (phi(-lo) - phi(-x)) / mass, lambda x: (phi(-x) - phi(-hi)) / mass,
        lambda x: -x * x / 2 - log(2 * pi) / 2 - log(mass), low=1.5, high=40)
    return rows


def rows(mp):
    """All rows; `mp` is mpmath, or a stand-in where only the functions are needed."""
    found = _unary(mp) + _several(mp) + _distributions(mp)
    return [row for row in found if row.exact is not None and len(row.places)]


class Unevaluated:
    """Stands for mpmath where only the functions and the places are needed: the references are recorded."""

    def __getattr__(self, name):
        return self

    def __call__(self, *args):
        return self

    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __pow__ = __rpow__ = __call__
    __truediv__ = __rtruediv__ = __neg__ = __call__


# (pattern of names, dtype or None, orders of derivatives, why they are beyond the bound)
_ROUNDED = "a difference of two parts near a zero of it: the error is one rounding of the parts"
_LOGS = "the probability itself underflows, or the parts of its logarithm's second derivative cancel"
_POWER = "powers of z of shape - 1 and below: a logarithm times the shape is rounded, or an infinity meets 0"
_SQUARES = "composed of squares that overflow, or of parts that cancel"
_S = np.float32
EXCEPTIONS = [
    ("sinc", None, (0, 1, 2), "NumPy multiplies by a rounded π: no digits near its zeros, the integers"),
    ("gammaln", None, (0,), "SciPy rounds near the zeros at 1 and 2"), ("ellipk", None, (1, 2), "SciPy's hyp2f1 far from 0"),
    ("rgamma", None, (2,), "Γ overflows beside a sine that is small"), ("expi", None, (1, 2), "a zero at 1, and exp(x) / x from parts that overflow"),
    ("exprel|shichi .", _S, (1, 2), "exp(x) / x from parts that overflow"),
    ("hypot .*", None, (2,), "1 / h - x² / h³ cancels where one side is far longer"),
    ("softmax 2", None, (2,), "1 - 2 s of both shares cancels where they are nearly equal"), ("logsumexp 2", None, (0, 2), "the sum of exponentials is rounded beside the largest"),
    ("squareplus|softsign|pseudo_huber .*", None, (0, 1, 2), _SQUARES), ("erfcx|dawsn", _S, (2,), "from 6 to 8, where the direct formula still stands, it cancels"),
    ("log_ndtr|norm.logsf|halfnorm.logsf", _S, (2,), "the square of a slope underflows from 1e20 on"), ("ive 2", _S, (2,), _ROUNDED), ("gelu", _S, (1,), "x² is infinite at 1e37"),
    ("silu|mish", _S, (1, 2), "x times a sigmoid below the normal numbers"), ("divide by y.*|power by x.*|boxcox1p by .*", _S, (1, 2), "a part overflows before the whole"),
    ("inv_boxcox(1p)? by y, lmbda = (0.0|0.5|1e-08)", None, (1, 2), "a part overflows before the whole"),
    ("beta by .*", _S, (1, 2), _ROUNDED), ("betaln .*", None, (1, 2), "digamma(a) - digamma(a + b) cancels where a is far larger"), ("gammainc 2.5 by x", _S, (2,), _POWER), ("betainc 30.*", _S, (0,), "SciPy's float32 loop underflows"),
    ("logistic.(log)?pdf|gumbel_..(log)?pdf", None, (1,), _ROUNDED), ("gumbel_..(cdf|sf)", None, (2,), _ROUNDED), ("(norm|halfnorm).pdf", _S, (2,), _ROUNDED),
    ("(cauchy|halfcauchy).log(cdf|sf)", None, (1, 2), "the slope is 1 / x² over 1 / x, of which the first underflows"),
    (".*(ppf|isf)", None, (2,), "1 / q² overflows, and meets 0"),
    ("(gumbel_.|weibull_min|gamma|invgamma|chi2|t|beta|f)( .*)?.log(cdf|sf)", None, (0, 1, 2), _LOGS),
    ("(lognorm|invgamma) .*.logpdf", None, (2,), "1 / z² overflows, and meets 0"),
    ("(weibull_min|gamma|beta|chi2|f) .*.pdf", None, (1, 2), _POWER), ("(gamma|chi2) .*.(cdf|sf)", _S, (2,), _POWER),
    ("f .*.sf", None, (1, 2), "1 - x of a small x is rounded"),
]


def matches(pattern, name):
    return re.fullmatch(pattern, name) is not None


def excepted(name, dtype):
    """The orders of derivatives of a row that are not compared."""
    return {k for pattern, of, orders, _ in EXCEPTIONS if of in (None, dtype) and matches(pattern, name) for k in orders}


COMPILED = ["tanh", "sigmoid", "expm1", "elu", "selu", "softplus", "log_sigmoid", "silu", "gelu", "mish", "arctan",
            "arcsinh", "arcsin", "arctanh", "erfcx", "log_ndtr", "boxcox by x, lmbda = -6.27",
            "arctan2 by x, y = 0.6 its", "norm.logcdf", "cauchy.ppf"]
