"""autograd.misc.fixed_points: limits of iterations, differentiated by the implicit function theorem."""

from .._impl.core import defvjp, make_vjp, vspace
from .._impl.missing import refusing as _refusing
from .._impl.tracer import primitive


@primitive
def fixed_point(f, a, x0, distance, tol):
    """The fixed point of `f(a)`, iterated from `x0` until `distance(x, previous)` is at most `tol`.

    >>> from covector.compat.autograd import grad
    >>> from covector.compat.autograd.misc.fixed_points import fixed_point
    >>> newton = lambda a: lambda x: 0.5 * (x + a / x)
    >>> root = lambda a: fixed_point(newton, a, 1.0, lambda x, y: abs(x - y), 1e-9)
    >>> round(float(grad(root)(4.0)), 6)
    0.25
    """
    step = f(a)
    x, before = step(x0), x0
    while distance(x, before) > tol:
        x, before = step(x), x
    return x


def _fixed_point_vjp(ans, f, a, x0, distance, tol):
    def of_cotangent(given):
        a, x, ct = given
        vjp_x, _ = make_vjp(f(a), x)
        return lambda g: vspace(x).add(vjp_x(g), ct)

    vjp_a, _ = make_vjp(lambda a: f(a)(ans), a)
    return lambda g: vjp_a(fixed_point(of_cotangent, (a, ans, g), vspace(x0).zeros(), distance, tol))


defvjp(fixed_point, None, _fixed_point_vjp, None)

_refusing("misc.fixed_points")
