"""Ufunc dispatch of the fast road: loops called directly on small arrays, native kernels on large ones."""

import operator

import numpy as np

from . import small_ufuncs

MOST = 4096  # elements of a small array, as small_ufuncs.pyx has it
OPERATORS = {operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide,
             operator.neg: np.negative, operator.mod: np.remainder, operator.floordiv: np.floor_divide}
LARGE = {}  # ufunc -> `make(instead)`: a function that runs a kernel on large arrays; core/primitive/families.py


def small(op, ufunc=None, quiet=False):
    """`op`, computed by its loop at once where it is a ufunc or an operator, and its arguments are small arrays.

    Args:
        op: a function of one or two arrays.
        ufunc: the ufunc that it comes to, where it is something else.
        quiet: nobody asks for NumPy's warnings; or what makes of a function one that gives none.
    """
    found = ufunc or OPERATORS.get(op, op)
    instead = LARGE[found](op) if found in LARGE else op
    if callable(quiet):
        instead = quiet(instead)
    return small_ufuncs.small(found, instead, bool(quiet)) if type(found) is np.ufunc else instead
