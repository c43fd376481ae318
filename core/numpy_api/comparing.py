"""`==` and `!=` of traced values, including operands that are not numbers."""

from numbers import Number

import numpy as np

from ..errors import BackendError, DtypeError
from ..trace.device import constant


def equality(prim, other):
    """`==` or `!=`: of what is no number, as None and texts, it is `other` for every element, as in NumPy."""
    def method(x, y):
        try:
            return prim(x, y)
        except (BackendError, DtypeError):
            if hasattr(y, "dtype") or hasattr(y, "__array__") or isinstance(y, Number | list | tuple):
                raise
            return constant(np.full(x.shape, other)[()], x)

    return method
