"""Native kernels of operations on large plain arrays: one compiled loop in place of several NumPy passes."""

import functools

import numpy as np

from ..arrays.backend import ON_DEVICE
from ..arrays.compilers import eager_kernel

ndarray = np.ndarray
LEAST = 1 << 12  # elements; native code is faster from 2,048 on, and has to pay for its compilation
FEW = 1 << 4  # the same of rows: NumPy takes 4 to 6 us for its passes over the fewest of them, a kernel 1 to 2
SHORT = 64  # elements of a row, up to which it has a kernel of its own
KNOWN = {}  # (primitive, what of it, "short" or "device") -> {dtype: its kernel, or None where there is none}
_DTYPES = (np.dtype(np.float64), np.dtype(np.float32))


def kernel_of(name, what, define, kinds, floats=False):
    """A function of arrays and floats that runs a kernel; it gives None where there is none, or it does not fit them.

    Args:
        name, what: the primitive, and what of it this is.
        define: what is computed for a part of the arrays, in operations, which is staged.
        kinds: what each argument is: an "array", a "row" of a matrix (the operand is the matrix), the "number" of a row
            (of which the operand has a vector), a "vector" as long as a row, or a "float".
        floats: whether what is a "float" is given as one.
    """
    kernels = KNOWN[name, what] = {}
    rows = kinds[0] == "row"
    shorts = KNOWN.setdefault((name, what, "short") if rows else (name, what), {})
    there = KNOWN[name, what, "device"] = {}
    bare = floats or "float" not in kinds  # numbers may be integers

    def run(x, *rest):
        here = type(x) is ndarray
        short = here and rows and x.shape[1] <= SHORT
        known, dtype = shorts if short else kernels if here else there, x.dtype
        try:
            kernel = known[dtype]
        except KeyError:
            kernel = None
            if dtype in _DTYPES:
                kernel = known[dtype] = (eager_kernel("elementwise", define, dtype, kinds, short) if here
                                         else eager_kernel("device", define, dtype, kinds))
        if kernel is None:
            return None
        return kernel(x, *(rest if bare else [float(v) if kind == "float" else v for v, kind in zip(rest, kinds[1:])]))

    return run


def with_kernel(name, what, plain, define, kinds):
    """`plain`, an implementation ("impl") or a rule, run as a kernel where its first array is large."""
    kernel = kernel_of(name, what, define, kinds)
    if what == "impl":
        alone = kinds.count("array") == len(kinds) - kinds.count("float") == 1

        def run(xp, x, *params):
            if x.size >= LEAST if type(x) is ndarray else type(x) in ON_DEVICE:
                out = kernel(x, *params)
                if out is not None:
                    return out
                if alone and type(x) is ndarray and x.flags.fnc:  # by columns, as NumPy lays out what it gives
                    out = kernel(x.T, *params)
                    if out is not None:
                        return out.T
            return plain(xp, x, *params)

        functools.update_wrapper(run, plain)
        run.__kwdefaults__ = plain.__kwdefaults__
        return run

    def rule(c, *asked):
        if c.size >= LEAST if type(c) is ndarray else type(c) in ON_DEVICE:
            out = kernel(c.copy() if type(c) is ndarray and not any(c.strides) else c, *asked)  # one of a mean, for all
            if out is not None:
                return out
        return plain(c, *asked)

    return rule
