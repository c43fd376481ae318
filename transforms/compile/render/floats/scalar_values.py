"""Values of Python-float source without a name for each element, and numbers as text."""

import math

import numpy as np

from .....core.types import Any

MANY = 256  # elements of an array that is gone through by a loop


class Unfit(Exception):  # noqa: N818 (no error: NumPy source runs instead)
    """A program that is too large for floats, or has other values or operations: `equation` is the first, or None."""

    equation: Any = None


class Given:
    """An input whose elements have no names yet."""

    def __init__(self, name, aval):
        self.name = name
        self.aval = aval
        self.elements = None  # their names, from the first time on that they are asked for


class Rows:
    """The rows that a loop collected: a list of tuples of elements; of numbers, where a row is one."""

    def __init__(self, name, aval):
        self.name = name
        self.aval = aval
        self.single = aval.ndim == 1


def atom(x):
    """A number as text that stands anywhere in an expression."""
    if type(x) is float and (x != x or x in (math.inf, -math.inf)):
        raise Unfit
    text = repr(x)
    return f"({text})" if text[0] == "-" else text


def arranged(texts, shape):
    """An array of texts."""
    found = np.empty(len(texts), object)
    found[:] = texts
    return found.reshape(shape)


def each(x, say):
    """The results of a function of each element of an array of texts."""
    return arranged([say(text) for text in x.reshape(-1)], x.shape)
