"""Validate plain arguments: functions, integers, booleans, and the options that NumPy's functions share."""

import operator

import numpy as np

from .errors import at_user_line


def check_function(fun, name, instead=None):
    """Raise unless `fun` can be called; `instead` says what to do."""
    if not callable(fun):
        instead = instead or _CALLS.get(name) or f"write {name}(f)(x), not {name}(f(x))"
        raise TypeError(f"{name} needs a function, but got {fun!r}; {instead}{at_user_line()}")


_CALLS = {name: f"write {call}" for name, call in {
    "vjp": "vjp(f, x)", "jvp": "jvp(f, (x,), (dx,))", "hvp": "hvp(f, (x,), (dx,))", "linearize": "linearize(f, x)",
    "linear_transpose": "linear_transpose(f, x)", "closure_convert": "closure_convert(f, x)",
    "custom_root": "custom_root(f, initial_guess, solve, tangent_solve)", "scan": "scan(f, init, xs)",
    "map": "map(f, xs)", "associative_scan": "associative_scan(f, xs)", "switch": "switch(index, [f, g], x)",
    "while_loop": "while_loop(condition, body, init)", "fori_loop": "fori_loop(lower, upper, body, init)",
    "cond": "cond(pred, f, g, x), or np.where(pred, a, b) to choose between values",
}.items()}


def whole(value, name, least=None):
    """`value` as an int, of at least `least`; NumPy's integers are fine, truth values and floats are not."""
    if type(value) is not int:
        try:
            if isinstance(value, bool | np.bool_) or getattr(value, "shape", ()):
                raise TypeError
            value = operator.index(value)
        except TypeError:
            raise TypeError(f"{name} is an integer, but got {value!r} of type {type(value).__name__}; give an int"
                            f"{at_user_line()}") from None
    if least is not None and value < least:
        raise ValueError(f"{name} is at least {least}, but got {value}; use a larger number{at_user_line()}")
    return value


def sequence(value, name):
    """`value` as a tuple, if it is a tuple or a list."""
    if not isinstance(value, tuple | list):
        raise TypeError(f"{name} is a tuple or a list, but got {value!r} of type {type(value).__name__}; put it in a "
                        f"tuple{at_user_line()}")
    return tuple(value)


def flag(value, name="keepdims"):
    """A truth value given as a keyword: a bool or an integer, as NumPy takes it, or its mark of what was not given."""
    if value is True or value is False:
        return value
    if value is np._NoValue:
        return False
    if isinstance(value, np.bool_ | int | np.integer):
        return bool(value)
    raise TypeError(f"{name}= is True or False, but got {value!r} of type {type(value).__name__}; give a bool"
                    f"{at_user_line()}")


def _choice(names, kind=str):
    def check(value, name):
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"{name}= is a string, but got {value!r} of type {type(value).__name__}; choose one of "
                            f"{names}{at_user_line()}")
        if value is not None and value not in names:
            raise ValueError(f"{name}= is one of {names}, but got {value!r}; choose one of them{at_user_line()}")

    return check


def _like(value, name):
    if value is not None and not hasattr(type(value), "__array_function__"):
        raise TypeError(f"{name}= is an array, but got {value!r} of type {type(value).__name__}; give an array of the "
                        f"library that is to make the new one{at_user_line()}")


def _maybe(value, name):
    if value is not None:
        flag(value, name)


_OPTIONS = {
    "order": _choice(("C", "F", "A", "K", "c", "f", "a", "k")), "device": _choice(("cpu",)), "like": _like,
    "casting": _choice(("no", "equiv", "safe", "same_kind", "unsafe")), "subok": flag, "copy": _maybe,
}  # fmt: skip


def check_options(options, name=""):
    """Raise for values of layout and casting options that NumPy does not know, which traced values have no use for."""
    for key, value in options.items():
        check = _OPTIONS.get(key)
        if check is not None and not (key == "order" and ("sort" in name or "partition" in name)):  # fields, there
            check(value, key)


def refuse_arguments(name, remedy="omit it", **given):
    """Raise for an argument of SciPy's function `name` that was given, and that is not supported: it is not None."""
    for key, value in given.items():
        if value is not None:
            raise TypeError(f"{name} does not support {key}=, but got {key}={value!r}; {remedy}{at_user_line()}")


def one_of(value, name, choices):
    """`value`, if it is one of `choices`."""
    if not any(value is c or (type(value) is type(c) and value == c) for c in choices):
        raise ValueError(f"{name} is one of {', '.join(map(repr, choices))}, but got {value!r}; choose one of them"
                         f"{at_user_line()}")
    return value
