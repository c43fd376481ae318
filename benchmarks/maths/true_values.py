"""The functions of mpmath's numbers: what all others are measured by."""

import mpmath


def _far_quantile(p):
    """The quantile of the normal distribution, with the digits that the least numbers take beside one."""
    with mpmath.workprec(2400):
        return mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1)


# name -> the function of mpmath numbers, inside the range where it is real and finite
EXACT = {
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "power": lambda x, y: mpmath.power(x, y),
    "logaddexp": lambda x, y: max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y))),
    "logaddexp2": lambda x, y: max(x, y) + mpmath.log1p(mpmath.mpf(2) ** -abs(x - y)) / mpmath.log(2),
    "ndtr": lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "ndtri": _far_quantile,
    "gelu": lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "log_expit": lambda x: -mpmath.log1p(mpmath.exp(-x)),
    "logit": lambda x: mpmath.log(x) - mpmath.log1p(-x),
    "xlogy": lambda x, y: x * mpmath.log(y),
    "xlog1py": lambda x, y: x * mpmath.log1p(y),
    "entr": lambda x: -x * mpmath.log(x),
    "gammaln": lambda x: mpmath.re(mpmath.loggamma(x)),
    "digamma": lambda x: mpmath.psi(0, x),
    "i0": lambda x: mpmath.besseli(0, x),
    "i1": lambda x: mpmath.besseli(1, x),
    "i0e": lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)),
    "i1e": lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)),
    **{
        ours: getattr(mpmath, theirs)
        for ours, theirs in {
            "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
            "arccosh": "acosh", "arctanh": "atanh",
        }.items()
    },
}  # fmt: skip


def exact(name):
    """The function `name` of mpmath numbers."""
    return EXACT.get(name) or getattr(mpmath, name)
