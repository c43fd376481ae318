"""Products of vectors, matrices and tensors."""

import math
import operator
from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.numpy_api import methods
from ..core.ops import shaping
from ..core.ops.linalg import products
from ..core.trace.tracer import Tracer
from .surface import Array, array_of, as_numpy, implements, refuse_options, ufunc

matmul = ufunc(np.matmul)


@implements(np.dot)
def dot(a: Array, b: Array, out: Any = None) -> Array:
    refuse_options("dot", out)
    return products.dot(array_of(a), array_of(b))


@implements(np.vdot)
def vdot(a: Array, b: Array, /) -> Array:
    a, b = methods.reshape(array_of(a), (-1,)), methods.reshape(array_of(b), (-1,))
    return products.matmul(shaping.conjugate(a) if a.dtype.kind == "c" else a, b)


@implements(np.inner)
def inner(a: Array, b: Array, /) -> Array:
    a, b = array_of(a), array_of(b)
    if not a.ndim or not b.ndim:
        return a * b
    return tensordot(a, b, (-1, -1))


@implements(np.outer)
def outer(a: Array, b: Array, out: Any = None) -> Array:
    refuse_options("outer", out)
    return methods.reshape(array_of(a), (-1, 1)) * methods.reshape(array_of(b), (1, -1))


@implements(np.tensordot)
def tensordot(a: Array, b: Array, axes: Any = 2) -> Array:
    a, b = array_of(a), array_of(b)
    if hasattr(axes, "__iter__"):
        left, right = ([operator.index(k) for k in (side if hasattr(side, "__iter__") else (side,))] for side in axes)
    else:
        left, right = list(range(-axes, 0)), list(range(axes))
    left = [methods.normal_axis(k, a.ndim) for k in left]
    right = [methods.normal_axis(k, b.ndim) for k in right]
    if [a.shape[k] for k in left] != [b.shape[k] for k in right]:
        raise ValueError(f"tensordot cannot contract axes {axes} of shapes {a.shape} and {b.shape}; "
                         f"pair axes of one length{at_user_line()}")
    rest_a = [k for k in range(a.ndim) if k not in left]
    rest_b = [k for k in range(b.ndim) if k not in right]
    size = math.prod(a.shape[k] for k in left)
    rows = shaping.transpose(a, (*rest_a, *left))
    columns = shaping.transpose(b, (*right, *rest_b))
    ans = products.matmul(shaping.reshape(rows, (math.prod(a.shape[k] for k in rest_a), size)),
                        shaping.reshape(columns, (size, math.prod(b.shape[k] for k in rest_b))))
    return shaping.reshape(ans, (*[a.shape[k] for k in rest_a], *[b.shape[k] for k in rest_b]))


@implements(np.kron)
def kron(a: Array, b: Array) -> Array:
    a, b = array_of(a), array_of(b)
    rank = max(a.ndim, b.ndim)
    first = (1,) * (rank - a.ndim) + tuple(a.shape)
    second = (1,) * (rank - b.ndim) + tuple(b.shape)
    spread = methods.reshape(a, tuple(n for size in first for n in (size, 1)))
    spread = spread * methods.reshape(b, tuple(n for size in second for n in (1, size)))
    return methods.reshape(spread, tuple(n * k for n, k in zip(first, second)))


_DIMENSIONS = {2, 3} if np.lib.NumpyVersion(np.__version__) < "2.5.0.dev0" else {3}  # of the vectors of np.cross


@implements(np.cross)
def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Array:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _axis_last(array_of(a), axisa), _axis_last(array_of(b), axisb)
    if not {a.shape[-1], b.shape[-1]} <= _DIMENSIONS:
        lengths = " or ".join(map(str, sorted(_DIMENSIONS)))
        raise ValueError(f"cross needs vectors of length {lengths}, but got {a.shape[-1]} and {b.shape[-1]}"
                         f"; slice them, or name the axis of the vectors{at_user_line()}")
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = _in_space(a), _in_space(b)
    turn = ([1, 2, 0], [2, 0, 1])
    ans = a[..., turn[0]] * b[..., turn[1]] - a[..., turn[1]] * b[..., turn[0]]
    axisc = methods.normal_axis(axisc, ans.ndim)
    order = list(range(ans.ndim - 1))
    order.insert(axisc, ans.ndim - 1)
    return shaping.transpose(ans, tuple(order))


def _in_space(x: Array) -> Array:
    """Vectors of length 3: those of the plane get a third component, 0."""
    return x if x.shape[-1] == 3 else shaping.pad(x, widths=((0, 0),) * (x.ndim - 1) + ((0, 1),))


def _axis_last(x: Array, axis: int) -> Array:
    axis = methods.normal_axis(axis, x.ndim)
    return shaping.transpose(x, (*[k for k in range(x.ndim) if k != axis], axis))


matvec, vecmat = ufunc(np.matvec), ufunc(np.vecmat)


def vecdot(x1: Array, x2: Array, /, out: Any = None, *, axis: int = -1) -> Array:
    refuse_options("vecdot", out)
    if isinstance(x1, Tracer) or isinstance(x2, Tracer):
        return products.vecdot(x1, x2, axis)
    plain: Any = np.vecdot  # its stubs do not know `axis`
    return plain(x1, x2, axis=axis)


as_numpy(vecdot, np.vecdot)
