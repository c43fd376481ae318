"""What leaves a transform: no value of a finished one, and our own error in place of what NumPy makes of it."""

import numpy as np

from ..core.errors import ConversionError, EscapedTracerError, at_user_line
from ..core.tracer import Late, Tracer
from .arguments import flatten, settle

ndarray = np.ndarray


def check_escaped(tree):
    """Raise if a result still holds a value of a transform that has finished."""
    kind = type(tree)
    if kind is ndarray or kind is np.float64 or kind is np.float32:
        return
    for leaf in flatten(tree)[0]:
        leaf = settle(leaf)
        while isinstance(leaf, Tracer) and leaf.owner is not None:
            if type(leaf) is Late and not leaf.owner.done:  # asking for its value would compute it
                break
            if leaf.owner.done:
                raise EscapedTracerError(
                    f"a result holds a traced value ({leaf.aval!r}) of a {leaf.owner.kind} that has finished; it was "
                    f"stored outside and used again: return it from the function instead{at_user_line()}")
            leaf = leaf.value


def abandon(trace, error):
    """End the trace of a function that raised `error`, so that its values count as escaped. Called before a `raise`.

    NumPy's item assignment (`y[0] = t`) replaces any error of `__float__` by a ValueError of its own when the class has
    `__getitem__`, whatever the error's class, and makes ours its cause. Ours says what to do: it goes on instead.
    """
    trace.done = True
    cause = error.__cause__
    if type(error) is ValueError and isinstance(cause, (ConversionError, EscapedTracerError)):
        raise cause.with_traceback(error.__traceback__) from None
