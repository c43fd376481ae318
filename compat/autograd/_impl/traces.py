"""Traces that programs start by hand, to see what depends on what."""

from contextlib import contextmanager

from ...._interpreters import RevTrace
from ....extend import aval_of
from .values import prepared


class TraceStack:
    """Starts traces."""

    @contextmanager
    def new_trace(self):
        """A trace for the code within; what is computed there from boxes of it are boxes of it."""
        trace = RevTrace()
        try:
            yield trace
        finally:
            trace.done = True


trace_stack = TraceStack()


class VJPNode:
    """The root of a trace; the recording itself is covector's."""

    @classmethod
    def new_root(cls):
        """The start of a trace, for `new_box`."""
        return cls()


class Boxes(tuple):
    """A tuple of traced values, with their trace."""

    def __new__(cls, values, trace):
        self = tuple.__new__(cls, values)
        self._trace = trace
        return self


def new_box(value, trace, node):
    """A value traced in a trace that was started by hand; of a tuple or list, each of its elements."""
    if isinstance(value, tuple | list):
        return Boxes([new_box(v, trace, node) for v in value], trace)
    value = prepared(value, "new_box")
    return trace.box(value, aval_of(value), trace.leaf(0))
