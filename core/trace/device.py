"""Constants in the library and on the device of another value: `constant(np.eye(3), x)`."""

import sys

import numpy as np

from ..arrays.avals import Aval, aval_of
from ..arrays.backend import find_backend, namespace_of
from ..errors import DtypeError, ShapeError, at_user_line
from ..types import Array
from .tracer import Tracer, unwrap

ndarray = np.ndarray


class Opaque(Tracer):
    """A tracer whose elements cannot be looked at: its `value` raises. What is below it is of its trace's `library`.

    >>> from covector.extend import Opaque, Tracer
    >>> issubclass(Opaque, Tracer)
    True
    """

    __slots__ = ()


def library_of(*values):
    """The namespace that `values` (arrays or tracers of any level) compute with; None for NumPy, or where none says.

    A staged value has no data; its trace knows the library of what it was staged for.
    """
    for value in values:
        while isinstance(value, Tracer):
            trace = value.owner
            value = None if isinstance(value, Opaque) else value.value
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


def constant(array: Array, *like: Array) -> Array:
    """A NumPy constant as an array of the library that `like` (arrays or tracers of any level) computes with.

    Args:
        array: an array of NumPy, of any shape and dtype; a traced value stays as it is.
        like: arrays or traced values.
    Returns:
        `array`, or a copy of it on the device of the first of `like` that lies on one.

    >>> import numpy as np
    >>> from covector.extend import constant
    >>> constant(np.eye(2), np.ones(3))
    array([[1., 0.],
           [0., 1.]])
    """
    xp = None if isinstance(array, Tracer) else library_of(*like)
    return array if xp is None else xp.asarray(array)


def array_of_list(value):
    """A list, or nested ones, as an array."""
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ShapeError(f"a list whose rows differ in length is not an array: {value!r}; pad the rows to one length"
                         f"{at_user_line()}") from error


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
    out = np.empty(np.shape(array_of_list(value) if kind is list else value), dtype)
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


def refuse_operands(prim, operands, params=()):
    """Say of an error that is being handled what does not fit: two libraries, or what the shape rule says of the shapes
    and dtypes; else let it go on."""
    error = sys.exc_info()[1]
    if isinstance(error, ShapeError | DtypeError):
        raise
    values = [v for v in map(unwrap, operands) if find_backend(type(v)) is not None]
    if values:
        namespace_of(values)
    refuse_avals(prim, operands, params)
    raise


def refuse_avals(prim, operands, params):
    """Raise what the shape rule of `prim` says of operands (or their avals) that do not fit; nothing if they do."""
    try:
        prim.shape([v if type(v) is Aval else aval_of(v) for v in operands], params)
    except (ShapeError, DtypeError, IndexError) as better:
        raise better from None
    except (TypeError, ValueError, AttributeError, LookupError):  # no words for these: the error at hand goes on
        return


def zeros_like_leaf(leaf, aval=None):
    """A zero gradient for an input that the output does not depend on."""
    if leaf is None or isinstance(leaf, Tracer):
        return zeros_of(leaf.aval if aval is None else aval, leaf)
    if isinstance(leaf, (ndarray, np.generic, float, complex, int)):
        return np.zeros(np.shape(leaf), aval_of(leaf).dtype)
    if find_backend(type(leaf)) is None:  # `vjp` keeps the library of a tracer in place of the tracer
        return leaf.asarray(np.zeros(aval.shape, aval.dtype))
    return zeros_of(aval_of(leaf), leaf)
