"""torch.special and its functions at the top: gamma, error, Bessel and related functions, by covector.scipy.special."""

import numpy as np

from ....._interpreters import Ambient
from .....extend import REGISTRY, Batched, Tracer, constant, unwrap
from .....scipy import special
from ..dispatch.call import ROWS, Row, attach, floating, inplace_method, operation, promote
from ..dispatch.host_ops import is_plain, known, on_host, primal_of
from ..dispatch.layouts import IN_ORDER, check_broadcast
from .array_functions import cnp
from .elementwise import one
from .operands import operands

for _name, _primitive in {"lgamma": "gammaln", "digamma": None, "erfinv": None, "i0": None}.items():
    one(_name, _primitive)


for _name in ("entr", "ndtri", "log_ndtr", "erfcx", "i0e", "i1", "i1e", "ndtr", "airy_ai"):
    one(f"special.{_name}")
for _name in ("j0", "j1", "y0", "y1"):  # torch has no derivatives of these
    one(f"special.bessel_{_name}", _name)
for _name in ("i0", "i1", "k0", "k1"):
    one(f"special.modified_bessel_{_name}", _name)
for _name in ("k0", "k1"):
    one(f"special.scaled_modified_bessel_{_name}", _name + "e")


@operation("special.zeta", method=False)
def zeta(input, other):
    """Compute the Hurwitz zeta function."""
    x, q = operands(input, other, floats=True)
    if _carries(x):
        raise NotImplementedError("the derivative for 'zeta' by its first argument is not implemented (nor is it in "
                                  "PyTorch); detach() it")
    return REGISTRY["zeta"].fun(x, q)


def _carries(x):
    """Tell whether a core value carries a derivative, below a batch axis, too."""
    while isinstance(x, Ambient | Batched):
        if isinstance(x, Ambient) and (x.node is not None or x.tangent is not None):
            return True
        x = x.value
    return isinstance(x, Tracer)


@operation("special.xlog1py", method=False)
def xlog1py(input, other):
    """Compute `input * log1p(other)`, which is 0 where `input` is 0."""
    return special.xlog1py(*operands(input, other, floats=True))


@operation("igamma", inplace_form=True)
def igamma(input, other):
    """Compute the regularized lower incomplete gamma function."""
    return special.gammainc(*operands(input, other, floats=True))


@operation("igammac", inplace_form=True)
def igammac(input, other):
    """Compute the regularized upper incomplete gamma function."""
    return special.gammaincc(*operands(input, other, floats=True))


@operation("polygamma", method=False)
def polygamma(n, input):
    """Compute the derivative of order `n` of the digamma function."""
    if type(n) is not int:
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return special.polygamma(n, floating(input))


def _polygamma_method(self, n):
    """`torch.polygamma(n, self)`."""
    return polygamma(n, self)


attach("polygamma", _polygamma_method)
_SWAPPED = Row("polygamma", lambda x, n: polygamma.row.body(n, x), "PolygammaBackward1", checked=False)
attach("polygamma_", inplace_method(_SWAPPED))


@operation("mvlgamma", inplace_form=True, layout=IN_ORDER)
def mvlgamma(input, p):
    """Compute the logarithm of the multivariate gamma function."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    x = floating(input)
    parts = x.reshape((*x.shape, 1)) - np.arange(p, dtype=x.dtype) / 2
    return special.gammaln(parts).sum(axis=-1) + 0.25 * p * (p - 1) * float(np.log(np.pi))


for _alias, _name in {
    "digamma": "digamma", "psi": "digamma", "gammaln": "lgamma", "polygamma": "polygamma", "multigammaln": "mvlgamma",
    "gammainc": "igamma", "gammaincc": "igammac", "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "i0": "i0",
    "exp2": "exp2", "expm1": "expm1", "log1p": "log1p", "expit": "sigmoid", "logit": "logit", "sinc": "sinc",
    "round": "round", "xlogy": "xlogy", "logsumexp": "logsumexp", "softmax": "softmax", "log_softmax": "log_softmax",
}.items():  # fmt: skip
    ROWS[f"special.{_alias}"] = ROWS[_name]


# Orthogonal polynomials of torch.special, by their recurrences.


def family(name, first, step):
    """A family of polynomials: `first(x)` is the one of degree 1, `step(k, x, p, q)` the next after p (k) and q."""

    def body(input, n):
        if not hasattr(input, "dtype"):
            input = np.asarray(input, n.dtype if n.dtype.kind == "f" else np.float32)
        check_broadcast(input, n)
        x = floating(constant(input, n))
        if hasattr(n, "dtype"):
            x = promote(x)[0] if n.dtype.kind in "iu" else promote(x, n)[0]
        n = primal_of(n) if hasattr(n, "dtype") else np.asarray(n)
        values = unwrap(n)
        degrees = cnp.trunc(n) if is_plain(values) else np.trunc(known(f"special.{name}", n))
        values = on_host(values)
        highest = np.max(values, initial=0, where=values == values)  # of all examples
        shape = np.broadcast_shapes(tuple(x.shape), tuple(degrees.shape))
        x = cnp.broadcast_to(x, shape)
        one = cnp.ones_like(x)
        degrees = constant(degrees, x)
        out = cnp.where(degrees == 0, one, constant(np.zeros((), x.dtype), x))
        before, last = one, first(x)
        for k in range(1, int(highest) + 1):
            out = cnp.where(degrees == k, last, out)
            before, last = last, step(k, x, last, before)
        return out

    operation(f"special.{name}", method=False)(body)


def _chebyshev(k, x, p, q):
    return 2 * x * p - q


_FIRST = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}
for _kind, _first in _FIRST.items():
    family(f"chebyshev_polynomial_{_kind}", _first, _chebyshev)
    family(f"shifted_chebyshev_polynomial_{_kind}", (lambda f: lambda x: f(2 * x - 1))(_first),
           lambda k, x, p, q: _chebyshev(k, 2 * x - 1, p, q))
family("hermite_polynomial_h", lambda x: 2 * x, lambda k, x, p, q: 2 * x * p - 2 * k * q)
family("hermite_polynomial_he", lambda x: x, lambda k, x, p, q: x * p - k * q)
family("laguerre_polynomial_l", lambda x: 1 - x, lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1))
family("legendre_polynomial_p", lambda x: x, lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1))


@operation("special.spherical_bessel_j0", method=False)
def spherical_bessel_j0(input):
    """Compute `sin(x) / x`, the spherical Bessel function of order 0."""
    return REGISTRY["sinc"].fun(floating(input) * (1 / np.pi))
