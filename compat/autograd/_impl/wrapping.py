"""Functions of NumPy and SciPy in autograd's manner: their own on plain arguments, covector's on traced ones."""

import types

import numpy as np

from .... import numpy as cnp
from ....extend import Tracer
from .tables import JVPS, VJPS
from .tracer import getval, primitive

_FAMILIAR = frozenset({float, int, str, bool, type(None), complex, np.float64, slice, type(np.float64), type})
_ITERATORS = (type({}.values()), type({}.keys()), types.GeneratorType, map, zip, filter, reversed)


def adapted(reference, ours=None):
    """A function that is `reference` on plain arguments and `ours` (where None, `reference`) where one is traced.

    Iterators and views of dicts become lists first, and arrays of objects that hold traced values are stacked. Rules
    that `defvjp` and `defjvp` are given for the function come before its own.
    """
    ours = reference if ours is None else ours

    def fun(*args, **kwargs):
        traced = False
        for x in args:
            kind = type(x)
            if kind in _FAMILIAR:
                continue
            if isinstance(x, Tracer):
                traced = True
            elif kind is np.ndarray and x.dtype.kind != "O":
                continue
            else:
                args = tuple(map(without_objects, args))  # once: an iterator is used up
                traced = any(isinstance(a, Tracer) for a in args)
                break
        if kwargs:
            kwargs = {key: without_objects(v) for key, v in kwargs.items()}
        if fun in VJPS or fun in JVPS:
            return given(*args, **kwargs)
        if traced:
            return ours(*args, **kwargs)
        try:
            if not any(isinstance(v, Tracer) for v in kwargs.values()):
                return reference(*args, **kwargs)
        except Exception:
            if not any(map(holds_traced, (*args, *kwargs.values()))):
                raise
        return ours(*args, **kwargs)

    given = _with_rules(reference, fun)
    named_as(fun, reference)
    fun.fun = reference  # type: ignore[attr-defined]
    return fun


def _with_rules(reference, fun):
    """`reference` as a primitive with the rules that `fun` is given."""
    wrapped = primitive(reference)

    def given(*args, **kwargs):
        if fun in VJPS:
            VJPS[wrapped] = VJPS[fun]
        if fun in JVPS:
            JVPS[wrapped] = JVPS[fun]
        return wrapped(*args, **kwargs)

    return given


def named_as(fun, reference):
    """Give a function the name and docstring of the one it stands for."""
    name = getattr(reference, "__name__", None)
    if isinstance(name, str):
        fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = getattr(reference, "__doc__", None)
    fun.__module__ = getattr(reference, "__module__", None) or "numpy"
    fun.__wrapped__ = reference
    return fun


def without_objects(x):
    """An iterator as a list, an array of objects that holds traced values as one traced array; others as they are."""
    if isinstance(x, _ITERATORS):
        return [without_objects(v) for v in x]
    if isinstance(x, np.ndarray) and x.dtype.kind == "O":
        return cnp.asarray(x.tolist()) if holds_traced(x) else x
    if type(x) in (list, tuple) and any(type(v) is np.ndarray and v.dtype.kind == "O" for v in x):
        return type(x)(map(without_objects, x))
    if type(x).__module__.partition(".")[0] == "pandas":
        inside = getattr(x, "values", None)
        if isinstance(inside, np.ndarray) and inside.dtype.kind == "O":
            return without_objects(inside) if holds_traced(inside) else x
    return x


def holds_traced(x):
    """Tell whether a value, or an element of lists, tuples or an array of objects, is traced."""
    if isinstance(x, Tracer):
        return True
    if isinstance(x, list | tuple):
        return any(map(holds_traced, x))
    return isinstance(x, np.ndarray) and x.dtype.kind == "O" and any(map(holds_traced, x.ravel().tolist()))


def constant(reference):
    """A function whose output does not depend on values: called with what is traced unwrapped."""

    def fun(*args, **kwargs):
        return reference(*map(getval, args), **kwargs)

    fun._is_primitive = True  # type: ignore[attr-defined]
    return named_as(fun, reference)


def wrap_namespace(old, new, ours=None):
    """Put the functions, types and constants of a namespace of NumPy or SciPy into `new`, adapted to traced values.

    Args:
        old: the namespace, a dict.
        new: the dict to fill.
        ours: a module with functions for traced values; else those of `old` are called.
    """
    made = {}
    for name, value in old.items():
        kind = type(value)
        if name[:2] == "__" or kind in (types.ModuleType,):
            continue
        if kind is type and issubclass(value, np.integer):
            new[name] = made.setdefault(id(value), _integer_type(value))
        elif kind in (type, float, int, type(None), bool, np.dtype) or isinstance(value, type):
            new[name] = value
        elif callable(value):
            if id(value) not in made:
                made[id(value)] = adapted(value, getattr(ours, name, None))
            new[name] = made[id(value)]


def _integer_type(kind):
    """A type of integers that takes the values of what is traced."""
    return type(kind.__name__, (kind,), {"__new__": lambda cls, *args: kind(*map(getval, args))})
