"""Subclasses of NumPy's arrays that a library lets be traced."""

import functools

import numpy as np

from ...._engine import BY_TYPE, find_backend
from ....extend import Tracer


class TypeMappings(dict):
    """`{type: what takes its values into a trace}`; registered subclasses of arrays compute with traced operands.

    `numpy.ndarray.__array_ufunc__` gives NotImplemented beside an operand with one of its own. autograd's boxes have
    none, so that a subclass may expect an array back from it: here such a call is the traced operand's.
    """

    def __setitem__(self, kind, taken):
        if isinstance(kind, type) and issubclass(kind, np.ndarray):
            own = kind.__dict__.get("__array_ufunc__")
            if own is not None and not hasattr(own, "_defers"):
                kind.__array_ufunc__ = _deferring(own)
            BY_TYPE[kind] = find_backend(np.ndarray)  # operands of traced values, though they have rules of their own
        dict.__setitem__(self, kind, taken)


def _deferring(own):
    """An `__array_ufunc__` that leaves calls with traced operands to these."""

    @functools.wraps(own)
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        for x in inputs:
            if isinstance(x, Tracer):
                plain = [v.view(np.ndarray) if isinstance(v, np.ndarray) else v for v in inputs]
                return x.__array_ufunc__(ufunc, method, *plain, **kwargs)
        return own(self, ufunc, method, *inputs, **kwargs)

    __array_ufunc__._defers = True
    return __array_ufunc__
