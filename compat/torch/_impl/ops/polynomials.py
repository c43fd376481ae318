"""Orthogonal polynomials of torch.special, by their recurrences."""

import numpy as np

from .....extend import REGISTRY, constant, unwrap
from ..dispatch.broadcasting import check_broadcast
from ..dispatch.call import floating, operation, promote
from ..dispatch.host_ops import is_plain, known, on_host, primal_of
from .array_functions import cnp


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
