"""A kernel as a Python callable, compiled from its text."""

import ctypes
import weakref

import numpy as np

from ..loops.statements import OUTSIDE
from ..machine.blas import products_library
from ..machine.engine import machine
from ..machine.error_states import is_followed
from ..machine.layouts import Slots, functions
from ..render.llvm.entry import entry, plain_entry, stopped
from ..render.llvm.printer import Printer
from .callable import Around, attached


def native_function(kernel, avals, out_avals, slow, boxed=(), inside=False):
    """A function of arrays and numbers that runs a kernel, and `(text, function)`: the text of its module.

    Args:
        kernel: the `Kernel`.
        avals, out_avals: of its inputs and outputs.
        slow: runs instead, given the same values, where they are no arrays of these avals in order in memory.
        boxed: a bool an output: whether an output without axes is an array, not a scalar. NumPy warns of sums of
            integer scalars that wrap, not of those of arrays.
        inside: as `Around` has it.
    """
    processor = machine()
    known = functions()
    slots = Slots()
    around = Around(avals, slow, inside)  # whatever the entry does not take goes this way
    printer = Printer(kernel, processor.vector, slots, products_library(), known is not None).written()
    module = printer.module
    if known is not None:
        if printer.looks:
            module.functions["@stopped"] = stopped(module, known, slots)
        module.functions["@call"] = entry(printer, avals, out_avals, known, slots, around.handle, around.heard, boxed)
    else:
        module.functions["@call"] = plain_entry(printer)
    text = f"{slots.legend}\n{module.text}"  # the names of the table are part of the key: equal texts have equal tables
    code = processor.code(text, module.needed)
    if known is not None:
        return text, attached(code, slots, around)
    table = slots.table()
    table.kept += [code, around]
    run = _python_function(code.address("call"), table, kernel, avals, out_avals, around, boxed)
    around.run = weakref.ref(run)
    return text, run


def _python_function(address, table, kernel, avals, out_avals, around, boxed):
    """The same written in Python, where C code must not look into arrays."""
    work = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address)

    def run(*values):
        given = list(map(np.asarray, values))
        if not is_followed() or not all((a is x or not a.ndim) and (a.dtype, a.shape) == (aval.dtype, aval.shape) and (
                a.flags.c_contiguous and a.flags.aligned) for a, x, aval in zip(given, values, avals)):
            return around.handle(*values)
        outs = [*[np.empty(a.shape, a.dtype) for a in out_avals], np.zeros(())]
        scratch = np.empty(kernel.scratch + 64, np.uint8)
        # Addresses, as the entry hands them to `work`.
        memory = np.array([a.ctypes.data for a in (*given, *outs)], np.uintp)
        work(memory.ctypes.data, scratch.ctypes.data + -scratch.ctypes.data % 64, table.ctypes.data)
        if outs[-1] == OUTSIDE:  # outputs may be written in part: NumPy makes new ones, and raises
            return around.slow(*values)
        result = [out if out.ndim or kept else out[()] for out, kept in zip(outs, boxed or len(out_avals) * [False])]
        return around.heard(result, *values) if np.isnan(outs[-1]) else result

    return run
