"""Calls of SciPy functions with mixed dtypes: integer orders, or complex results."""

import functools

import numpy as np

from ...arrays.backend import special_function
from ...arrays.dtypes import complex_dtype, is_inexact, result_dtype
from ...primitive.families import elementwise
from ...primitive.primitive import Loop
from ...trace.device import constant
from ...trace.tracer import Tracer
from ..selection import astype
from .scipy_kernels import SINGLE, WIDE

_WEAK = frozenset({int, float, complex, bool})


def scipy_call(name, complex_too=False, turned=False):
    """SciPy's function `name`, in the precision of the inexact operands.

    `complex_too`: its results are complex; `turned`: it takes the operands in the opposite order.
    """

    def run(xp, *xs):
        strong = [x for x in xs if type(x) not in _WEAK and is_inexact(x.dtype)]
        dtype = result_dtype(*strong) if strong else result_dtype(*xs)
        dtype = dtype if is_inexact(dtype) else WIDE
        wide = SINGLE if dtype.itemsize == 2 else dtype
        xs = [xp.asarray(x) for x in xs]
        xs = [x.astype(wide) if x.dtype.kind == "f" else x for x in xs]
        found = xp.asarray(special_function(xp, name)(*(xs[::-1] if turned else xs)))
        return found.astype(complex_dtype(wide)) if complex_too else found.astype(dtype)

    return run


def calling(name, run, d, samples, names="x", **facts):
    """The elementwise primitive that `run(xp, *xs)` computes, of the operands `names`; one loop in a lowering."""
    loop = Loop(lambda *xs: run(np, *xs))

    def compute(xp, *xs):
        traced = [x for x in xs if isinstance(x, Tracer)]
        return traced[0].owner.loop(loop, *xs) if traced else run(xp, *xs)

    impl = {"x": lambda xp, x: compute(xp, x), "n, x": lambda xp, n, x: compute(xp, n, x),
            "n, m, x, y": lambda xp, n, m, x, y: compute(xp, n, m, x, y)}[names]
    return elementwise(name, impl=impl, d=d, samples=samples, **facts)


def in_one_precision(fun):
    """`fun` of arrays: Python numbers take the precision of the arrays beside them, as in NumPy's promotion."""

    @functools.wraps(fun)
    def run(*xs):
        strong = [x for x in xs if type(x) not in _WEAK]
        dtype = result_dtype(*strong) if strong else WIDE
        dtype = dtype if is_inexact(dtype) else WIDE
        return fun(*[constant(np.asarray(x, dtype), *strong) if type(x) in _WEAK else x if is_inexact(x.dtype)
                     else astype(x, dtype) for x in xs])

    return run


def real_like(ct, x):
    """A cotangent of `x`: of a real operand, whose result is complex, the real part."""
    return ct.real if x.dtype.kind != "c" and ct.dtype.kind == "c" else ct
