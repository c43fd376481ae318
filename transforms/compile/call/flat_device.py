"""Eager operations on GPU arrays as one kernel by elements or rows, in place of several of the library."""

import numpy as np

from ....core.arrays.backend import namespace_of
from ..lower.elementwise import elementary
from ..render.cuda.flat_text import BLOCK, FlatText

_WARP = 32
_SHORT = 256  # elements of a row, up to which a warp has it for itself
_FEW, _LONG = 64, 1 << 16  # rows that are fewer, and longer, are left to the library: each is the work of one block
_GRID = 132 * 16  # blocks of a kernel of elements: of a processor of 132 multiprocessors


def flat_device(graph, kinds):
    """A function of arrays of CuPy and floats, as `graph` has it for a part of them; None where CUDA text has none.

    It gives None where arrays are not of one dtype, or their shapes not those of rows and vectors.

    Args:
        graph, kinds: as `native.elementwise_kernels.flat_function` has them.
    """
    for eq in graph.equations:
        if eq.prim.reduces is not None:
            if eq.params != ((0,), False):  # a row of the graph is one axis: other folds are none of rows
                return None
        elif not elementary(eq):
            return None
    return _FlatDevice(graph, kinds)


class _FlatDevice:
    """The kernels of a graph: of elements, or of short rows and of long ones."""

    def __init__(self, graph, kinds):
        self.graph, self.kinds = graph, kinds
        self.rows = kinds[0] == "row"
        self.kernels = {}  # (library, device, threads of a row) -> kernel
        self.outs = [(v.aval.ndim, v.aval.dtype) for v in graph.outputs]

    def __call__(self, x, *rest):
        kind, dtype, shape = type(x), x.dtype, x.shape
        count, n = shape if self.rows else (x.size, 1)
        if not count * n or n > _LONG and count < _FEW:
            return None
        xp = namespace_of((x,))
        shapes = {"row": shape, "array": shape, "number": (count,), "vector": (n,)}
        given = []
        for value, role in zip((x, *rest), self.kinds):
            if role != "float":
                if type(value) is not kind or value.dtype != dtype or value.shape != shapes[role]:
                    return None
                value = xp.ascontiguousarray(value)
            given.append(value)
        lanes = BLOCK if not self.rows or n > _SHORT else _WARP
        key = xp, xp.cuda.Device().id, lanes
        kernel = self.kernels.get(key) or self.loaded(*key)
        outs = [xp.empty(shape if ndim else (count,), dtype) for ndim, dtype in self.outs]
        each = BLOCK // lanes
        grid = -(-count // each) if self.rows else min(-(-count // BLOCK), _GRID)
        sizes = (np.int64(count), np.int64(n)) if self.rows else (np.int64(count),)
        kernel((grid,), (BLOCK,), (*given, *outs, *sizes))
        return outs[0] if len(outs) == 1 else tuple(outs)

    def loaded(self, xp, device, lanes):
        """The kernel, compiled, for the current device."""
        text = FlatText("covector_flat", self.graph, self.kinds, lanes)
        kernel = self.kernels[xp, device, lanes] = xp.RawModule(code=text.source).get_function("covector_flat")
        return kernel
