"""Native kernels and loop kernels: operations on plain arrays in one compiled loop."""

import functools

import numpy as np

from ..arrays.backend import ON_DEVICE, eager_kernel

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


# Loop kernels: operations on plain arrays of any shape, written in the loop language.

_STRIPE = 8  # rows that run beside each other
KNOWN_LOOPS = {}  # primitive, or rule -> {dtypes of the arguments: its function, or None where there is none}


class Loops:
    """The implementation of a primitive as loops, compiled where a compiler is installed.

    Args:
        define: `define(body, …)` writes the loops, as compile/loops/define.py has it. It refuses arguments
            whose shapes do not belong together, and places out of bounds: then the implementation runs, which raises.
        given: `given(*operands, *params)`: the arrays, integers and floats that the loops take, arrays of a fixed
            number of axes each; None where they are not for these, or gain less than their compilation costs.
        after: what is done with what they give and with the operands and parameters; by default nothing.
        least: elements of the first operand below which the primitive does without.
        mixed: whether they take half precision, and floats of several precisions.
    """

    __slots__ = ("after", "define", "given", "least", "mixed")

    def __init__(self, define, given, after=None, least=0, mixed=False):
        self.define = define
        self.given = given
        self.after = after
        self.least = least
        self.mixed = mixed

    def attach(self, prim):
        """Let the primitive run its loops where its operands are plain arrays; the function of these is returned."""
        plain, run, least = prim.impl, self.runner(prim.name), self.least

        def impl(xp, x, *rest):
            out = run(x, *rest) if xp is np and (not least or type(x) is ndarray and x.size >= least) else None
            return plain(xp, x, *rest) if out is None else out

        prim.impl = functools.update_wrapper(impl, plain)
        impl.__kwdefaults__ = plain.__kwdefaults__
        return run

    def beside(self, run):
        """`make(instead)`: a function that runs the loops where its first operand is large, and else `instead`."""
        least = self.least

        def make(instead):
            def call(x, *rest):
                if type(x) is ndarray and x.size >= least:
                    out = run(x, *rest)
                    if out is not None:
                        return out
                return instead(x, *rest)

            return call

        return make

    def runner(self, name):
        """A function of operands and parameters that runs the loops; it gives None where there are none for them."""
        given, after = self.given, self.after
        kernels = KNOWN_LOOPS[name] = {}

        def run(*args):
            found = given(*args)
            if found is None:
                return None
            key = tuple([x.dtype if type(x) is ndarray else type(x) for x in found])
            try:
                kernel = kernels[key]
            except KeyError:
                kernel = kernels[key] = self.made(found)
            if kernel is None:
                return None
            out = kernel(*found)
            if out is None:
                out = _again(kernel, found)
            return out if out is None or after is None else after(out, *args)

        return run

    def made(self, found):
        """The function for values like these; None where no compiler is to be had, or they are of other kinds."""
        kinds = [(x.dtype, x.ndim) if type(x) is ndarray else type(x) for x in found]
        floats = {kind[0] for kind in kinds if type(kind) is tuple and kind[0].kind == "f"}
        if not self.mixed and (len(floats) > 1 or _HALF in floats):
            return None
        if any(kind[0] not in _LOOP_DTYPES for kind in kinds if type(kind) is tuple):
            return None
        return eager_kernel("loops", self.define, kinds)


def _again(kernel, found):
    """The kernel's output on contiguous, aligned copies; None where all arrays are so already."""
    fixed = [x if type(x) is not ndarray or x.flags.c_contiguous and x.flags.aligned else x.copy() for x in found]
    return None if all(a is b for a, b in zip(fixed, found)) else kernel(*fixed)


_HALF = np.dtype(np.float16)
_LOOP_DTYPES = tuple(map(np.dtype, (np.float64, np.float32, np.int64, np.int32, np.bool_, np.float16)))


def stripes(k, rows):
    """The rows that run beside each other: several, since each step waits for the one before it in its row."""
    done = k.cell(0, "i64")
    for i in k.range(k.scalar(rows, "i64") - _STRIPE + 1, step=_STRIPE):
        yield [i + r for r in range(_STRIPE)]
        done.set(i + _STRIPE)
    for i in k.range(rows, done.get()):
        yield [i]
