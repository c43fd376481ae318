"""autograd.test_util: derivatives compared with differences."""

import warnings
from itertools import product

from .core import make_jvp, make_vjp, vspace
from .wrap_util import get_name, unary_to_nary

TOL = 1e-6
RTOL = 1e-6
EPS = 1e-6


def scalar_close(a, b):
    """Tell whether two numbers agree to `TOL`, or relatively to `RTOL`."""
    return abs(a - b) < TOL or abs(a - b) / abs(a + b) < RTOL


def make_numerical_jvp(f, x):
    """The tangent map of a function of one argument, by central differences."""
    y = f(x)
    x_vs, y_vs = vspace(x), vspace(y)

    def jvp(v):
        ahead = f(x_vs.add(x, x_vs.scalar_mul(v, EPS / 2)))
        behind = f(x_vs.add(x, x_vs.scalar_mul(v, -EPS / 2)))
        return y_vs.scalar_mul(y_vs.add(ahead, y_vs.scalar_mul(behind, -1.0)), 1.0 / EPS)

    return jvp


def check_vjp(f, x):
    """Raise unless reverse mode agrees with differences in a random direction."""
    vjp, y = make_vjp(f, x)
    jvp = make_numerical_jvp(f, x)
    x_vs, y_vs = vspace(x), vspace(y)
    x_v, y_v = x_vs.randn(), y_vs.randn()
    vjp_y = x_vs.covector(vjp(y_vs.covector(y_v)))
    if not vspace(vjp_y) == x_vs:
        raise AssertionError(f"VSpace mismatch: the gradient of {get_name(f)} lies in {vspace(vjp_y)}, x in {x_vs}")
    exact = x_vs.inner_prod(x_v, vjp_y)
    numeric = y_vs.inner_prod(y_v, jvp(x_v))
    if not scalar_close(numeric, exact):
        raise AssertionError(f"Derivative (VJP) check of {get_name(f)} failed with arg {x}:\nanalytic: {exact}\n"
                             f"numeric:  {numeric}")


def check_jvp(f, x):
    """Raise unless forward mode agrees with differences in a random direction."""
    jvp = make_jvp(f, x)
    jvp_numeric = make_numerical_jvp(f, x)
    x_v = vspace(x).randn()
    check_equivalent(jvp(x_v)[1], jvp_numeric(x_v))


def check_equivalent(x, y):
    """Raise unless two values lie in one vector space and agree in a random direction."""
    x_vs, y_vs = vspace(x), vspace(y)
    if not x_vs == y_vs:
        raise AssertionError(f"VSpace mismatch:\nx: {x_vs}\ny: {y_vs}")
    v = x_vs.randn()
    if not scalar_close(x_vs.inner_prod(x, v), x_vs.inner_prod(y, v)):
        raise AssertionError(f"Value mismatch:\nx: {x}\ny: {y}")


@unary_to_nary
def check_grads(f, x, modes=("fwd", "rev"), order=2):
    """`check_grads(f, argnum=0, modes=…, order=2)(*args)`: raise unless derivatives agree with differences.

    >>> import numpy as np
    >>> from covector.compat.autograd.test_util import check_grads
    >>> check_grads(np.tanh, modes=["rev"], order=2)(0.5)
    """
    if not all(m in ("fwd", "rev") for m in modes):
        raise AssertionError(f"modes may hold 'fwd' and 'rev', but are {modes!r}")
    if "fwd" in modes:
        check_jvp(f, x)
        if order > 1:
            def push(x, v):
                return make_jvp(f, x)(v)[1]

            push.__name__ = f"jvp_{get_name(f)}"
            check_grads(push, (0, 1), modes, order=order - 1)(x, vspace(x).randn())
    if "rev" in modes:
        check_vjp(f, x)
        if order > 1:
            def pull(x, v):
                return make_vjp(f, x)[0](v)

            pull.__name__ = f"vjp_{get_name(f)}"
            check_grads(pull, (0, 1), modes, order=order - 1)(x, vspace(f(x)).randn())


def combo_check(fun, *args, **kwargs):
    """`combo_check(fun, …)(arguments of each position, …)`: `check_grads` of all combinations."""

    def _combo_check(*choices, **named):
        for chosen in product(*choices):
            for values in product(*[[(key, v) for v in vs] for key, vs in named.items()]):
                check_grads(fun, *args, **kwargs)(*chosen, **dict(values))

    return _combo_check


def quick_grad_check(fun, arg0, extra_args=(), kwargs=None, verbose=True, eps=1e-4, rtol=1e-4, atol=1e-6, rs=None):
    """`check_grads` of reverse mode; autograd deprecates it."""
    warnings.warn("quick_grad_check is deprecated in autograd; use test_util.check_grads(fun)(x)", stacklevel=2)
    check_grads(lambda x: fun(x, *extra_args, **(kwargs or {})), modes=["rev"], order=1)(arg0)
