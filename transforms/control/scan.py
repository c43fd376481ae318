"""Loops that carry a value and collect outputs: eager on concrete values, one primitive when staged."""

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function, whole
from ...core.errors import ConversionError, ShapeError, TreeError, at_user_line
from ...core.ops.shaping import broadcast_to, concatenate
from ...core.primitive.primitive import bind
from ...core.trace.device import constant, zeros_of
from ...core.trace.tracer import Tracer
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import described, flatten, settle, structure
from ..interpreters.forward import start_dual
from ..scope.errstate import quiet
from ..staging.bodies import (
    batched_body,
    full_cotangents,
    higher_order,
    instantiate,
    operands_of,
    pull,
    push,
    record_call,
    strip,
)
from ..staging.staging import stage
from .checkpoint import Body
from .control import known_state


def scan(
    fun: Callable[..., Any], init: PyTree, xs: PyTree = None, length: int | None = None, reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[PyTree, PyTree]:
    """Run a loop that carries a value and collects outputs.

    Args:
        fun: `fun(carry, x) -> (carry, y)`; the carry keeps its structure, shapes and dtypes.
        init: the initial carry.
        xs: pytrees of arrays, looped over along axis 0; or None. If they are empty, `fun` is staged (or runs on
            zeros, if it inspects values), to determine the shapes of the outputs.
        length: the number of steps, needed only without `xs`.
        reverse: loop from the last to the first; the outputs stay in the order of `xs`.
        unroll: accepted for compatibility with JAX; it has no effect.
    Returns:
        `(carry, ys)` with the outputs stacked along a new axis 0. The loop is eager on concrete values, and one
        equation when staged.
    Raises:
        ShapeError: the lengths differ.
        TreeError: the carry changes its structure or a shape.

    >>> import numpy as np, covector
    >>> carry, ys = covector.scan(lambda c, x: (c + x, c * x), 0.0, np.array([1.0, 2.0, 3.0]))
    >>> float(carry), ys
    (6.0, array([0., 2., 9.]))
    """
    check_function(fun, "scan")
    if length is not None:
        length = whole(length, "length of scan", 0)
    leaves, rebuild_xs = flatten(xs)
    leaves = [settle(x) for x in leaves]
    sizes = {aval_of(x).shape[0] if aval_of(x).shape else None for x in leaves}
    if None in sizes or len(sizes) > 1 or (length is not None and sizes and sizes != {length}):
        raise ShapeError(f"scan needs every x to have one length on axis 0, but got shapes "
                         f"{[aval_of(x).shape for x in leaves]} and length={length}; leave length out, or cut xs to it"
                         f"{at_user_line()}")
    if not sizes and length is None:
        raise ShapeError(f"scan needs xs or a length; give length= to loop without xs{at_user_line()}")
    steps = length if length is not None else sizes.pop()
    carry, rebuild_carry = flatten(init)
    carry = [settle(x) for x in carry]
    if any(known_state(x) == "staged" for x in (*carry, *leaves)):
        return _scan_staged(fun, carry, rebuild_carry, leaves, rebuild_xs, steps, reverse)
    if not steps:
        return init, _no_answers(fun, init, rebuild_xs, leaves)
    collected = []
    state = init
    want = structure(init), [aval_of(x).shape for x in carry]
    for i in reversed(range(steps)) if reverse else range(steps):
        state, y = _step(fun, state, rebuild_xs([x[i] for x in leaves]))
        _check_carry(state, *want)
        collected.append(y)
    if reverse:
        collected.reverse()
    return state, _stacked(collected)


def _check_carry(state, form, shapes):
    if structure(state) != form:
        raise TreeError(f"scan needs a carry that keeps its structure {described(form)}, but it became "
                        f"{described(state)}; return the carry first, with the structure of init{at_user_line()}")
    for x, shape in zip(flatten(state)[0], shapes):
        found = aval_of(settle(x)).shape
        if found != shape:
            raise TreeError(f"scan needs a carry that keeps its shapes, but one went from {shape} to {found}; give "
                            f"init the shape of the result{at_user_line()}")


def _no_answers(fun, init, rebuild_xs, xs):
    """The stacked outputs of no steps: from the shapes alone, or, where these are not enough, of a step on zeros."""
    carry, rebuild_carry = flatten(init)
    carry = [settle(c) for c in carry]
    form = {}

    def answers(*flat):
        y = _step(fun, rebuild_carry(list(flat[: len(carry)])), rebuild_xs(list(flat[len(carry) :])))[1]
        leaves, form["rebuild"] = flatten(y)
        return leaves

    rows = [make_aval(aval_of(x).shape[1:], aval_of(x).dtype) for x in xs]
    try:
        avals = stage(answers, [*[aval_of(c) for c in carry], *rows], tuple, "scan", like=(*carry, *xs))[0].out_avals
    except ConversionError:  # the step looks at values
        with quiet():
            zeros = [constant(np.zeros(a.shape, a.dtype), x) for a, x in zip(rows, xs)]
            avals = [aval_of(settle(y)) for y in answers(*carry, *zeros)]
    return form["rebuild"]([constant(np.zeros((0, *a.shape), a.dtype), *carry, *xs) for a in avals])


def _step(fun, state, x):
    result = fun(state, x)
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(f"scan needs a function that returns a pair (carry, y), but got {type(result).__name__}"
                        f"; return (carry, None) where there is nothing to collect{at_user_line()}")
    return result


def _stacked(trees):
    flat = [flatten(t) for t in trees]
    out = []
    for k in range(len(flat[0][0])):
        parts = [settle(leaves[k]) for leaves, _ in flat]
        parts = [np.asarray(p) if not isinstance(p, Tracer) and not hasattr(p, "reshape") else p for p in parts]
        out.append(concatenate(*[p.reshape((1, *p.shape)) for p in parts], axis=0))
    return flat[0][1](out)


def _scan_staged(fun, carry, rebuild_carry, xs, rebuild_xs, steps, reverse):
    n = len(carry)
    want = structure(rebuild_carry(carry)), [aval_of(x).shape for x in carry]
    shape = {}

    def body(*flat):
        state, y = _step(fun, rebuild_carry(list(flat[:n])), rebuild_xs(list(flat[n:])))
        _check_carry(state, *want)
        leaves, _ = flatten(state)
        answers, shape["rebuild"] = flatten(y)
        return [*map(settle, leaves), *map(settle, answers)]

    rows = [make_aval(aval_of(x).shape[1:], aval_of(x).dtype) for x in xs]
    starts = [make_aval(aval_of(c).shape, aval_of(c).dtype) for c in carry]
    graph, _ = stage(body, [*starts, *rows], tuple, "scan", like=(*carry, *xs))
    for c, out in zip(starts, graph.out_avals):
        if c.shape != out.shape or c.dtype != out.dtype:
            raise TreeError(f"scan needs a carry that keeps its shape and dtype, but it went from {c!r} to {out!r}"
                            f"; give init the shape and dtype of the result{at_user_line()}")
    consts = graph.captured
    inner = Body(run=lambda flat: graph.eval([*flat[len(consts) :], *flat[: len(consts)]]))
    outs = bind(_scan, (*consts, *carry, *xs, inner, len(consts), n, steps, reverse))
    return rebuild_carry(list(outs[:n])), shape["rebuild"](list(outs[n:]))


def _run_scan(values, body, consts, n, steps, reverse):
    """Loop a body over plain or traced values: constants, carry, xs → carry, stacked outputs."""
    head, carry, xs = values[:consts], list(values[consts : consts + n]), values[consts + n :]
    rows = []
    for i in reversed(range(steps)) if reverse else range(steps):
        out = body(*head, *carry, *[x[i] for x in xs])
        carry = list(out[:n])
        rows.append(out[n:])
    if reverse:
        rows.reverse()
    if not rows:
        avals = [aval_of(v) for v in (*head, *carry)] + [make_aval(aval_of(x).shape[1:], aval_of(x).dtype) for x in xs]
        shapes = stage(lambda *v: body(*v), avals, tuple, "scan", like=values)[0].out_avals[n:]
        return [*carry, *[constant(np.zeros((0, *a.shape), a.dtype), *values) for a in shapes]]
    return [*carry, *(_stacked([list(r) for r in rows]))]


def _scan_grad(trace, prim, args):
    *operands, body, consts, n, steps, reverse = args
    values, mine = operands_of(trace, operands)
    # The forward loop also gives every step's carry; the backward loop runs each step again from it.
    def with_carries(flat):
        return [*body(*flat), *flat[consts : consts + n]]

    outs = list(prim.rebind((*values, Body(run=with_carries), consts, n, steps, reverse)))
    carries = outs[len(outs) - n :] if n else []
    outs = outs[: len(outs) - n] if n else outs
    out_avals = [aval_of(v) for v in outs]
    head, xs = values[:consts], values[consts + n :]
    live_head = [i for i in range(consts) if is_inexact(aval_of(values[i]).dtype)]
    live_carry = [i for i in range(n) if is_inexact(aval_of(values[consts + i]).dtype)]
    live_x = [i for i in range(len(xs)) if is_inexact(aval_of(xs[i]).dtype)]
    live = [*live_head, *[consts + i for i in live_carry], *[consts + n + i for i in live_x]]
    a, b = len(live_head), len(live_carry)

    def step_back(flat):
        start = consts
        total, ct_carry = flat[start : start + a], flat[start + a : start + a + b]
        state, row, ct_y = (flat[start + a + b :][:n], flat[start + a + b + n :][: len(xs)],
                            flat[start + a + b + n + len(xs) :])
        full = _spread(ct_carry, live_carry, n)
        point = [*flat[:consts], *state, *row]
        cts = pull(body, point, live, [*full, *ct_y], True)
        cts = full_cotangents(cts, [aval_of(point[i]) for i in live], point)
        return [*[t + c for t, c in zip(total, cts[:a])], *cts[a : a + b], *cts[a + b :]]

    def back(cts, saved):
        cts = full_cotangents(cts, out_avals)
        zeros = [zeros_of(aval_of(head[i]), head[i]) for i in live_head]
        start = [cts[i] for i in live_carry]
        flat = prim.rebind((*head, *zeros, *start, *carries, *xs, *cts[n:], Body(run=step_back), consts, a + b, steps,
                           not reverse))
        found = dict(zip(live, flat))
        return [found.get(i) for i, own in enumerate(mine) if own]

    return tuple(record_call(trace, outs, [x.node for x, own in zip(operands, mine) if own], back, "scan"))


def _spread(values, places, n):
    out = [None] * n
    for v, k in zip(values, places):
        out[k] = v
    return out


def _scan_jvp(trace, prim, args):
    *operands, body, consts, n, steps, reverse = args
    values, mine = operands_of(trace, operands)
    tangents = instantiate([a.tangent if own else None for a, own in zip(operands, mine)], values)
    count = len(values)
    m = count - consts - n

    def step(flat):
        h, th = flat[:consts], flat[consts : 2 * consts]
        c, tc = flat[2 * consts :][:n], flat[2 * consts + n :][:n]
        x, tx = flat[2 * consts + 2 * n :][:m], flat[2 * consts + 2 * n + m :]
        given = [t if is_inexact(aval_of(v).dtype) else None for v, t in zip([*h, *c, *x], [*th, *tc, *tx])]
        outs, found = push(body, [*h, *c, *x], given, start_dual, True)
        found = instantiate(found, outs)
        return [*outs[:n], *found[:n], *outs[n:], *found[n:]]

    k, j = consts, consts + n
    flat = prim.rebind((*values[:k], *tangents[:k], *values[k:j], *tangents[k:j], *values[j:], *tangents[j:],
                       Body(run=step), 2 * consts, 2 * n, steps, reverse))
    ys = (len(flat) - 2 * n) // 2
    outs = [*flat[:n], *flat[2 * n : 2 * n + ys]]
    pushed = [*flat[n : 2 * n], *flat[2 * n + ys :]]
    return tuple([trace.box(strip(v, trace), t) for v, t in zip(outs, pushed)])


def _scan_vmap(trace, prim, args):
    *operands, body, consts, n, steps, reverse = args
    values, flags = trace.unbox(operands)
    values, flags = list(values), list(flags)
    for k in range(consts, consts + n):  # the carry becomes batched in the loop: make it so from the start
        if not flags[k]:
            aval = aval_of(values[k])
            values[k] = broadcast_to(np.asarray(values[k]) if not hasattr(values[k], "shape") else values[k],
                                     shape=(trace.size, *aval.shape))
            flags[k] = True
    for k in range(consts + n, len(values)):  # loop over axis 0, batch behind it
        if flags[k]:
            values[k] = values[k].swapaxes(0, 1)
    inner = batched_body(body, tuple(flags), trace)
    outs = prim.rebind((*values, Body(run=lambda flat: inner(*flat)), consts, n, steps, reverse))
    return tuple([trace.box(v if k < n else v.swapaxes(0, 1)) for k, v in enumerate(outs)])


def _scan_graph(trace, prim, args):
    *operands, body, consts, n, steps, reverse = args
    lifted = [trace.lift(a) for a in operands]
    avals = [x.aval for x, _ in lifted]
    rows = [*avals[: consts + n], *[make_aval(a.shape[1:], a.dtype) for a in avals[consts + n :]]]
    graph, _ = stage(body, rows, tuple, "scan", like=operands)
    extra = [trace.lift(t) for t in graph.captured]
    m = len(extra)
    inner = Body(run=lambda flat: graph.eval([*flat[m:], *flat[:m]]))
    outs = graph.out_avals
    stacked = [*outs[:n], *[make_aval((steps, *a.shape), a.dtype) for a in outs[n:]]]
    params = (inner, consts + m, n, steps, reverse)
    values = prim.rebind((*[v for _, v in [*extra, *lifted]], *params)) if trace.concrete else None
    return trace.emit(prim, [x for x, _ in [*extra, *lifted]], params, stacked, values)


_scan = higher_order(
    "scan",
    impl=lambda xp, *xs, body, consts, n, steps, reverse: tuple(_run_scan(xs, body, consts, n, steps, reverse)),
    handlers={"grad": _scan_grad, "jvp": _scan_jvp, "vmap": _scan_vmap, "graph": _scan_graph},
).prim
