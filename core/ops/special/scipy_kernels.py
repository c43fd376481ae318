"""How an operation runs SciPy's function of the same name, in NumPy's promotion."""

import numpy as np

from ...arrays.backend import special_function
from ...arrays.dtypes import is_inexact, result_dtype
from ...primitive.families import elementwise
from ..samples import Sample, together, unary

WIDE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
_NATIVE = (WIDE, SINGLE)


def scipy_kernel(name, own=None):
    """SciPy's function `name` with NumPy's promotion; `own(xp, x)` where there is no SciPy.

    SciPy alone would give float64 for float16, and for float32 beside an integer or a Python number.
    """

    def run(xp, *xs):
        kernel = special_function(xp, name, own)
        if kernel is own:
            dtype = result_dtype(*xs)
            with np.errstate(all="ignore"):  # SciPy's functions do not warn
                out = own(xp, *[xp.asarray(x) for x in xs])
            return out.astype(dtype if is_inexact(dtype) else WIDE)[()]
        dtype = getattr(xs[0], "dtype", None)
        if dtype in _NATIVE and (len(xs) == 1 or all(getattr(x, "dtype", None) == dtype for x in xs)):
            return kernel(*xs)
        dtype = result_dtype(*xs)
        wide = WIDE if not is_inexact(dtype) else SINGLE if dtype.itemsize == 2 else dtype
        out = kernel(*[xp.asarray(x).astype(wide) for x in xs])
        return out.astype(dtype) if dtype.itemsize == 2 and wide is SINGLE else out

    return run


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
