"""The words of functions that are compiled by translator.py, so that these read, and are checked, as Python.

None of them runs as Python: what they say stands in translator.py.
"""

from typing import Any

Object = Any  # a parameter: borrowed. A result: a new reference, or null with an exception set, which callers hand on
Taken = Any  # a parameter that is given a reference
Maybe = Any  # a result: a new reference, or null without an exception
Borrowed = Any  # a result: an object that lives as long as what it was reached by, or null
Done = bool  # a result: false with an exception set, which callers hand on
Bool = bool
Int = int  # of 64 bits
Words = Any  # where such integers lie
Cells = Any  # where addresses of objects lie

NULL: Any = None  # no object
BEHIND: Any = None  # the Cells behind the table's named places
NUMBERS_BEHIND: Any = None  # the same as Words


def lane(fun):
    """A function that Python calls with so many objects; called with others it gives None."""
    return fun


def inline(fun):
    """A function whose text is put in place of its calls."""
    return fun


def attempt(found):
    """What a call gives; null where it raises, and the exception is forgotten."""
    return found


def own(x):
    """A new reference."""
    return x


def context(variable):
    """What a context variable holds, a new reference."""
    return variable


def filled(fresh, **slots):
    """An object that was made just now, with all its slots; it takes what they hold."""
    return fresh


def words(count):
    """Room for so many integers, as long as the function runs; `count` is a constant."""
    return [0] * count


def cells(count):
    """Room for the addresses of so many objects."""
    return [None] * count


def address(x):
    """The address of an object, as an int."""
    return id(x)


def copy(to, what, count):
    """Copy so many bytes to words."""


def __getattr__(name):
    """The functions of signatures.py, and those that have no source."""
    if name.startswith("__"):
        raise AttributeError(name)

    def fun(*args):
        raise NotImplementedError(f"{name} is native code's")

    return fun
