"""Dispatch of collectives on values that no trace of their axis carries."""

import numpy as np

from ...core.primitive.primitive import REGISTRY
from ...core.trace.tracer import Tracer, make_batched
from ..scope.axis_environment import axis_trace


def along_axes(collective):
    """A collective in which the traces of its axes take part although nothing in its operand may vary along them.

    A traced value older than an axis is the same in all of its examples: the trace of the axis says what that means,
    or, where a trace that is newer than the axis comes first, the value is marked as varying.
    """
    prim = collective.prim

    def applied(*args, **kwargs):
        x, names, *params = prim.arrange(args, kwargs)
        if isinstance(x, Tracer) and x.owner is not None:
            for trace in map(axis_trace, names):
                traces = list(_traces(x))
                if trace in traces or trace.stands_for in traces:
                    continue
                if traces[0].level < trace.level:
                    return trace.process(prim, (x, names, *params))
                if traces[-1].level < trace.level:
                    x = marked(x, trace)
        return collective(x, names, *params)

    applied.prim = prim  # type: ignore[attr-defined] # as all operations have it
    prim.fun = applied
    return applied


def marking(operation):
    """The function of `pvary`: what belongs to no trace becomes a value of the trace of the axis."""
    prim = operation.prim

    def applied(x, names):
        if not isinstance(x, Tracer):
            for name in names:
                trace = axis_trace(name)
                if trace.mesh:
                    x = trace.box(trace.spread(x))
            return x
        if x.owner is not None:
            for trace in map(axis_trace, names):
                traces = list(_traces(x))
                if trace not in traces and trace.stands_for not in traces and traces[0].level < trace.level:
                    return trace.process(prim, (x, names))
        return operation(x, names)

    applied.prim = prim  # type: ignore[attr-defined] # as all operations have it
    prim.fun = applied
    return applied


def _traces(x):
    """The traces that a value belongs to, the newest first."""
    while isinstance(x, Tracer):
        if x.owner is not None:
            yield x.owner
        x = x.value


def marked(x, trace):
    """The same value, as one that varies along the axis of a trace."""
    if trace.mesh:
        return REGISTRY["pvary"].fun(x, (trace.axis_name,))
    zero = make_batched(trace, np.zeros(trace.size, np.int8))
    return x + zero.astype(x.dtype) if hasattr(x, "dtype") else x + zero
