"""Error messages for arguments that a NumPy function on traced values rejects: NumPy's verdict on the same call."""

import sys
import types
import warnings

import numpy as np

from ..errors import RuleError, at_user_line, is_ours, raised_by_user, words_of
from ..trace.buffers import Buffer
from ..trace.tracer import Batched, Tracer

_BUILT_IN = (np.exceptions.AxisError, np.linalg.LinAlgError, IndexError, TypeError, OverflowError, ValueError,
             NotImplementedError, ZeroDivisionError, MemoryError)
_PASSED = (Warning, FloatingPointError, MemoryError)  # filters and limits that the user has set
# What NumPy may be given a second time: it runs no code of the user's, and there is nothing in it to use up.
_INERT = frozenset({types.NoneType, types.EllipsisType, bool, int, float, complex, str, bytes, slice, range, object,
                    type(np._NoValue)})
_SHOWN = 60  # characters of an argument


def refused(name, reference, args, kwargs):
    """Handle the error being raised by `reference`, called `name`, on traced values.

    Returns what `reference` gives of the arrays, read-only, where all that is traced are buffers that no traced value
    was written to; else raises, in place of the error, what `explain` makes of it.
    """
    error = sys.exc_info()[1]
    found = []
    plain, named = _plain_buffers([args, kwargs], found)
    # `ufunc.at` writes to read-only arrays as well.
    writes = getattr(reference, "__name__", "") == "at" and isinstance(args[0], Tracer)
    if found and all(found) and not writes and not isinstance(error, _PASSED) and not raised_by_user(error):
        return reference(*plain, **named)
    explain(name, reference, args, kwargs)
    raise error


def _plain_buffers(value, found):
    """`value` with the arrays in place of the buffers in it; `found` gets whether each traced value was one."""
    if isinstance(value, Tracer):
        found.append(type(value) is Buffer and not isinstance(value.read(), Tracer))
        return value.__array__() if found[-1] else value
    if type(value) in (list, tuple):
        return type(value)([_plain_buffers(part, found) for part in value])
    if type(value) is dict:
        return {key: _plain_buffers(part, found) for key, part in value.items()}
    return value


def explain(name, reference, args, kwargs):
    """Raise in place of an error that is being handled, which the arguments of `reference` caused in code of ours.

    NumPy gets the same call on plain stand-ins: if it refuses, its kind and words are given; if not, the call is one
    that traced values do not support. Arguments that run code of the user's are not given to it a second time.
    Returns for errors that say already what to do, and for those of the user's code.
    """
    error = sys.exc_info()[1]
    # Errors of the user's own code, and warnings that filters turned into errors, are no fault of the arguments.
    if isinstance(error, _PASSED) or raised_by_user(error):
        return
    if is_ours(error) and not getattr(error, "numpy_said", False):
        return
    if isinstance(error, np.linalg.LinAlgError):  # of the numbers: a second decomposition would say the same
        asked, said = True, error
    else:
        asked, said = _verdict(reference, args, kwargs)
    if said is not None and type(said) is type(error) and str(said) == str(error):
        if not getattr(error, "__notes__", None):  # NumPy's own words, from a kernel, stay
            error.add_note(f"{name} was called as {_shown(args, kwargs)}{at_user_line()}")
        return
    if not asked and is_ours(error):
        return
    given = _shown(args, kwargs)
    if said is not None:
        kind = next((k for k in _BUILT_IN if isinstance(said, k)), TypeError)
        better = kind(f"{name} refuses its arguments: {_words(said)}; it was called as {given}: give it what NumPy's "
                      f"own takes{at_user_line()}")
    else:
        known = ", though NumPy does on plain ones" if asked else ""
        kind = RuleError if asked else next((k for k in _BUILT_IN if isinstance(error, k)), RuleError)
        better = kind(f"{name} does not take these arguments on traced values{known}: {_words(error)}; it was called "
                      f"as {given}: write it with other functions of covector.numpy, or use stop_gradient where no "
                      f"derivative is wanted{at_user_line()}")
    better.numpy_said = True  # a function of ours that called this one says it in its own name
    raise better from (None if said is not None else error)


def _words(error):
    text = " ".join(words_of(error).split())
    return text.rstrip(".") or type(error).__name__


def _verdict(reference, args, kwargs):
    """Tell whether `reference` could be asked about plain stand-ins for these arguments, and the error that it
    raised."""
    try:
        plain, named = [_plain(value) for value in args], {key: _plain(value) for key, value in kwargs.items()}
    except Exception:  # nothing can stand in: nothing is said
        return False, None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            reference(*plain, **named)
        except Exception as error:
            return True, error
    return True, None


def _plain(value):
    """A plain stand-in: copies of arrays, and of traced values what is known of them.

    Functions, iterators, generators of random numbers and other objects of the user's have none: NumPy would call them
    a second time.
    """
    kind = type(value)
    if kind is np.ndarray and value.dtype.kind != "O":
        return value.copy()
    if kind in _INERT or isinstance(value, np.generic | np.dtype | np.ufunc | type):
        return value
    if isinstance(value, Tracer):
        return _stand_in(value)
    if kind in (list, tuple):
        return kind([_plain(part) for part in value])
    if kind is dict:
        return {key: _plain(part) for key, part in value.items()}
    raise TypeError(f"nothing stands in for {kind.__name__}")


def _stand_in(tracer):
    aval, value, batched = tracer.aval, tracer, 0
    while isinstance(value, Tracer):
        batched += isinstance(value, Batched)
        value = value.value
    if value is None or not isinstance(value, np.ndarray | np.generic | float | complex | int):
        return np.ones(aval.shape, aval.dtype)
    array = np.asarray(value)
    # One example stands in for all: the user wrote the call for one.
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
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an object that is not complete, say: the error is that of the call
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
