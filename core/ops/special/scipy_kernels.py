"""Calls of the SciPy function of the same name, with NumPy's promotion, and of those with mixed dtypes."""

import functools
from functools import partial

import numpy as np

from ...arrays.backend import special_function
from ...arrays.dtypes import complex_dtype, is_inexact, result_dtype
from ...primitive.families import elementwise
from ...primitive.primitive import Loop
from ...trace.device import constant
from ...trace.tracer import Tracer
from ..samples import Sample, together, unary
from ..selection import astype

WIDE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
_NATIVE = (WIDE, SINGLE)


def scipy_kernel(name, own=None, part=None):
    """SciPy's function `name` with NumPy's promotion; `own(xp, x)` where there is no SciPy; `part` of several outputs.

    SciPy alone would give float64 for float16, and for float32 beside an integer or a Python number.
    """
    loop = Loop(name, part)

    def run(xp, *xs):
        traced = [x for x in xs if isinstance(x, Tracer)]
        kernel = partial(traced[0].owner.loop, loop) if traced else special_function(xp, name, own)
        if kernel is own:
            dtype = result_dtype(*xs)
            with np.errstate(all="ignore"):  # SciPy's functions do not warn
                out = own(xp, *[xp.asarray(x) for x in xs])
            return out.astype(dtype if is_inexact(dtype) else WIDE)[()]
        if part is not None and not traced:
            whole = kernel
            kernel = lambda *xs: whole(*xs)[part]  # noqa: E731 - a named function would name nothing
        dtype = getattr(xs[0], "dtype", bool)  # not None, which NumPy takes for float64
        if dtype in _NATIVE and (len(xs) == 1 or all(getattr(x, "dtype", None) == dtype for x in xs)):
            return kernel(*xs)
        dtype = result_dtype(*xs)
        wide = WIDE if not is_inexact(dtype) else SINGLE if dtype.itemsize == 2 else dtype
        out = kernel(*[array(xp, x).astype(wide) for x in xs])
        return out.astype(dtype) if dtype.itemsize == 2 and wide is SINGLE else out

    return run


def array(xp, x):
    """`x` as an array; symbols of a lowering as they are."""
    return x if isinstance(x, Tracer) else xp.asarray(x)


def scalar(x):
    """A 0-d array as a scalar; symbols of a lowering as they are."""
    return x if isinstance(x, Tracer) else x[()]


def scipy_unary(name, d, low, high, complex_too=False, extra=None, own=None, **facts):
    """SciPy's ufunc `name` of one array, with samples on `[low, high]` and at the points `extra`."""
    kernel = scipy_kernel(name, own)
    points = () if extra is None else (np.array(extra),)
    return elementwise(
        name,
        impl=lambda xp, x: kernel(xp, x),
        d={"x": d},
        samples=together(unary(low, high, complex_too=complex_too), lambda rng: [Sample(p) for p in points]),
        **facts,
    )


def weakly(fun, *xs):
    """`fun` of operands; of Python numbers alone a Python number, which leaves the precision of others as it is."""
    if all(type(x) in (int, float, bool, complex) for x in xs):
        return fun(*[1.0 * x for x in xs]).item()
    return fun(*xs)


# Calls of SciPy functions with mixed dtypes: integer orders, or complex results.

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
