"""Elementwise functions of `jax.lax` whose arguments differ from those of NumPy's."""

from typing import Any

import numpy as np

from ..core.errors import DtypeError, at_user_line
from ..core.ops import elementary
from ..core.types import Array
from ..numpy import astype, clip, divide, floor_divide, fmod, power, where
from ..numpy.surface import array_beside, array_of


def select(pred: Array, on_true: Array, on_false: Array) -> Array:
    """Choose element by element between two arrays.

    Args:
        pred: booleans, of the shape of the arrays or a scalar.
        on_true, on_false: arrays of equal shapes.
    Returns:
        `on_true` where `pred` is True, `on_false` elsewhere. What is masked out contributes 0 to derivatives.
    Raises:
        DtypeError: `pred` is not boolean.

    >>> import numpy as np, covector
    >>> covector.lax.select(np.array([True, False]), np.ones(2), np.zeros(2))
    array([1., 0.])
    """
    return select_n(_boolean(pred), on_false, on_true)


def _boolean(pred: Any) -> Any:
    pred = array_of(pred)
    if pred.dtype.kind != "b":
        raise DtypeError(f"select needs a boolean pred, but got dtype {pred.dtype}; compare it, as in pred != 0"
                         f"{at_user_line()}")
    return pred


def select_n(which: Array, *cases: Array) -> Array:
    """Choose element by element between several arrays.

    Args:
        which: booleans (for two cases) or integers, of the shape of the cases or a scalar.
        cases: arrays of equal shapes.
    Returns:
        the elements of `cases[which]`. An index outside of the range takes the first or the last case.
    Raises:
        DtypeError: `which` is neither boolean nor integer, or boolean with more than two cases.

    >>> import numpy as np, covector
    >>> covector.lax.select_n(np.array([2, 0]), np.zeros(2), np.ones(2), np.full(2, 5.0))
    array([5., 0.])
    """
    which = array_of(which)
    kind = which.dtype.kind
    if kind not in "biu" or not cases or kind == "b" and len(cases) > 2:
        raise DtypeError(f"select_n needs integers, or booleans for two cases, but got dtype {which.dtype} and "
                         f"{len(cases)} cases; cast which with .astype(int){at_user_line()}")
    if kind == "b":
        return where(which, cases[-1], cases[0])
    out = cases[0]
    for k, case in enumerate(cases[1:], 1):
        out = where(which >= k, case, out)
    return out


def clamp(min: Array, x: Array, max: Array) -> Array:  # noqa: A002 - JAX's names
    """Limit the elements of an array.

    Args:
        min, max: the limits, scalars or of the shape of `x`.
        x: an array.
    Returns:
        the array, with `min` and `max` where it is below or above.

    >>> import numpy as np, covector
    >>> covector.lax.clamp(0.0, np.array([-1.0, 0.5, 2.0]), 1.0)
    array([0. , 0.5, 1. ])
    """
    return clip(array_beside(x, min, max), min, max)


def div(x: Array, y: Array) -> Array:
    """Divide element by element; integers are rounded toward zero, as in C.

    Args:
        x, y: arrays.
    Returns:
        the quotients: integers for two integer arrays.

    >>> import numpy as np, covector
    >>> covector.lax.div(np.array([-7, 7]), 2), covector.lax.div(7.0, 2.0)
    (array([-3,  3]), np.float64(3.5))
    """
    x, y = array_of(x), array_of(y)
    if x.dtype.kind in "iu" and y.dtype.kind in "iu":
        return floor_divide(x - fmod(x, y), y)
    return divide(x, y)


def integer_pow(x: Array, y: int) -> Array:
    """Raise to an integer power.

    Args:
        x: an array.
        y: an integer.
    Returns:
        `x**y`.

    >>> import numpy as np, covector
    >>> covector.lax.integer_pow(np.array([2.0, 3.0]), -1)
    array([0.5       , 0.33333333])
    """
    return power(array_of(x), y)


def rsqrt(x: Array) -> Array:
    """Compute 1 / √x.

    Args:
        x: an array of floats.
    Returns:
        an array of the shape of `x`.

    >>> import covector
    >>> float(covector.lax.rsqrt(4.0))
    0.5
    """
    return elementary.rsqrt(array_of(x))


def convert_element_type(operand: Array, new_dtype: Any) -> Array:
    """Cast an array.

    Args:
        operand: an array.
        new_dtype: the dtype.
    Returns:
        the array in that dtype.

    >>> import numpy as np, covector
    >>> covector.lax.convert_element_type(np.array([1, 2]), np.float32)
    array([1., 2.], dtype=float32)
    """
    return astype(array_of(operand), np.dtype(new_dtype))
