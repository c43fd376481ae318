"""What a user reads when arguments fail inside a NumPy function on traced values: NumPy's verdict on the same call."""

import sys
import types
import warnings

import numpy as np

from .errors import RuleError, at_user_line, is_ours, raised_by_user
from .tracer import Batched, Tracer

_BUILT_IN = (np.exceptions.AxisError, np.linalg.LinAlgError, IndexError, TypeError, OverflowError, ValueError,
             NotImplementedError, ZeroDivisionError, MemoryError)
_PASSED = (Warning, FloatingPointError, MemoryError)  # filters and limits that the user has set
_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_SHOWN = 60  # characters of an argument


def explain(name, reference, args, kwargs):
    """Raise in place of an error that is being handled, which the arguments of `reference` caused in code of ours.

    NumPy gets the same call on plain stand-ins: if it refuses, its kind and words are given; if not, the call is one
    that traced values do not support. Returns for errors that say already what to do, and for those of the user's code.
    """
    error = sys.exc_info()[1]
    if isinstance(error, _PASSED) or raised_by_user(error):
        return
    if is_ours(error) and not getattr(error, "numpy_said", False):
        return
    said = _verdict(reference, args, kwargs)
    if said is not None and type(said) is type(error) and str(said) == str(error):
        if not getattr(error, "__notes__", None):  # NumPy's own words, from a kernel, stay
            error.add_note(f"{name} was called as {_shown(args, kwargs)}{at_user_line()}")
        return
    given = _shown(args, kwargs)
    if said is not None:
        kind = next((k for k in _BUILT_IN if isinstance(said, k)), TypeError)
        better = kind(f"{name} refuses its arguments: {_words(said)}; it was called as {given}: give it what NumPy's "
                      f"own takes{at_user_line()}")
    else:
        better = RuleError(f"{name} does not take these arguments on traced values, though NumPy does on plain ones: "
                           f"{_words(error)}; it was called as {given}: write it with other functions of "
                           f"covector.numpy, or use stop_gradient where no derivative is wanted{at_user_line()}")
    better.numpy_said = True  # a function of ours that called this one says it in its own name
    raise better from (None if said is not None else error)


def _words(error):
    text = " ".join(str(error).split())
    return text.rstrip(".") or type(error).__name__


def _verdict(reference, args, kwargs):
    """The error that `reference` raises of plain stand-ins for these arguments; None if it raises none."""
    values = [*args, *kwargs.values()]
    if any(isinstance(v, _CALLABLE) for v in values):
        return None  # a function of the user's is not called again
    try:
        plain, named = _plain(list(args)), {key: _plain(value) for key, value in kwargs.items()}
    except Exception:  # nothing can stand in: nothing is said
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            reference(*plain, **named)
        except Exception as error:
            return error
    return None


def _plain(value):
    """A plain stand-in: copies of arrays, and of traced values what is known of them."""
    if isinstance(value, Tracer):
        return _stand_in(value)
    if type(value) in (list, tuple):
        return type(value)([_plain(part) for part in value])
    return value.copy() if isinstance(value, np.ndarray) else value


def _stand_in(tracer):
    aval, value, batched = tracer.aval, tracer, 0
    while isinstance(value, Tracer):
        batched += isinstance(value, Batched)
        value = value.value
    if value is None or not isinstance(value, np.ndarray | np.generic | float | complex | int):
        return np.ones(aval.shape, aval.dtype)
    array = np.asarray(value)
    for _ in range(batched):
        array = array[0]
    return np.array(array, aval.dtype)


def _shown(args, kwargs):
    parts = [_short(value) for value in args] + [f"{key}={_short(value)}" for key, value in kwargs.items()]
    return f"({', '.join(parts)})"


def _short(value):
    if isinstance(value, Tracer):
        return repr(value.aval)
    if isinstance(value, np.ndarray) and value.size > 4:
        return f"array of shape {value.shape} and dtype {value.dtype}"
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
