"""Checks of plain arguments: functions, whole numbers, truth values."""

import operator

import numpy as np

from .errors import at_user_line


def check_function(fun, name, instead=None):
    """Raise unless `fun` can be called; `instead` says what to do."""
    if not callable(fun):
        raise TypeError(f"{name} needs a function, but got {fun!r}; "
                        f"{instead or f'write {name}(f)(x), not {name}(f(x))'}{at_user_line()}")


def whole(value, name, least=None):
    """`value` as an int, of at least `least`; NumPy's integers are fine, truth values and floats are not."""
    if type(value) is not int:
        try:
            if isinstance(value, bool | np.bool_) or getattr(value, "shape", ()):
                raise TypeError
            value = operator.index(value)
        except TypeError:
            raise TypeError(f"{name} is a whole number, but got {value!r} of type {type(value).__name__}; give an int"
                            f"{at_user_line()}") from None
    if least is not None and value < least:
        raise ValueError(f"{name} is at least {least}, but got {value}; count again{at_user_line()}")
    return value


def flag(value, name="keepdims"):
    """A truth value given as a keyword: a bool or an integer, as NumPy takes it."""
    if value is True or value is False:
        return value
    if isinstance(value, np.bool_ | int | np.integer):
        return bool(value)
    raise TypeError(f"{name}= is True or False, but got {value!r} of type {type(value).__name__}; give a bool"
                    f"{at_user_line()}")
