"""The call of a compiled function as one primitive, with its rule for each transform.

A derivative of a compiled function is compiled in its turn, once for each set of operands that it is taken by: the
forward half returns the residuals that the backward half asks for, found by staging the pullback inside of it.
"""

from functools import partial

import numpy as np

from ....core.arrays.avals import aval_of, make_aval
from ....core.arrays.backend import is_array
from ....core.arrays.dtypes import is_inexact
from ....core.arrays.fp_warnings import error_state, leave_error_state
from ....core.primitive.primitive import RAW, bind
from ....core.trace.tracer import Rev
from ...arguments.arguments import settle
from ...graph.equations import selects
from ...interpreters.forward import start_dual
from ...reverse.nan_checks import start_trace
from ...reverse.sweep import sweep
from ...scope.debug_modes import modes
from ...scope.errstate import enter_quiet, unmarked
from ...staging import bodies
from ...staging.passes import holds_zeros, partition, without_strong_zeros
from ...staging.staging import stage
from ..program import Programs

ndarray = np.ndarray
_DERIVED = 64  # derivatives and batched forms kept of one compiled function


class Compiled:
    """A graph that runs as generated source, and what transforms made of it.

    Args:
        graph: a `Graph` without captured values.
        name: of the function, for messages.
        own: whether outputs may share no memory with inputs, constants or each other: for what leaves to the user.
        library: the namespace of the arrays that it was staged for, None for NumPy.
    """

    __slots__ = ("graph", "name", "options", "programs", "derived", "library", "numbers")

    def __init__(self, graph, name, own=False, options=None, library=None):
        self.graph = graph
        self.name = name
        self.options = {key: value for key, value in (options or {}).items() if key != "donated"}  # of derivatives, too
        self.programs = Programs(graph, own, name, options)
        self.derived = {}
        self.library = library
        self.numbers = frozenset(k for k, aval in enumerate(graph.in_avals) if aval.weak)

    def __repr__(self):
        return self.name

    def run(self, values):
        """The outputs, as a list, for values of any kind."""
        if self.numbers:  # a transform has a scalar where a number is traced
            values = [v.item() if k in self.numbers and isinstance(v, np.generic) else v for k, v in enumerate(values)]
        if modes().nans:
            return self.graph.interpret(values)
        for v in values:
            if type(v) not in RAW and not ("device" in self.options and is_array(v)):
                return self.graph.interpret(values)
        if self.graph.guards is not None:
            self.graph.guards.check(f"jit of {self.name}", "call its clear_cache()")
        return self.programs.run(values)

    def derive(self, key, make):
        """The function that a transform made of this one, made once."""
        found = self.derived.get(key)
        if found is None:
            if len(self.derived) >= _DERIVED:
                self.derived.clear()
            found = self.derived[key] = make()
        return found

    def staged(self, fun, avals):
        """The graph of a function of flat values that runs the graph of this one."""
        with unmarked():
            graph, _ = stage(fun, avals, tuple, "jit", library=self.library, watch=False)
        graph.guards = self.graph.guards  # constants of the graph are constants of what is derived from it
        return graph

    def derived_as(self, name, graph):
        """A graph made of the one of this function, compiled."""
        return Compiled(graph, f"{name} of {self.name}", options=self.options, library=self.library)


class _ForwardBackward:
    """The forward and the backward half of a derivative; `sources` says where the backward one finds its residuals."""

    __slots__ = ("forward", "strong", "backs", "sources", "count", "selects", "masks", "holds_zeros")

    def __init__(self, call, active):
        graph = call.graph
        back, late = [], set()

        def forward(*values):
            trace = start_trace()
            trace.masked = True  # zeros that a branch leaves behind must not meet infinities
            boxed = list(values)
            for k, i in enumerate(active):
                boxed[i] = trace.box(values[i], aval_of(values[i]), trace.leaf(k))
            outs = [settle(v) for v in graph.interpret(boxed)]
            avals = [aval_of(v) for v in outs]

            def pullback(*cts):
                roots = [(v.node, c) for v, c in zip(outs, cts) if isinstance(v, Rev) and v.owner is trace]
                state = error_state()
                try:
                    enter_quiet()
                    found = sweep(roots, len(active), masked=True, large=False)
                finally:
                    leave_error_state(state)
                return bodies.full_cotangents(found, [aval_of(values[i]) for i in active], cts)

            cotangents = [a if is_inexact(a.dtype) else make_aval(a.shape, np.dtype(np.float64)) for a in avals]
            written = values[0].owner.equations
            count = len(written)
            back.append(stage(pullback, cotangents, tuple, "jit", library=call.library, watch=False)[0])
            # What the pullback wrote belongs to the backward half, wherever its operands come from.
            late.update(written[count:])
            trace.done = True
            return [*[bodies.strip(v, trace) for v in outs], *back[0].captured]

        self.count = len(graph.outputs)
        whole = call.staged(forward, graph.in_avals)
        first, second, residuals = partition(whole, back[0], self.count, late)
        outs, given = first.outputs[: self.count], first.inputs
        # Operands are kept by the caller: only what was computed is returned.
        outs += [v for v in residuals if v not in outs and v not in given]
        self.sources = [("operand", given.index(v)) if v in given else ("result", outs.index(v)) for v in residuals]
        self.forward = call.derived_as("forward half", first.with_outputs(outs))
        self.strong, self.backs = second, {}
        self.holds_zeros = holds_zeros(graph)
        self.selects, self.masks = selects(graph), self.backward(call, (False,) * self.count)[1]

    def backward(self, call, zeros):
        """The backward half where those cotangents alone have structural zeros, and whether its outputs have some."""
        found = self.backs.get(zeros)
        if found is None:
            zeros_in = [zero or self.holds_zeros for zero in zeros]
            graph, flags = without_strong_zeros(self.strong, (*zeros_in, *[None] * len(self.sources)))
            found = self.backs[zeros] = call.derived_as("backward half", graph), any(f is not False for f in flags)
        return found


def _grad(trace, prim, args):
    *operands, call = args
    values, mine = bodies.operands_of(trace, operands)
    active = tuple([i for i, (v, own) in enumerate(zip(values, mine)) if own and is_inexact(aval_of(v).dtype)])
    if modes().nans:
        return tuple(call.graph.interpret(operands))
    if not active:
        return tuple(prim.rebind((*values, call)))
    halves = call.derive(("grad", active), lambda: _ForwardBackward(call, active))
    trace.masked = trace.masked or halves.selects or halves.masks
    asked = {k for kind, k in halves.sources if kind == "operand"}
    # Arrays that may be written to before the sweep.
    values = [trace.keep(v) if k in asked and not own else v for k, (v, own) in enumerate(zip(values, mine))]
    results = list(prim.rebind((*values, halves.forward)))
    residuals = [values[k] if kind == "operand" else results[k] for kind, k in halves.sources]
    outs = results[: halves.count]
    out_avals = [aval_of(v) for v in outs]

    def back(cts, saved, strong=False):
        backward, _ = halves.backward(call, tuple([strong or c is None for c in cts]))
        return list(prim.rebind((*bodies.full_cotangents(cts, out_avals), *residuals, backward)))

    return tuple(bodies.record_call(trace, outs, [operands[i].node for i in active], back, call.name,
                             partial(back, strong=True), halves.masks))


def _jvp(trace, prim, args):
    *operands, call = args
    if modes().nans:
        return tuple(call.graph.interpret(operands))
    values, mine = bodies.operands_of(trace, operands)
    active = tuple([i for i, own in enumerate(mine) if own])
    n = len(values)

    def make():
        live = []

        def pushed(*flat):
            tangents = [None] * n
            for i, t in zip(active, flat[n:]):
                tangents[i] = t
            outs, found = bodies.push(lambda *xs: call.graph.interpret(xs), flat[:n], tangents, start_dual, True)
            # A tangent that is zero by structure is no output.
            live[:] = [k for k, t in enumerate(found) if t is not None]
            return [*outs, *bodies.instantiate([found[k] for k in live], [outs[k] for k in live])]

        avals = call.graph.in_avals
        graph = call.staged(pushed, [*avals, *[_strong(avals[i]) for i in active]])
        return call.derived_as("forward mode", graph), live, selects(call.graph)

    derived, live, masks = call.derive(("jvp", active), make)
    trace.masked = trace.masked or masks
    flat = prim.rebind((*values, *[operands[i].tangent for i in active], derived))
    count = len(flat) - len(live)
    tangents = dict(zip(live, flat[count:]))
    return tuple([trace.box(bodies.strip(v, trace), tangents.get(k)) for k, v in enumerate(flat[:count])])


def _strong(aval):
    return make_aval(aval.shape, aval.dtype)


def _vmap(trace, prim, args):
    *operands, call = args
    values, flags = trace.unbox(operands)
    flags = tuple(flags)
    if trace.axis_name is not None and not trace.mesh or modes().nans:
        inner = bodies.batched_body(lambda *xs: call.graph.interpret(xs), flags, trace)
        return bodies.boxed_as(trace, inner(*values), inner)

    def make():
        avals = [make_aval((trace.size, *a.shape), a.dtype) if f else a for a, f in zip(call.graph.in_avals, flags)]
        inner = bodies.batched_body(lambda *xs: call.graph.interpret(xs), flags, trace)
        return call.derived_as("batched form", call.staged(inner, avals)), inner

    derived, inner = call.derive(("vmap", flags, trace.size, trace.mesh and (trace.axis_name, trace.places)), make)
    return bodies.boxed_as(trace, prim.rebind((*values, derived)), inner)


def _inlined(trace, prim, args):
    """The equations themselves: a graph around this call compiles them together with its own."""
    *operands, call = args
    return tuple(call.graph.interpret(operands))


_jit = bodies.higher_order(
    "jit",
    impl=lambda xp, *xs, call: tuple(call.run(xs)),
    handlers={"grad": _grad, "jvp": _jvp, "vmap": _vmap, "graph": _inlined, "ambient": _inlined},
).prim


def call_compiled(call, values):
    """The outputs of a compiled function for flat values, of which some are traced."""
    return list(bind(_jit, (*values, call)))
