"""autograd.misc.flatten: nested tuples, lists and dicts of arrays as one vector, and back."""

from .... import numpy as cnp
from .._impl.core import make_vjp
from .._impl.missing import refusing as _refusing


def flatten(value):
    """`(vector, unflatten)` of nested tuples, lists and dicts (by sorted keys) of arrays and numbers.

    >>> import numpy as np
    >>> from covector.compat.autograd.misc import flatten
    >>> vector, unflatten = flatten({"b": 1.0, "a": np.zeros(2)})
    >>> vector, unflatten(vector)
    (array([0., 0., 1.]), {'b': array(1.), 'a': array([0., 0.])})
    """
    unflatten, flat_value = make_vjp(_flatten, value) if _parts(value) != [] else (lambda v: value, cnp.asarray([]))
    return flat_value, unflatten


def _parts(value):
    """The elements of a tuple, list or dict, this by sorted keys; None for anything else."""
    if isinstance(value, dict):
        return [value[k] for k in sorted(value)]
    return list(value) if isinstance(value, tuple | list) else None


def _flatten(value):
    parts = _parts(value)
    if parts is None:
        return cnp.ravel(value)
    return cnp.concatenate([_flatten(v) for v in parts]) if parts else cnp.asarray([])


def flatten_func(func, example):
    """`(function of a vector, unflatten, vector of the example)` of a function of a pytree."""
    flat, unflatten = flatten(example)
    return (lambda x, *args: flatten(func(unflatten(x), *args))[0]), unflatten, flat

_refusing("misc.flatten")
