"""Loop kernels: operations on plain arrays of any shape, written in the loop language."""

import functools

import numpy as np

from ..arrays.compilers import eager_kernel

ndarray = np.ndarray
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
        if any(kind[0] not in _DTYPES for kind in kinds if type(kind) is tuple):
            return None
        return eager_kernel("loops", self.define, kinds)


def _again(kernel, found):
    """The kernel's output on contiguous, aligned copies; None where all arrays are so already."""
    fixed = [x if type(x) is not ndarray or x.flags.c_contiguous and x.flags.aligned else x.copy() for x in found]
    return None if all(a is b for a, b in zip(fixed, found)) else kernel(*fixed)


_HALF = np.dtype(np.float16)
_DTYPES = tuple(map(np.dtype, (np.float64, np.float32, np.int64, np.int32, np.bool_, np.float16)))


def stripes(k, rows):
    """The rows that run beside each other: several, since each step waits for the one before it in its row."""
    done = k.cell(0, "i64")
    for i in k.range(k.scalar(rows, "i64") - _STRIPE + 1, step=_STRIPE):
        yield [i + r for r in range(_STRIPE)]
        done.set(i + _STRIPE)
    for i in k.range(rows, done.get()):
        yield [i]
