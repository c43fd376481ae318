"""The lane of most calls of a custom_vjp: plain arrays under one reverse trace, an array out; one node, no pytrees."""

from types import FunctionType, ModuleType

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.primitive.primitive import REGISTRY, bind
from ...core.tape.recording import make_node
from ...core.tape.scatter import lent
from ...core.tape.unbroadcast import fix
from ...core.trace.tracer import Rev
from ...core.types import Any
from ..arguments.arguments import first
from ..reverse.reverse import RevTrace
from ..staging.bodies import call_rule, conjugated, strip
from ..staging.closures import closes_over_tracer
from .custom_calls import VjpCall, call_pullback, name_of

ndarray = np.ndarray
OTHERWISE = object()  # the lane does not take this call
_SCALARS = frozenset({np.float64, np.float32})
_ARRAYS = frozenset({ndarray, *_SCALARS})
_CONSTANTS = frozenset({*_ARRAYS, float, int, bool})
_NUMBERS = frozenset({float, int, bool, type(None), *_SCALARS})
_SAFE = frozenset({*_CONSTANTS, complex, str, bytes, type(None), ModuleType, type, np.ufunc})
_VARIADIC = 0x04 | 0x08  # flags of code that takes *args, **kwargs


class Lane:
    """Facts of a function and its rules that are known before any call."""

    __slots__ = ("owner", "count", "cells", "rule", "fwd", "bwd")

    def __init__(self, owner):
        self.owner = owner
        self.fwd, self.bwd = owner.fwd, owner.bwd
        self.rule = call_rule(_back, name_of(owner.fun))
        self.cells = []
        self.count = -1  # as many arguments as no call has
        code = getattr(owner.fun, "__code__", None)
        functions = (owner.fun, owner.fwd, owner.bwd)
        if owner.nondiff or code is None or code.co_flags & _VARIADIC or code.co_kwonlyargcount:
            return
        if all(type(f) is FunctionType and not f.__defaults__ and not f.__kwdefaults__ for f in functions):
            self.count = code.co_argcount
            for f in functions:
                self.cells += f.__closure__ or ()

    def call(self, args):
        """The output of a call, or `OTHERWISE`, before anything of the user's has run."""
        trace = None
        values = []
        for a in args:
            if type(a) is Rev:
                if trace is None:
                    trace = a.owner
                elif a.owner is not trace:
                    return OTHERWISE
                aval, a = a.aval, a.value
                if type(a) not in _ARRAYS or aval.weak:
                    return OTHERWISE
            elif type(a) not in _CONSTANTS:
                return OTHERWISE
            values.append(a)
        if type(trace) is not RevTrace or trace.done:
            return OTHERWISE
        for cell in self.cells:
            try:
                safe = type(cell.cell_contents) in _SAFE
            except ValueError:  # filled later
                continue
            if not safe:
                if closes_over_tracer((self.owner.fun, self.fwd, self.bwd)):
                    return OTHERWISE
                break
        result = self.fwd(*values)
        if type(result) is not tuple or len(result) != 2:
            return self.recorded(result, args)
        out, residual = result
        kind = type(residual)
        if kind is ndarray:
            residual = trace.keep(residual)
        elif kind is tuple:
            for r in residual:
                if type(r) is not ndarray and type(r) not in _NUMBERS:
                    return self.recorded(result, args)
            residual = tuple([trace.keep(r) if type(r) is ndarray else r for r in residual])
        elif kind not in _NUMBERS:
            return self.recorded(result, args)
        if type(out) not in _ARRAYS or out.dtype.kind != "f":
            return self.recorded(result, args)
        active = []
        parents = []
        avals = []
        for k, a in enumerate(args):
            if type(a) is Rev:
                aval = a.aval
                if aval.dtype.kind == "f":
                    if a.node is not None:
                        active.append(k)
                        parents.append(a.node)
                elif aval.dtype.kind == "c":
                    return self.recorded(result, args)
            else:
                aval = aval_of(a)
            avals.append(aval)
        if not active:
            return out
        node = make_node(self.rule, parents[0] if len(parents) == 1 else tuple(parents),
                         (self, residual, active, avals, trace))
        return trace.box(out, aval_of(out), node)

    def recorded(self, result, args):
        """The output of a call whose `fwd` has given what the lane does not take."""
        record = _Taken(self.owner, (), tuple)
        record.result = result
        outs = bind(REGISTRY["custom_vjp"], (*args, record))
        return record.rebuild_out(list(outs))


class _Taken(VjpCall):
    """A call whose `fwd` has run."""

    result: Any

    def forward(self, values, active=None):
        return self.taken(self.result)


def _back(ct, saved):
    """Cotangents of the operands that are differentiated."""
    lane, residual, active, avals, trace = saved
    if type(ct) in _ARRAYS:
        result = call_pullback(lane.bwd, residual, ct)
        if type(result) is tuple and len(result) == len(avals):
            for c, aval in zip(result, avals):
                if c is not None and (type(c) not in _ARRAYS or c.shape != aval.shape or c.dtype != aval.dtype):
                    break
            else:
                return lent(result[active[0]]) if len(active) == 1 else tuple([lent(result[k]) for k in active])
        record = VjpCall(lane.owner, (), tuple)
        found = record.checked(result, avals)
    else:
        record = VjpCall(lane.owner, (), tuple)
        record.rebuild_out = first
        found = record.transposable(residual, [conjugated(ct)], avals)
    out = [None if found[i] is None else fix(conjugated(strip(found[i], trace)), avals[i]) for i in active]
    return out[0] if len(out) == 1 else tuple(out)
