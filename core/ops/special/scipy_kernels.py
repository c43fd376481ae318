"""Calls of the SciPy function of the same name, with NumPy's promotion."""

from functools import partial

import numpy as np

from ...arrays.backend import special_function
from ...arrays.dtypes import is_inexact, result_dtype
from ...primitive.families import elementwise
from ...primitive.primitive import Loop
from ...trace.tracer import Tracer
from ..samples import Sample, together, unary

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
