"""Operations whose value any code computes, with a rule in each direction given as functions: what solvers are."""

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.arrays.dtypes import is_inexact
from ...core.errors import ConversionError, at_user_line
from ...core.primitive.primitive import bind
from ...core.tape.scatter import lent
from ...core.tape.unbroadcast import fix
from ...core.trace.device import zeros_of
from ...core.trace.tracer import Tracer
from ...core.types import Any
from ..arguments.arguments import settle
from ..interpreters.gradient import vjp
from ..reverse.ambient import conform_tangent
from ..staging.bodies import (
    above,
    batched_body,
    conjugated,
    full_cotangents,
    higher_order,
    operands_of,
    record_call,
    strip,
)
from ..staging.closures import closes_over_tracer
from ..staging.effects import stop_gradient
from ..staging.linear import generic
from ..staging.staging import stage


class Operation:
    """A function of flat operands with rules of its own; neither closes over a traced value.

    A subclass defines `run(*values)`, which returns the list of outputs; `jvp(values, outs, tangents)`, their tangents;
    `vjp(values, outs, cts)`, cotangents of the operands in the convention of JAX. Rules are written in operations, and
    None is a zero. `avals(given)` says what comes out; without it, `run` is written in operations and is staged.
    """

    name = "operation"
    linear = 0  # how many of the first operands it is linear in, taken together
    bilinear = False  # of two operands, linear in each
    avals: Any = None
    outs: Any = None  # avals of the outputs, of a linear operation that need not run where its operands only stand in
    refuse: Any = None  # `refuse(values)` raises: there is no derivative, and integer outputs would hide that

    def __call__(self, *operands):
        return list(bind(_two_way, (*[settle(x) for x in operands], self)))

    def __repr__(self):
        return self.name

    def run(self, *values):
        raise NotImplementedError

    def jvp(self, values, outs, tangents):
        raise NotImplementedError

    def vjp(self, values, outs, cts):
        raise NotImplementedError

    def pull(self, values, outs, cts, active):
        """The result of `vjp`, where only the cotangents of the operands `active` are looked at."""
        return self.vjp(values, outs, cts)

    def batched(self, flags, trace):
        """The operation on operands of which those with a flag have a batch axis in front."""
        return _Batched(self, flags, trace)

    def staged(self, avals, operands):
        """The operation on operands of these avals, with a graph of what it runs."""
        return StagedOperation(self, stage(self.run, avals, tuple, self.name, like=operands)[0], len(avals))


class Pushed(Operation):
    """An operation whose rule for cotangents is the transpose of that for tangents."""

    def vjp(self, values, outs, cts):
        live = [k for k, v in enumerate(values) if is_inexact(aval_of(v).dtype)]

        def push(*tangents):
            found = self.jvp(values, outs, placed([None] * len(values), live, tangents))
            return [t for t in found if t is not None]

        # Tangents enter linearly, so the pullback is the same at every point: zeros are as good as any.
        pull = vjp(push, *[zeros_of(aval_of(values[k]), values[k]) for k in live])[1]
        back = pull([ct for ct, v in zip(cts, outs) if is_inexact(aval_of(v).dtype)])
        return placed([None] * len(values), live, back)


class _Batched(Operation):
    """An operation on operands of which some have a batch axis in front; every output has one."""

    def __init__(self, inner, flags, trace):
        self.inner = inner
        self.name = inner.name
        self.flags = tuple(flags)
        self.trace = trace
        self.size = trace.size
        self.linear = inner.linear
        self.refuse = inner.refuse
        self.outs = inner.outs and [make_aval((self.size, *a.shape), a.dtype) for a in inner.outs]
        if inner.avals is not None:
            self.avals = self._avals

    def _avals(self, given):
        inside = [make_aval(a.shape[1:], a.dtype) if flag else a for a, flag in zip(given, self.flags)]
        return [make_aval((self.size, *a.shape), a.dtype) for a in self.inner.avals(inside)]

    def run(self, *values):
        if self.avals is None:
            return batched_body(self.inner.run, self.flags, self.trace)(*values)
        # Code that is not written in operations takes one example at a time.
        rows = [self.inner.run(*[np.asarray(v)[i] if flag else v for v, flag in zip(values, self.flags)])
                for i in range(self.size)]
        return [np.stack([row[k] for row in rows]) for k in range(len(rows[0]))]

    def _rule(self, rule, values, outs, given, flags):
        """The result of `rule` of the inner operation, which may be None."""
        n, m = len(values), len(outs)
        live = [k for k, g in enumerate(given) if g is not None]
        none: list[bool] = []

        def body(*flat):
            full: list[Any] = [None] * len(given)
            for k, g in zip(live, flat[n + m :]):
                full[k] = g
            found = rule(list(flat[:n]), list(flat[n : n + m]), full)
            # None is no output of a batched body: zeros stand in for it, and are dropped again below.
            none[:] = [f is None for f in found]
            return [0.0 if f is None else f for f in found]

        batched = (*self.flags, *(True,) * m, *[flags[k] for k in live])
        found = batched_body(body, batched, self.trace)(*values, *outs, *[given[k] for k in live])
        return [None if skip else f for f, skip in zip(found, none)]

    def jvp(self, values, outs, tangents):
        return self._rule(self.inner.jvp, values, outs, tangents, self.flags)

    def pull(self, values, outs, cts, active):
        found = self._rule(lambda *given: self.inner.pull(*given, active), values, outs, cts, (True,) * len(cts))
        # An operand without batch axis serves all examples, so its cotangents add up.
        return [c if c is None or flag else c.sum(axis=0) for c, flag in zip(found, self.flags)]


class StagedOperation(Operation):
    """An operation whose `run` is a graph; what that closed over are operands behind the first `count`, constants."""

    def __init__(self, inner, graph, count):
        self.inner = inner
        self.name = inner.name
        self.linear, self.bilinear = inner.linear, inner.bilinear
        self.graph = graph
        self.count = count

    def taken(self):
        """Hand over what its graph closed over, for the caller to make operands of."""
        captured, self.graph.captured = self.graph.captured, []
        return captured

    def avals(self, given):
        return self.graph.out_avals

    def run(self, *values):
        return self.graph.eval(list(values))

    def batched(self, flags, trace):
        return _Batched(self, flags, trace)

    def jvp(self, values, outs, tangents):
        return self.inner.jvp(values[: self.count], outs, tangents[: self.count])

    def pull(self, values, outs, cts, active):
        found = self.inner.pull(values[: self.count], outs, cts, [k for k in active if k < self.count])
        return [*found, *[None] * (len(values) - self.count)]


def _grad(trace, prim, args):
    *operands, op = args
    values, mine = operands_of(trace, operands)
    # Only linear operands are traced, and they only stand in: outputs of the right shapes will do, without a run.
    if op.outs is not None and getattr(trace, "stands_in", False) and not any(mine[op.linear :]):
        outs = [generic(a, *values) for a in op.outs]
    else:
        outs = list(prim.rebind((*values, op)))
    active = [i for i, own in enumerate(mine)
              if own and is_inexact(aval_of(values[i]).dtype) and operands[i].node is not None]
    if not active or not getattr(trace, "recording", True):
        return tuple([trace.box(v) for v in outs]) if trace.level == 0 else tuple(outs)
    if op.refuse is not None:
        op.refuse(values)
    kept = [trace.keep(v) for v in values]
    found = [trace.keep(strip(v, trace)) for v in outs]
    out_avals = [aval_of(v) for v in found]
    avals = [aval_of(v) for v in values]

    def back(cts, saved):
        given = [conjugated(c) for c in full_cotangents(cts, out_avals, found)]
        back = op.pull(kept, found, given, active)
        return [None if back[i] is None else lent(fix(conjugated(strip(back[i], trace)), avals[i])) for i in active]

    return tuple(record_call(trace, outs, [operands[i].node for i in active], back, op.name))


def _jvp(trace, prim, args):
    *operands, op = args
    values, mine = operands_of(trace, operands)
    outs = [strip(v, trace) for v in prim.rebind((*values, op))]
    tangents = [a.tangent if own and is_inexact(aval_of(v).dtype) else None
                for a, own, v in zip(operands, mine, values)]
    if all(t is None for t in tangents):
        return tuple(outs)
    if op.refuse is not None:
        op.refuse(values)
    found = op.jvp(values, outs, tangents)
    return tuple([v if t is None else trace.box(v, strip(t, trace)) for v, t in zip(outs, found)])


def _ambient(trace, prim, args):
    """On values of the stateful layer: as under `grad`, or, of values with tangents and no history, these as well."""
    *operands, op = args
    _, mine = operands_of(trace, operands)
    tangents = [a.tangent if own else None for a, own in zip(operands, mine)]
    if all(t is None for t in tangents):
        return _grad(trace, prim, args)
    if trace.recording and any(own and a.node is not None for a, own in zip(operands, mine)):
        trace.refuse_tangents(prim, args)
    bare = [a.value if own else a for a, own in zip(operands, mine)]
    if op.refuse is not None:
        op.refuse(bare)
    values = prim.rebind((*bare, op))
    outs = tuple([trace.box(v) for v in values])
    for out, t in zip(outs, op.jvp(bare, list(values), tangents)):
        out.tangent = None if t is None else conform_tangent(t, out.aval)
    return outs


def _vmap(trace, prim, args):
    *operands, op = args
    values, flags = trace.unbox(operands)
    return tuple([trace.box(v) for v in prim.rebind((*values, op.batched(flags, trace)))])


def _graph(trace, prim, args):
    *operands, op = args
    lifted = [trace.lift(a) for a in operands]
    avals = [x.aval for x, _ in lifted]
    if op.avals is None:
        op = op.staged(avals, operands)
        captured = [stop_gradient(t) for t in op.taken()]  # the rules know of no derivative of these
        if above(trace, captured):
            return prim.rebind((*operands, *captured, op))
        lifted += [trace.lift(t) for t in captured]
    values = prim.rebind((*[v for _, v in lifted], op)) if trace.concrete else None
    return trace.emit(prim, [x for x, _ in lifted], (op,), op.avals(avals), values)


_two_way = higher_order(
    "two_way",
    impl=lambda xp, *xs, op: tuple(op.run(*xs)),
    handlers={"grad": _grad, "jvp": _jvp, "vmap": _vmap, "graph": _graph, "ambient": _ambient},
    shares=True,
).prim


class Closed:
    """A function of arrays that returns one array or a flat list, without what it closes over: `values` come behind.

    Where nothing traced is found in its closure, it is called as it is; otherwise it is staged for `examples`.

    Args:
        fun: `fun(*arrays)`.
        examples: arrays or avals like those of later calls.
        name: in messages.
        given: values that are traced, and that `fun(*arrays, *given)` takes behind the arrays.
    """

    def __init__(self, fun, examples, name, given=()):
        self.name = name
        self.graph: Any = None
        self.fun: Any = fun
        self.values = list(given)
        self.count = len(examples)
        if closes_over_tracer((fun,)):
            try:
                self.graph, _ = stage(fun, [*examples, *[aval_of(settle(v)) for v in given]], tuple, name)
            except ConversionError as error:
                error.add_note(f"{name} stages a function that closes over traced values; pass these as arguments, and "
                               "it runs on plain arrays inside the solver")
                raise
            self.values += self.graph.captured
            self.graph.captured = []
            self.fun = None

    def __call__(self, *flat):
        """The output, of arrays and values that may be traced."""
        if self.graph is None:
            return self.fun(*flat)
        return self.graph.rebuild(self.graph.eval(list(flat)))

    def on_host(self, *flat):
        """The output as a plain array, of plain arrays."""
        out = settle(self(*flat))
        if isinstance(out, Tracer):
            raise ConversionError(f"{self.name} was given a function that uses a traced value which is not among its "
                                  f"arguments and was not found in its closure; pass it in args{at_user_line()}")
        return np.asarray(out)


def placed(values, places, given):
    """`values` with those at `places` replaced."""
    full = list(values)
    for k, v in zip(places, given):
        full[k] = v
    return full
