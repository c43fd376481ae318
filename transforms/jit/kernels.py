"""Kernels of eager operations: what core asks for where arrays are large, compiled by LLVM where that is installed."""

import os

from ...core.arrays.avals import aval_of, make_aval
from ...core.arrays.compilers import installed
from ...core.arrays.small_calls import MAKERS as SMALL
from ...core.errors import MissingLibraryError
from ...core.lazy import LazyModule
from ...core.primitive.kernels import MAKERS
from ...core.primitive.loop_kernels import LOOPS
from ...core.types import Any
from ..compile.program import optimised
from ..scope.errstate import unmarked
from ..staging.staging import stage

_FLAT: Any = LazyModule("covector.transforms.native.flat")
_OPEN: Any = LazyModule("covector.transforms.native.loop_function")
_SMALL: Any = LazyModule("covector.transforms.native.small")
_NUMBER = aval_of(1.0)


def _is_off():
    """Whether native code is not to be had."""
    return os.environ.get("COVECTOR_NATIVE") == "0" or installed("llvmlite") is None


def _kernel(define, dtype, kinds, short):
    """The function that runs an operation on arrays of a dtype, of any size; None where native code is not to be had.

    Args:
        define: the operation as a function of traced values.
        kinds, short: what each argument is, and whether rows are short, as `flat_function` has it.
    """
    if _is_off():
        return None
    row, block = make_aval((_FLAT.ROW,), dtype), make_aval((_FLAT.BLOCK,), dtype)
    avals = {"array": block, "row": row, "vector": row, "number": make_aval((), dtype), "float": _NUMBER}
    with unmarked():
        graph, _ = stage(define, [avals[kind] for kind in kinds], lambda leaves: leaves, "a kernel")
    try:
        return _FLAT.flat_function(optimised(graph, frozenset(graph.inputs)), kinds, short)
    except MissingLibraryError:  # it is there, but cannot be imported
        return None


def _loops(define, kinds):
    """The function that runs the loops of a definition; None where native code is not to be had."""
    if _is_off():
        return None
    try:
        return _OPEN.loop_function(define, kinds)
    except MissingLibraryError:
        return None


def _small(compiles):
    """What makes native forms of ufuncs for small arrays; None where native code is not to be had."""
    if _is_off():
        return None
    try:
        return _SMALL.small_functions(compiles)
    except MissingLibraryError:
        return None


MAKERS.append(_kernel)
SMALL.append(_small)
LOOPS.append(_loops)
