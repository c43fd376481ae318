"""The lane of most calls of a primitive: plain arrays under one reverse trace, an array out; one node, no pytrees."""

import numpy as np

from ...._engine import Rev, RevTrace, Rule, by_rows, call_pullback, make_node
from ....extend import Tracer, aval_of
from .calls import conform
from .levels import without
from .sparse import dense

OTHERWISE = object()  # the lane does not take this call
_ARRAYS = frozenset({np.ndarray, np.float64, np.float32})


def call_in_lane(known, args, kwargs, vjpmaker, peeled):
    """`(output, None)` of a call; `(OTHERWISE, None)` before anything has run, or `(OTHERWISE, (output,))` after."""
    trace = None
    values = list(args)
    argnums = []
    for k, a in enumerate(args):
        if isinstance(a, Tracer):
            if type(a) is not Rev or type(a.value) not in _ARRAYS or a.aval.dtype.kind != "f" or a.node is None:
                return OTHERWISE, None
            if trace is None:
                trace = a.owner
            elif trace is not a.owner:
                return OTHERWISE, None
            values[k] = a.value
            argnums.append(k)
        elif isinstance(a, tuple | list | dict):  # there may be traced values in it
            return OTHERWISE, None
    if type(trace) is not RevTrace or trace.done:
        return OTHERWISE, None
    ans = known.raw(*values, **kwargs)
    ruled = peeled | {trace}
    if type(ans) not in _ARRAYS:
        ans = without(ans, ruled)
    if type(ans) not in _ARRAYS or ans.dtype.kind != "f":
        return OTHERWISE, (ans,)
    vjp = vjpmaker(tuple(argnums), ans, tuple(values), kwargs)
    parents = [args[k].node for k in argnums]
    node = make_node(known.rule, parents[0] if len(parents) == 1 else tuple(parents),
                     (vjp, known.name, [args[k].aval for k in argnums], ruled))
    return trace.box(ans, aval_of(ans), node), None


def make_rule(name):
    """The rule of the nodes of a primitive."""
    rule = Rule()
    rule.prim = None
    rule.names = (name,)
    rule.origins = rule.active = ()
    rule.collect = None
    rule.keeps = rule.lazy = False
    rule.once = True
    rule.back = rule.strong = _back
    return rule


def _back(ct, saved):
    """Cotangents of the operands."""
    vjp, name, avals, ruled = saved
    if type(ct) in _ARRAYS:
        found = [_fitting(c, aval, name, ruled) for c, aval in zip(call_pullback(vjp, ct), avals)]
    else:
        found = by_rows(lambda given: [_fitting(c, aval, name, ruled) for c, aval in
                                       zip(call_pullback(vjp, given[0]), avals)], [ct], linear=False)
    return found[0] if len(found) == 1 else tuple(found)


def _fitting(c, aval, name, ruled):
    """A cotangent in the shape and dtype of its operand, without values of the traces that the rule stands for."""
    if type(c) in _ARRAYS and c.shape == aval.shape and c.dtype == aval.dtype or c is None:
        return c
    c = conform(without(dense(c), ruled), aval, name)
    return c if c.dtype == aval.dtype else c.astype(aval.dtype)
