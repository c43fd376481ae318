"""Bessel functions of any order, which are not differentiable with respect to the order."""

from ...core.ops.special import bessel_orders
from ...core.types import Callable, Fun
from ...numpy.surface import Array, array_of, lift

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
