"""Bessel functions of order 0 and 1."""

from ...core.ops.special import bessel, bessel_orders
from ...core.types import Callable, Fun
from ...numpy.surface import Array, array_of, lift


def j0(x: Array, /) -> Array:
    """Compute the Bessel function of the first kind of order 0.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -J₁(x), DLMF 10.6.3.

    >>> from covector.scipy import special
    >>> round(float(special.j0(1.0)), 6)
    0.765198
    """
    return bessel.j0(lift(x))


def j1(x: Array, /) -> Array:
    """Compute the Bessel function of the first kind of order 1.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: (J₀(x) - J₂(x)) / 2, DLMF 10.6.1.

    >>> from covector.scipy import special
    >>> round(float(special.j1(1.0)), 6)
    0.440051
    """
    return bessel.j1(lift(x))


def y0(x: Array, /) -> Array:
    """Compute the Bessel function of the second kind of order 0.

    Args:
        x: an array, real; integers are converted to float64. A pole at 0, NaN below.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -Y₁(x), DLMF 10.6.3.

    >>> from covector.scipy import special
    >>> round(float(special.y0(1.0)), 6)
    0.088257
    """
    return bessel.y0(lift(x))


def y1(x: Array, /) -> Array:
    """Compute the Bessel function of the second kind of order 1.

    Args:
        x: an array, real; integers are converted to float64. A pole at 0, NaN below.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: (Y₀(x) - Y₂(x)) / 2, DLMF 10.6.1.

    >>> from covector.scipy import special
    >>> round(float(special.y1(1.0)), 6)
    -0.781213
    """
    return bessel.y1(lift(x))


def i0(x: Array, /) -> Array:
    """Compute the modified Bessel function of order 0.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: I₁(x), DLMF 10.29.3.

    >>> from covector.scipy import special
    >>> round(float(special.i0(1.0)), 6)
    1.266066
    """
    return bessel.i0(lift(x))


def i1(x: Array, /) -> Array:
    """Compute the modified Bessel function of order 1.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: (I₀(x) + I₂(x)) / 2, DLMF 10.29.1.

    >>> from covector.scipy import special
    >>> round(float(special.i1(1.0)), 6)
    0.565159
    """
    return bessel.i1(lift(x))


def i0e(x: Array, /) -> Array:
    """Compute exp(-abs(x)) I₀(x).

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: that of I₀ scaled, minus sign(x) times the value; 0 is chosen at 0.

    >>> from covector.scipy import special
    >>> round(float(special.i0e(100.0)), 6)
    0.039944
    """
    return bessel.i0e(lift(x))


def i1e(x: Array, /) -> Array:
    """Compute exp(-abs(x)) I₁(x).

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: that of I₁ scaled, minus sign(x) times the value.

    >>> from covector.scipy import special
    >>> round(float(special.i1e(100.0)), 6)
    0.039744
    """
    return bessel.i1e(lift(x))


def k0(x: Array, /) -> Array:
    """Compute the modified Bessel function K₀ of the second kind.

    Args:
        x: an array, real and positive; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`; infinite at 0, NaN below.
    Derivative: -K₁(x), DLMF 10.29.

    >>> from covector.scipy import special
    >>> round(float(special.k0(1.0)), 6)
    0.421024
    """
    return bessel.k0(lift(x))


def k1(x: Array, /) -> Array:
    """Compute the modified Bessel function K₁ of the second kind.

    Args:
        x: an array, real and positive; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`; infinite at 0, NaN below.
    Derivative: -K₀(x) - K₁(x) / x, DLMF 10.29.

    >>> from covector.scipy import special
    >>> round(float(special.k1(1.0)), 6)
    0.601907
    """
    return bessel.k1(lift(x))


def k0e(x: Array, /) -> Array:
    """Compute exp(x) K₀(x).

    Args:
        x: an array, real and positive; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`; infinite at 0, NaN below.
    Derivative: the value minus exp(x) K₁(x), DLMF 10.29.

    >>> from covector.scipy import special
    >>> round(float(special.k0e(1.0)), 6)
    1.144463
    """
    return bessel.k0e(lift(x))


def k1e(x: Array, /) -> Array:
    """Compute exp(x) K₁(x).

    Args:
        x: an array, real and positive; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`; infinite at 0, NaN below.
    Derivative: the value minus exp(x) K₀(x) minus the value over x, DLMF 10.29.

    >>> from covector.scipy import special
    >>> round(float(special.k1e(1.0)), 6)
    1.636153
    """
    return bessel.k1e(lift(x))


# Bessel functions of any order, which are not differentiable with respect to the order.

REAL_ORDER = "v: the order, real; without derivative."
SINGULAR = " A pole at 0, NaN below."


def documented(what: str, derivative: str, example: str, order: str = REAL_ORDER, at: str = "") -> Callable[[Fun], Fun]:
    """Document a function of an order and an array: what it computes, its derivative, and an example."""

    def describe(fun: Fun) -> Fun:
        given, value = example.split(" -> ")
        fun.__doc__ = f"""Compute {what}.

    Args:
        {order}
        x: an array, real; integers are converted to float64.{at}
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative with respect to the order is requested.
    Derivative: {derivative}

    >>> from covector.scipy import special
    >>> round(float(special.{fun.__name__}({given})), 6)
    {value}
    """
        return fun

    return describe


@documented("the Bessel function of the first kind of order `v`", "(J_{v-1}(x) - J_{v+1}(x)) / 2, DLMF 10.6.1.",
            example="2, 1.0 -> 0.114903")
def jv(v: Array, x: Array, /) -> Array:
    return bessel_orders.jv(array_of(v), lift(x))


jn = jv


@documented("the Bessel function of the second kind of an integer order", "(Y_{n-1}(x) - Y_{n+1}(x)) / 2, DLMF 10.6.1.",
            order="n: integers; not differentiable.", at=SINGULAR, example="2, 1.0 -> -1.650683")
def yn(n: Array, x: Array, /) -> Array:
    return bessel_orders.yn(array_of(n), lift(x))


@documented("the Bessel function of the second kind of order `v`", "(Y_{v-1}(x) - Y_{v+1}(x)) / 2, DLMF 10.6.1.",
            at=SINGULAR, example="0.5, 1.0 -> -0.431099")
def yv(v: Array, x: Array, /) -> Array:
    return bessel_orders.yv(array_of(v), lift(x))


@documented("the modified Bessel function of the first kind of order `v`",
            "(I_{v-1}(x) + I_{v+1}(x)) / 2, DLMF 10.29.1.", example="2, 1.0 -> 0.135748")
def iv(v: Array, x: Array, /) -> Array:
    return bessel_orders.iv(array_of(v), lift(x))


@documented("`exp(-abs(x))` times the modified Bessel function of the first kind of order `v`",
            "(ive_{v-1}(x) + ive_{v+1}(x)) / 2 - sign(x) ive_v(x), DLMF 10.29.1; 0 is chosen at 0.",
            at=" For v = 0 not smooth at 0.", example="2, 1.0 -> 0.049939")
def ive(v: Array, x: Array, /) -> Array:
    return bessel_orders.ive(array_of(v), lift(x))


@documented("the modified Bessel function of the second kind of order `v`",
            "-(K_{v-1}(x) + K_{v+1}(x)) / 2, DLMF 10.29.1.", at=SINGULAR, example="2, 1.0 -> 1.624839")
def kv(v: Array, x: Array, /) -> Array:
    return bessel_orders.kv(array_of(v), lift(x))


@documented("exp(x) times the modified Bessel function of the second kind of order `v`",
            "kve_v(x) - (kve_{v-1}(x) + kve_{v+1}(x)) / 2, DLMF 10.29.1.", at=SINGULAR, example="2, 1.0 -> 4.41677")
def kve(v: Array, x: Array, /) -> Array:
    return bessel_orders.kve(array_of(v), lift(x))
