"""Reductions, running reductions and order, with the arguments of `jax.lax`; they keep the dtype."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import numpy as cnp
from ..core.arrays.axes import normal_axis
from ..core.checks import sequence, whole
from ..core.errors import ShapeError, at_user_line
from ..core.ops.indexing.top_k import top_k as top_places
from ..core.types import Array
from ..numpy.surface import array_of


def _reduction(name: str, fun: Callable[..., Any], what: str, example: str, keep: bool = False) -> Callable[..., Array]:
    def reduction(operand: Array, axes: Sequence[int]) -> Array:
        operand = array_of(operand)
        dtype = {"dtype": operand.dtype} if keep else {}
        return fun(operand, axis=sequence(axes, f"axes of {name}"), **dtype)

    reduction.__doc__ = f"""Compute {what} along axes.

    Args:
        operand: an array.
        axes: the axes, a tuple.
    Returns:
        the array without these axes.

    >>> import numpy as np, covector
    >>> covector.lax.{name}({example}
    """
    reduction.__name__ = reduction.__qualname__ = name
    return reduction


reduce_sum = _reduction("reduce_sum", cnp.sum, "the sum", "np.ones((2, 3)), (0,))\n    array([2., 2., 2.])", keep=True)
reduce_prod = _reduction("reduce_prod", cnp.prod, "the product", "np.full((2, 2), 3.0), (1,))\n    array([9., 9.])",
                         keep=True)
reduce_max = _reduction("reduce_max", cnp.max, "the largest elements",
                        "np.array([[1.0, 5.0], [2.0, 3.0]]), (1,))\n    array([5., 3.])")
reduce_min = _reduction("reduce_min", cnp.min, "the smallest elements",
                        "np.array([[1.0, 5.0], [2.0, 3.0]]), (1,))\n    array([1., 2.])")
reduce_and = _reduction("reduce_and", cnp.all, "whether all booleans are true",
                        "np.array([[True, False], [True, True]]), (1,))\n    array([False,  True])")
reduce_or = _reduction("reduce_or", cnp.any, "whether any boolean is true",
                       "np.array([[True, False], [False, False]]), (1,))\n    array([ True, False])")


def _running(name: str, fun: Callable[..., Any], what: str, example: str) -> Callable[..., Array]:
    def running(operand: Array, axis: int = 0, reverse: bool = False) -> Array:
        operand = array_of(operand)
        k = normal_axis(axis, operand.ndim)
        out = fun(cnp.flip(operand, k) if reverse else operand, k)
        return cnp.flip(out, k) if reverse else out

    running.__doc__ = f"""Compute {what} along an axis.

    Args:
        operand: an array.
        axis: the axis.
        reverse: start from the last element.
    Returns:
        an array of the shape and dtype of `operand`.

    >>> import numpy as np, covector
    >>> covector.lax.{name}({example}
    """
    running.__name__ = running.__qualname__ = name
    return running


cumsum = _running("cumsum", lambda x, k: cnp.cumsum(x, k, dtype=x.dtype), "running sums",
                  "np.array([1.0, 2.0, 3.0]), reverse=True)\n    array([6., 5., 3.])")
cumprod = _running("cumprod", lambda x, k: cnp.cumprod(x, k, dtype=x.dtype), "running products",
                   "np.array([1.0, 2.0, 3.0]))\n    array([1., 2., 6.])")
cummax = _running("cummax", lambda x, k: np.maximum.accumulate(x, k), "running maxima",
                  "np.array([1.0, 3.0, 2.0]))\n    array([1., 3., 3.])")
cummin = _running("cummin", lambda x, k: np.minimum.accumulate(x, k), "running minima",
                  "np.array([3.0, 1.0, 2.0]))\n    array([3., 1., 1.])")
cumlogsumexp = _running("cumlogsumexp", lambda x, k: np.logaddexp.accumulate(x, k), "logarithms of running sums of exp",
                        "np.zeros(2))\n    array([0.        , 0.69314718])")


def argmax(operand: Array, axis: int, index_dtype: Any) -> Array:
    """Find the first largest elements along an axis.

    Args:
        operand: an array.
        axis: the axis.
        index_dtype: the dtype of the result.
    Returns:
        their indices.

    >>> import numpy as np, covector
    >>> covector.lax.argmax(np.array([1.0, 3.0, 3.0]), 0, np.int32)
    np.int32(1)
    """
    return cnp.astype(cnp.asarray(cnp.argmax(array_of(operand), axis=axis)), np.dtype(index_dtype))[()]


def argmin(operand: Array, axis: int, index_dtype: Any) -> Array:
    """Find the first smallest elements along an axis.

    Args:
        operand: an array.
        axis: the axis.
        index_dtype: the dtype of the result.
    Returns:
        their indices.

    >>> import numpy as np, covector
    >>> covector.lax.argmin(np.array([1.0, 0.0, 3.0]), 0, np.int32)
    np.int32(1)
    """
    return cnp.astype(cnp.asarray(cnp.argmin(array_of(operand), axis=axis)), np.dtype(index_dtype))[()]


def sort(operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1) -> Any:
    """Sort an array along an axis; or several, by the first ones.

    Args:
        operand: an array, or a tuple of arrays of one shape.
        dimension: the axis.
        is_stable: accepted for compatibility with JAX; the order of equal elements is always kept.
        num_keys: for a tuple, how many of its arrays decide, the first one first.
    Returns:
        the sorted array, or the tuple of arrays in that order.
    Raises:
        ShapeError: there are not so many arrays.

    >>> import numpy as np, covector
    >>> covector.lax.sort((np.array([3.0, 1.0]), np.array([10.0, 20.0])))
    (array([1., 3.]), array([20., 10.]))
    """
    if not isinstance(operand, tuple | list):
        return cnp.sort(array_of(operand), axis=dimension, kind="stable")
    arrays = [array_of(x) for x in operand]
    if not 1 <= whole(num_keys, "num_keys of sort") <= len(arrays):
        raise ShapeError(f"sort needs from 1 to {len(arrays)} keys for {len(arrays)} arrays, but got num_keys="
                         f"{num_keys}; give it a number of that range{at_user_line()}")
    if num_keys == 1:
        order = cnp.argsort(arrays[0], axis=dimension, kind="stable")
    else:
        order = cnp.lexsort(cnp.stack(arrays[:num_keys][::-1]), axis=dimension)
    return tuple([cnp.take_along_axis(x, order, axis=dimension) for x in arrays])


def sort_key_val(keys: Array, values: Array, dimension: int = -1, is_stable: bool = True) -> tuple[Array, Array]:
    """Sort keys along an axis, and values with them.

    Args:
        keys, values: arrays of one shape.
        dimension: the axis.
        is_stable: accepted for compatibility with JAX.
    Returns:
        `(keys, values)` in the order of the keys.

    >>> import numpy as np, covector
    >>> covector.lax.sort_key_val(np.array([3.0, 1.0]), np.array([10.0, 20.0]))
    (array([1., 3.]), array([20., 10.]))
    """
    return sort((keys, values), dimension, is_stable)


def top_k(operand: Array, k: int, *, axis: int = -1) -> tuple[Array, Array]:
    """Find the largest elements along an axis, in descending order.

    Args:
        operand: an array.
        k: how many.
        axis: the axis.
    Returns:
        `(values, indices)`, each with `k` elements on the axis; of equal elements the first ones. Indices are int32.
    Raises:
        ShapeError: the axis has fewer elements.

    >>> import numpy as np, covector
    >>> covector.lax.top_k(np.array([1.0, 3.0, 2.0]), 2)
    (array([3., 2.]), array([1, 2], dtype=int32))
    """
    operand = array_of(operand)
    axis = normal_axis(axis, operand.ndim)
    n = operand.shape[axis]
    if not 0 <= whole(k, "k of top_k") <= n:
        raise ShapeError(f"top_k needs k from 0 to the {n} elements of the axis, but got k={k} for shape "
                         f"{operand.shape}; lower it{at_user_line()}")
    order = top_places(operand, k, axis, True)
    return cnp.take_along_axis(operand, order, axis=axis), cnp.astype(order, np.dtype(np.int32))
