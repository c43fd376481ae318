"""Constants made where the values are: `constant(np.eye(3), x)` is an array of the library that `x` computes with."""

import numpy as np

from .avals import aval_of
from .backend import find_backend, namespace_of
from .errors import at_user_line
from .tracer import Tracer, peel

ndarray = np.ndarray


def library_of(*values):
    """The namespace that `values` (arrays or tracers of any level) compute with; None for NumPy, or where none says.

    A staged value has no data; its trace knows the library of what it was staged for.
    """
    for value in values:
        while isinstance(value, Tracer):
            trace = value.owner
            value = value.value
            if value is None:
                if trace.library is not None:
                    return trace.library
                break
        if value is None or isinstance(value, (ndarray, np.generic)):
            continue
        found = find_backend(type(value))
        if found is not None and found[0].name != "numpy":
            return found[1]
    return None


def constant(array, *like):
    """A NumPy constant as an array of the library that `like` (arrays or tracers of any level) computes with."""
    xp = library_of(*like)
    return array if xp is None else xp.asarray(array)


def as_element(value, dtype):
    """A plain `value` in the dtype of the array that it is written into, cast as NumPy casts on assignment."""
    kind = type(value)
    if kind is float or kind is int or kind is bool:
        if dtype.kind in "fc" or kind is bool and dtype.kind == "b":
            return value
    elif hasattr(value, "dtype") and value.dtype == dtype:
        return value
    elif kind is not ndarray and not isinstance(value, np.generic) and find_backend(kind) is not None:
        return value.astype(dtype)
    out = np.empty(np.shape(value), dtype)
    try:
        out[...] = value
    except (TypeError, ValueError) as error:
        cause = TypeError if isinstance(error, TypeError) else ValueError
        raise cause(f"a value was written into an array of dtype {dtype}, which cannot hold it: {value!r} "
                    f"({error}); write a number, or make the array of another dtype{at_user_line()}") from error
    return out


def zeros_of(aval, *like):
    """Zeros of an aval, in the library of `like`."""
    return constant(np.zeros(aval.shape, aval.dtype), *like)


def refuse_mixing(x, y):
    """Say of an error that is being handled that arrays of two libraries met, if that is so; else let it go on."""
    values = [v for v in (peel(x), peel(y)) if find_backend(type(v)) is not None]
    namespace_of(values)
    raise


def zeros_like_leaf(leaf, aval=None):
    """A zero gradient for an input that the answer does not depend on."""
    if leaf is None or isinstance(leaf, Tracer):
        return zeros_of(leaf.aval if aval is None else aval, leaf)
    if isinstance(leaf, (ndarray, np.generic, float, complex, int)):
        return np.zeros(np.shape(leaf), aval_of(leaf).dtype)
    if find_backend(type(leaf)) is None:  # `vjp` keeps the library of a tracer in place of the tracer
        return leaf.asarray(np.zeros(aval.shape, aval.dtype))
    return zeros_of(aval_of(leaf), leaf)
