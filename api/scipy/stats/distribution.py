"""The classes of distributions: formulas of a standard form, and the methods of SciPy's distributions."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import RuleError, at_user_line
from ...core.ops import arithmetic, selection
from ...core.ops.special.scipy_kernels import weakly
from ...core.trace.device import constant
from ...numpy.surface import Array, floating, lift

Formula = Callable[..., Array]
# The ends; or a function of the shapes, that returns them and a point between them.
Support = tuple[float, float] | Callable[..., tuple[Any, Any, Any]]


def quiet_log(x: Array) -> Array:
    """The logarithm, -∞ at 0 without a warning, and with an infinite derivative there."""
    with np.errstate(divide="ignore"):
        return arithmetic.log(x)


def log_by_tails(mine: Array, other: Array) -> Array:
    """Compute the logarithm of a probability from it and the rest, of which the smaller has all its digits."""
    most = mine > 0.5
    return selection.where(most, arithmetic.log1p(-selection.where(most, other, 0.0)),
                           quiet_log(selection.where(most, 1.0, mine)))


class Distribution:
    """Parameters by position or by name, as SciPy takes them."""

    def __init__(self, name: str, shapes: str, support: Support, last: tuple[str, ...], **formulas: Formula):
        self.name = name
        self.shapes = tuple(shapes.split())
        self.support = support
        self.formulas = formulas
        self.parameters = (*self.shapes, *last)
        self.__doc__ = f"The {type(self).__name__.lower()} distribution {name} of {', '.join(self.parameters)}."

    def __repr__(self) -> str:
        return f"<{self.name}({', '.join(self.parameters)})>"

    def bound(self, method: str, x: Array, args: tuple, named: dict[str, Any]) -> tuple[list[Array], Any, Any]:
        """Return the shape parameters, location and scale of a call at `x`, whose precision Python numbers adopt."""
        call = f"{self.name}.{method}"
        if len(args) > len(self.parameters):
            raise TypeError(f"{call} takes the parameters {', '.join(self.parameters)}, but got {len(args)} of them; "
                            f"leave out what is too much{at_user_line()}")
        found = dict(zip(self.parameters, args))
        for name, value in named.items():
            if name not in self.parameters or name in found:
                raise TypeError(f"{call} takes the parameters {', '.join(self.parameters)}, each once, but got {name}="
                                f"{value!r}; rename it, or omit it{at_user_line()}")
            found[name] = value
        missing = [n for n in self.shapes if n not in found]
        if missing:
            raise TypeError(f"{call} takes the parameters {', '.join(self.parameters)}, but got no {missing[0]}; give "
                            f"it by position or by name{at_user_line()}")
        shapes = [lift(found[n]) for n in self.shapes]
        shapes = [constant(np.asarray(v, x.dtype), x) if type(v) in (int, float) else v for v in shapes]
        return shapes, lift(found.get("loc", 0.0)), lift(found.get("scale", 1.0))

    def formula(self, method: str, *others: str) -> Formula:
        """Return the first formula that is defined."""
        for name in (method, *others):
            if name in self.formulas:
                return self.formulas[name]
        raise RuleError(f"{self.name}.{method} has no formula whose derivatives are known; {self.name} has "
                        f"{', '.join(sorted(self.formulas))}{at_user_line()}")

    def outside(self, z: Array, shapes: list[Array]) -> tuple[Any, Any, Array]:
        """Return where `z` is below and above the support, and `z` with a point of the support in place of these."""
        if callable(self.support):
            low, high, safe = self.support(*shapes)
            beyond = (z < low) | (z > high)
            return z < low, z > high, selection.where(beyond, safe, z)
        low, high = self.support
        below = None if low == -math.inf else z < low
        above = None if high == math.inf else z > high
        safe = low + 0.5 if high == math.inf else 0.5 * (low + high)
        for side in (below, above):
            if side is not None:
                z = selection.where(side, safe, z)
        return below, above, z


def instead(value: Array, below: Any, at_low: float, above: Any, at_high: float) -> Array:
    """Replace `value` outside the support."""
    if below is not None:
        value = selection.where(below, at_low, value)
    return value if above is None else selection.where(above, at_high, value)


class Continuous(Distribution):
    """A continuous distribution: `logpdf(x, *shapes, loc=0, scale=1)` and the other methods, as in SciPy.

    Every method is differentiable with respect to `x` (or `q`) and all parameters.

    >>> import covector
    >>> from covector.scipy.stats import norm
    >>> round(float(norm.logpdf(1.0)), 6)
    -1.418939
    >>> covector.grad(norm.logpdf, argnums=1)(1.0, 0.5)
    array(0.5)
    """

    def __init__(self, name: str, shapes: str = "", support: Support = (-math.inf, math.inf),
                 **formulas: Formula):
        super().__init__(name, shapes, support, ("loc", "scale"), **formulas)

    def _standard(
        self, method: str, x: Array, args: tuple, named: dict[str, Any]
    ) -> tuple[Any, Any, Array, list[Array], Any]:
        x = floating(x)
        shapes, loc, scale = self.bound(method, x, args, named)
        return (*self.outside((x - loc) / scale, shapes), shapes, scale)

    def logpdf(self, x: Array, *args: Array, **named: Array) -> Array:
        """Return the logarithm of the density at `x`; -∞ outside the support."""
        return self._density("logpdf", x, args, named)

    def pdf(self, x: Array, *args: Array, **named: Array) -> Array:
        """Return the density at `x`; 0 outside the support."""
        return arithmetic.exp(self._density("pdf", x, args, named))

    def _density(self, method: str, x: Array, args: tuple, named: dict[str, Any]) -> Array:
        below, above, z, shapes, scale = self._standard(method, x, args, named)
        value = self.formula("logpdf")(z, *shapes)
        value = value if type(scale) is float and scale == 1.0 else value - weakly(arithmetic.log, scale)
        return instead(value, below, -math.inf, above, -math.inf)

    def cdf(self, x: Array, *args: Array, **named: Array) -> Array:
        """Return the probability of values up to `x`."""
        below, above, z, shapes, _ = self._standard("cdf", x, args, named)
        return instead(self.formula("cdf")(z, *shapes), below, 0.0, above, 1.0)

    def sf(self, x: Array, *args: Array, **named: Array) -> Array:
        """Return the probability of values above `x`."""
        below, above, z, shapes, _ = self._standard("sf", x, args, named)
        return instead(self.formula("sf")(z, *shapes), below, 1.0, above, 0.0)

    def logcdf(self, x: Array, *args: Array, **named: Array) -> Array:
        """Return the logarithm of the probability of values up to `x`."""
        below, above, value = self._logarithm("logcdf", ("cdf", "sf"), x, args, named)
        return instead(value, below, -math.inf, above, 0.0)

    def logsf(self, x: Array, *args: Array, **named: Array) -> Array:
        """Return the logarithm of the probability of values above `x`."""
        below, above, value = self._logarithm("logsf", ("sf", "cdf"), x, args, named)
        return instead(value, below, 0.0, above, -math.inf)

    def _logarithm(
        self, method: str, tails: tuple[str, str], x: Array, args: tuple, named: dict[str, Any]
    ) -> tuple[Any, Any, Array]:
        """Return the formula of a logarithm, or that of this tail; of one above a half, by the other tail."""
        below, above, z, shapes, _ = self._standard(method, x, args, named)
        if method in self.formulas:
            return below, above, self.formulas[method](z, *shapes)
        mine, other = [self.formula(method, name)(z, *shapes) for name in tails]
        return below, above, log_by_tails(mine, other)

    def ppf(self, q: Array, *args: Array, **named: Array) -> Array:
        """Return the quantile for the probability `q`; NaN if it is not between 0 and 1."""
        return self._quantile("ppf", q, args, named)

    def isf(self, q: Array, *args: Array, **named: Array) -> Array:
        """Return the value exceeded with probability `q`; NaN if it is not between 0 and 1."""
        return self._quantile("isf", q, args, named)

    def _quantile(self, method: str, q: Array, args: tuple, named: dict[str, Any]) -> Array:
        q = floating(q)
        shapes, loc, scale = self.bound(method, q, args, named)
        wrong = (q < 0) | (q > 1)
        value = self.formula(method)(selection.where(wrong, 0.5, q), *shapes) * scale + loc
        return selection.where(wrong, math.nan, value)


class Discrete(Distribution):
    """A discrete distribution: `logpmf(k, *shapes, loc=0)` and the other methods, as in SciPy.

    Every method is differentiable with respect to the parameters; the derivative with respect to `k` is 0.

    >>> import covector
    >>> from covector.scipy.stats import poisson
    >>> round(float(poisson.logpmf(3, 2.0)), 6)
    -1.712318
    >>> covector.grad(poisson.logpmf, argnums=1)(3, 2.0)
    array(0.5)
    """

    def __init__(self, name: str, shapes: str, support: Support = (0.0, math.inf), **formulas: Formula):
        super().__init__(name, shapes, support, ("loc",), **formulas)

    def _standard(self, method: str, k: Array, args: tuple, named: dict[str, Any]) -> tuple[Array, list[Array]]:
        k = floating(k)
        shapes, loc, _ = self.bound(method, k, args, named)
        return k - loc, shapes

    def logpmf(self, k: Array, *args: Array, **named: Array) -> Array:
        """Return the logarithm of the probability of `k`; -∞ for values that are not integers in the support."""
        return self._probability("logpmf", k, args, named)

    def pmf(self, k: Array, *args: Array, **named: Array) -> Array:
        """Return the probability of `k`."""
        return arithmetic.exp(self._probability("pmf", k, args, named))

    def _probability(self, method: str, k: Array, args: tuple, named: dict[str, Any]) -> Array:
        z, shapes = self._standard(method, k, args, named)
        whole = selection.floor(z)
        below, above, safe = self.outside(whole, shapes)
        value = instead(self.formula("logpmf")(safe, *shapes), below, -math.inf, above, -math.inf)
        return selection.where(whole == z, value, -math.inf)

    def cdf(self, k: Array, *args: Array, **named: Array) -> Array:
        """Return the probability of values up to `k`."""
        z, shapes = self._standard("cdf", k, args, named)
        below, above, safe = self.outside(selection.floor(z), shapes)
        return instead(self.formula("cdf")(safe, *shapes), below, 0.0, above, 1.0)

    def sf(self, k: Array, *args: Array, **named: Array) -> Array:
        """Return the probability of values above `k`."""
        z, shapes = self._standard("sf", k, args, named)
        below, above, safe = self.outside(selection.floor(z), shapes)
        return instead(self.formula("sf")(safe, *shapes), below, 1.0, above, 0.0)
