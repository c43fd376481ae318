"""Eager kernels that core requests for large arrays, compiled by LLVM where that is installed."""

import os

from ....core.arrays.avals import aval_of, make_aval
from ....core.arrays.backend import installed, unusable
from ....core.errors import MissingLibraryError
from ....core.lazy import LazyModule
from ....core.types import Any
from ...scope.errstate import unmarked
from ...staging.staging import stage
from ..program import optimised

_DEVICE: Any = LazyModule("covector.transforms.compile.call.flat_device")
_FLAT: Any = LazyModule("covector.transforms.compile.call.elementwise_kernels")
_OPEN: Any = LazyModule("covector.transforms.compile.call.loop_function")
_NUMBER = aval_of(1.0)


def without_native():
    """Tell whether native code is not to be had."""
    return os.environ.get("COVECTOR_NATIVE") == "0" or installed("llvmlite") is None


def _native(make):
    if without_native():
        return None
    try:
        return make()
    except MissingLibraryError as error:  # it is there
        unusable("llvmlite", error)
        return None


def elementwise(define, dtype, kinds, short):
    """The function that runs an operation on arrays of a dtype, of any size; None where native code is not to be had.

    Args:
        define: the operation as a function of traced values.
        kinds, short: what each argument is, and whether rows are short, as `flat_function` has it.
    """
    return _native(lambda: _FLAT.flat_function(_part(define, dtype, kinds), kinds, short))


def _part(define, dtype, kinds):
    """The graph of an operation on a row or a block."""
    row, block = make_aval((_FLAT.ROW,), dtype), make_aval((_FLAT.BLOCK,), dtype)
    avals = {"array": block, "row": row, "vector": row, "number": make_aval((), dtype), "float": _NUMBER}
    with unmarked():  # an eager operation warns itself, after a look at the result
        graph, _ = stage(define, [avals[kind] for kind in kinds], lambda leaves: leaves, "a kernel")
    return optimised(graph, frozenset(graph.inputs))  # the entry takes arrays in order alone


def device(define, dtype, kinds):
    """The function that runs an operation on arrays of a device; None where CUDA text has not all of it."""
    return _DEVICE.flat_device(_part(define, dtype, kinds), kinds)


def loops(define, kinds):
    """The function that runs the loops of a definition; None where native code is not to be had."""
    return _native(lambda: _OPEN.loop_function(define, kinds))
