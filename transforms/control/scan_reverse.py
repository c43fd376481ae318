"""Reverse mode of scan: a loop forwards that collects residuals, and one backwards that reads them."""

from functools import partial

from ...core.arrays.avals import aval_of, make_aval, promoting_aval
from ...core.arrays.dtypes import is_inexact
from ...core.arrays.fp_warnings import error_state, leave_error_state
from ...core.trace.device import library_of, zeros_of
from ...core.trace.tracer import Rev
from ..arguments.arguments import settle
from ..graph.equations import Body, dependent, selects
from ..reverse.nan_checks import start_trace
from ..reverse.sweep import sweep
from ..scope.errstate import enter_quiet
from ..staging.bodies import full_cotangents, operands_of, record_call, strip
from ..staging.graph import part_of
from ..staging.passes import holds_zeros, partition, with_carry
from ..staging.staging import stage
from .hoisting import Hoisted, movable
from .sums import Summed


def scan_grad(trace, prim, args):
    """Record a loop as one node."""
    *operands, body, consts, n, steps, reverse = args
    operands, body, consts = as_graph(operands, body, consts, n)
    values, mine = operands_of(trace, operands)
    active = tuple([own and is_inexact(aval_of(v).dtype) for v, own in zip(values, mine)])
    if not any(active):
        return tuple(prim.rebind((*values, body, consts, n, steps, reverse)))
    like = library_of(*values)
    halves = body.derive((active, consts, n, like), lambda: _ForwardBackward(body.graph, active, consts, n, values))
    trace.masked = trace.masked or halves.selects or halves.masks
    # The loop backwards reads these later: an array of the user's may have been written to by then.
    values = [trace.keep(v) if k in halves.asked and not own else v for k, (v, own) in enumerate(zip(values, mine))]
    values = [*halves.captured, *values]
    plan = halves.plan(tuple(movable(values)), steps)
    known = plan.forward.known(values)
    found = list(prim.rebind((*plan.forward.operands(known), plan.body, plan.forward.consts, n, steps, reverse)))
    outs = found[: len(body.graph.outputs)]
    out_avals = [aval_of(v) for v in outs]
    residuals = {v: known[v] if v in plan.known else found[plan.forward.collected[v]] for v in halves.residuals}

    def back(cts, saved, strong=False):
        zeros = tuple([strong or cts[k] is None for k in (*halves.carry, *halves.ys)])
        cts = full_cotangents(cts, out_avals, outs)
        carried = [cts[k] for k in halves.carry]
        given = [*[residuals[v] for v in plan.heads], *carried, *[residuals[v] for v in plan.rows],
                 *[cts[k] for k in halves.ys]]
        summed = plan.summed(halves, zeros)
        start = [zeros_of(summed.graph.inputs[len(plan.heads) + k].aval, *given) for k in range(len(carried), summed.n)]
        k = len(plan.heads) + len(carried)
        now = [*given[:k], *start, *given[k:]]
        backward, loop = plan.backward(halves, zeros, tuple(movable(now)))
        known = backward.known(now)
        flat = list(prim.rebind((*backward.operands(known), loop, backward.consts, summed.n, steps, not reverse)))
        cts_of = dict(zip([consts + i for i in halves.carry], flat))
        cts_of.update(zip(halves.terms, summed.totals(given, flat, len(carried))))
        cts_of.update(zip(halves.each, flat[summed.n :]))
        return [cts_of.get(i) for i, own in enumerate(mine) if own]

    parents = [x.node for x, own in zip(operands, mine) if own]
    return tuple(record_call(trace, outs, parents, back, "scan", partial(back, strong=True),
                             halves.masks or not steps))


def as_graph(operands, body, consts, n):
    """The same loop over a body that is a graph; what that closes over becomes its first constants."""
    if body.graph is not None:
        return operands, body, consts
    avals = [aval_of(x) for x in operands]
    rows = [make_aval(a.shape[1:], a.dtype) for a in avals[consts + n :]]
    numbers = {k for k, x in enumerate(operands[:consts]) if promoting_aval(x).weak}
    graph, _ = stage(body, [*avals[: consts + n], *rows], tuple, "scan", like=operands, numbers=numbers)
    return [*graph.captured, *operands], Body(graph.led_by_captured()), consts + len(graph.captured)


class _ForwardBackward:
    """A body with its residuals, and its derivative as a function of them.

    Args:
        graph: the body.
        active: a bool an input: whether it is differentiated.
        consts, n: how many inputs are constants, and how many are carried.
        values: the operands, for their library.
    """

    def __init__(self, graph, active, consts, n, values):
        flags = list(active)
        # To a fixed point: a carry that one step makes depend on a differentiated value is differentiated in the next.
        while True:
            reached = dependent(graph, flags)
            more = [k for k in range(n) if reached[k] and not flags[consts + k]
                    and is_inexact(graph.inputs[consts + k].aval.dtype)]
            if not more:
                break
            for k in more:
                flags[consts + k] = True
        live = [i for i, flag in enumerate(flags) if flag]
        self.carry = [i - consts for i in live if consts <= i < consts + n]
        self.consts, self.n, self.plans = consts, n, {}
        def forward(*flat):
            trace = start_trace()
            trace.masked = True
            boxed = list(flat)
            for k, i in enumerate(live):
                boxed[i] = trace.box(flat[i], aval_of(flat[i]), trace.leaf(k))
            outs = [settle(v) for v in graph.interpret(boxed)]
            own = {k for k, v in enumerate(outs) if isinstance(v, Rev) and v.owner is trace}
            self.ys = [k for k in sorted(own) if k >= n]

            def pullback(*cts):
                roots = [(outs[k].node, c) for k, c in zip((*self.carry, *self.ys), cts) if k in own]
                state = error_state()
                try:
                    enter_quiet()
                    found = sweep(roots, len(live), masked=True, large=False)
                finally:
                    leave_error_state(state)
                pulled = dict(zip(live, found))
                self.terms = [i for i in live if i < consts and pulled[i] is not None]
                self.each = [i for i in live if i >= consts + n and pulled[i] is not None]
                carried = [consts + k for k in self.carry]
                return [*full_cotangents([pulled[i] for i in carried], [aval_of(flat[i]) for i in carried], flat),
                        *[pulled[i] for i in (*self.terms, *self.each)]]

            avals = [aval_of(outs[k]) for k in (*self.carry, *self.ys)]
            written = flat[0].owner.equations
            count = len(written)
            back.append(stage(pullback, [make_aval(a.shape, a.dtype) for a in avals], tuple, "scan", like=values,
                              watch=False)[0])
            late.update(written[count:])
            trace.done = True
            return [*[strip(v, trace) for v in outs], *back[0].captured]

        back, late = [], set()
        staged, _ = stage(forward, graph.in_avals, tuple, "scan", like=values, watch=False)
        self.captured = staged.captured
        whole, count = staged.led_by_captured(), len(graph.outputs)
        first = len(self.captured) + consts
        free = {*whole.inputs[:first], *whole.inputs[first + n :]}
        self.graph, self.back, self.residuals = partition(whole, back[0], count, late, free)
        self.graph = self.graph.with_outputs(whole.outputs[:count])
        self.cts = self.back.inputs[: len(self.back.inputs) - len(self.residuals)]
        self.holds_zeros = holds_zeros(graph)
        dense = self.pulled((False,) * len(self.cts))[1]
        self.selects, self.masks = selects(graph), any(flag is not False for flag in dense)
        self.asked = {k - len(self.captured) for k, v in enumerate(self.graph.inputs) if v in self.residuals}

    def pulled(self, zeros):
        """The body of the loop backwards where those cotangents alone have structural zeros, and where its outputs do.

        That of one turn for the next has them where that of the turn or what comes from outside has.
        """
        zeros = [zero or self.holds_zeros for zero in zeros]
        b, flags = len(self.carry), (*zeros, *[None] * len(self.residuals))
        return with_carry(self.back, flags, 0, b)

    def plan(self, movable, steps):
        """The plan of the two loops."""
        # By which operands are movable, since that decides what is hoisted out of the loop.
        found = self.plans.get((movable, steps))
        if found is None:
            found = self.plans[movable, steps] = _Plan(self, movable, steps)
        return found


class _Plan:
    """The two loops of a derivative."""

    def __init__(self, halves, movable, steps):
        consts = halves.consts + len(halves.captured)
        self.steps = steps
        self.forward = Hoisted(halves.graph, consts, halves.n, steps, movable, halves.residuals)
        self.body = Body(self.forward.graph)
        self.known = {v for v in halves.residuals if v not in self.forward.collected or v in self.forward.fixed}
        self.heads = [v for v in halves.residuals if v in self.forward.fixed]
        self.rows = [v for v in halves.residuals if v not in self.forward.fixed]
        self.sums, self.backs = {}, {}

    def summed(self, halves, zeros):
        """The body of the loop backwards, where sums of products come after it; `zeros` as for `pulled`."""
        found = self.sums.get(zeros)
        if found is None:
            b, back, cts = len(halves.carry), halves.pulled(zeros)[0], halves.cts
            inputs = [*self.heads, *cts[:b], *self.rows, *cts[b:]]
            found = self.sums[zeros] = Summed(part_of(back, inputs, back.equations, back.outputs), len(self.heads), b,
                                              len(halves.terms))
        return found

    def backward(self, halves, zeros, movable):
        """That body without what runs before it, and that as a body."""
        found = self.backs.get((zeros, movable))
        if found is None:
            summed = self.summed(halves, zeros)
            hoisted = Hoisted(summed.graph, len(self.heads), summed.n, self.steps, movable)
            found = self.backs[zeros, movable] = hoisted, Body(hoisted.graph)
        return found
