"""The CuPy backend: looked up when the user has imported CuPy, never imported first.

Known differences that remain: a singular matrix raises only under `cupyx.errstate(linalg="raise")`, an index out of
bounds wraps where CuPy is handed the index array, and floating point warnings do not exist on the device.
"""

import numpy as np

from ..core.arrays.backend import Backend, register_backend
from .nccl import Carrier


class Namespace:
    """A library with some of its names replaced; all others are looked up in it."""

    def __init__(self, library, **replaced):
        self._library = library
        vars(self).update(replaced)

    def __getattr__(self, name):
        return getattr(self._library, name)


def _namespace(cupy):
    """CuPy where it differs from NumPy: `argsort` has one kind, `solve` does not broadcast; some lack."""

    def argsort(x, axis=-1, kind=None):
        # CuPy always sorts stably and refuses every other kind; 0-d arrays, which NumPy sorts, it refuses as well.
        return cupy.argsort(x, axis=axis) if x.ndim else cupy.zeros((), np.intp)

    def sort(x, axis=-1):
        return cupy.sort(x, axis=axis) if x.ndim else x.copy()

    def solve(a, b):
        # CuPy needs equal leading axes. With b of fewer axes it takes a stack of vectors, which NumPy 2 does not.
        lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        dtype = np.result_type(a.dtype, b.dtype, np.float32)
        if 0 in lead or 0 in b.shape[-2:]:
            return cupy.zeros((*lead, *b.shape[-2:]), dtype)
        a = cupy.broadcast_to(a, (*lead, *a.shape[-2:])).astype(dtype)
        b = cupy.broadcast_to(b, (*lead, *b.shape[-2:])).astype(dtype)
        return cupy.linalg.solve(a, b)

    def lexsort(keys, axis=-1):
        # CuPy's takes one matrix of keys and sorts along the last axis alone.
        order = argsort(keys[0], axis=axis)
        for key in keys[1:]:
            step = argsort(cupy.take_along_axis(key, order, axis), axis=axis)
            order = cupy.take_along_axis(order, step, axis)
        return order

    def spacing(x):
        size = cupy.abs(x)
        return cupy.copysign(cupy.nextafter(size, cupy.full_like(size, np.inf)) - size, x)

    def bitwise_count(x):
        size = cupy.abs(x)
        return sum(((size >> k) & 1).astype(np.dtype(np.uint8)) for k in range(8 * size.dtype.itemsize))

    return Namespace(cupy, argsort=argsort, sort=sort, lexsort=lexsort, spacing=spacing, bitwise_count=bitwise_count,
                     linalg=Namespace(cupy.linalg, solve=solve))


def _special():
    """CuPy's own copy of `scipy.special`, which needs no SciPy."""
    import cupyx.scipy.special

    return cupyx.scipy.special


CUPY = register_backend(
    Backend(
        name="cupy",
        module="cupy",
        array_types=lambda module: (module.ndarray,),
        namespace=_namespace,
        to_numpy=lambda array: array.get(),
        special=_special,
        extra="cuda12",
        carrier=Carrier,
    )
)
