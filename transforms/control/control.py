"""Branches: cond and switch; plain Python on concrete values, a primitive on staged ones."""

from collections.abc import Sequence
from operator import and_

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.arrays.dtypes import is_inexact, native_dtype
from ...core.checks import check_function, sequence
from ...core.errors import RuleError, ShapeError, TreeError, at_user_line
from ...core.ops.indexing.indexing import take
from ...core.ops.reductions import argmax, reduce_any
from ...core.ops.selection import cast, cast_flat, where
from ...core.primitive.primitive import bind
from ...core.tape.strong_zeros import CHOICES
from ...core.trace.buffers import CLOSURE_GUARD, Buffer, ClosureGuard, identity, is_staging, make_buffer, snapshot
from ...core.trace.device import zeros_of
from ...core.trace.tracer import Batched, Tracer, concrete, unwrap
from ...core.types import Any, Array, Callable, PyTree
from ..arguments.arguments import described, flatten, only_leaf, settle, structure
from ..graph.equations import Body, Equation, Var, through_branches
from ..interpreters.forward import start_dual
from ..scope.errstate import scope_of
from ..staging.bodies import (
    batched_body,
    boxed_as,
    full_cotangents,
    higher_order,
    instantiate,
    operands_of,
    pull,
    push,
    record_call,
    strip,
)
from ..staging.closures import known_state
from ..staging.graph import Graph, as_numbers
from ..staging.staging import stage

_NO_OPERAND: Any = object()


def cond(
    pred: Array, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: PyTree,
    operand: PyTree = _NO_OPERAND,
) -> PyTree:
    """Select between two functions by a condition.

    Args:
        pred: a boolean scalar. If it is concrete, only one function is called, and what the other one would return is
            not asked, since finding out would run it; if batched by vmap, both are called and `where` selects; in a
            function that is staged, both are staged.
        true_fun, false_fun: functions of `operands`, with outputs of the same structure, shapes and dtypes. Unequal
            ones are refused where both are called; `covector.eval_shape` stages a function, and so finds them.
        operands: pytrees of arrays.
        operand: a single operand, by keyword; it may be None.
    Returns:
        the output of the selected function.
    Raises:
        TreeError: both functions are called, and the outputs differ in structure or shapes; if staged, in dtypes.
        ShapeError: `pred` is not a scalar.
        TypeError: both `operands` and `operand` are given.

    >>> import numpy as np, covector
    >>> covector.vmap(lambda x: covector.cond(x > 0, np.sin, np.cos, x))(np.array([0.0, -np.pi])).round(3)
    array([ 1., -1.])
    """
    check_function(true_fun, "cond")
    check_function(false_fun, "cond")
    pred = settle(only_leaf(pred)[0])
    if aval_of(pred).shape:
        raise ShapeError(f"cond needs a scalar condition, but got shape {aval_of(pred).shape}; use np.where"
                         f"{at_user_line()}")
    return _choose(pred, true_fun, false_fun, _all_operands(operands, operand, "cond"), "cond")


CHOICES["cond"] = cond


def _all_operands(operands, operand, name):
    if operand is _NO_OPERAND:
        return operands
    if operands:
        raise TypeError(f"{name} was given {len(operands)} operands by position and operand= as well; give all of them "
                        f"by position{at_user_line()}")
    return (operand,)


def _choose(pred, true_fun, false_fun, operands, name):
    """The result of one of two functions, or what stands for it where `pred` is not known."""
    state = known_state(pred)
    if state == "known" and not is_staging():
        return (true_fun if bool(pred) else false_fun)(*operands)
    if state == "batched" and not is_staging():
        before = CLOSURE_GUARD.get()
        try:  # either function may write to operands of its own, as where they are staged
            guard = ClosureGuard().begin()
            # `~` of an integer is its bitwise complement, which is true of most.
            unlike = ~pred if aval_of(pred).dtype.kind == "b" else pred == 0
            on_true = tried(true_fun, operands, pred, name)
            on_false = tried(false_fun, operands, unlike, name)
            ans = select(pred, on_true, on_false, name)
            del on_true, on_false  # else what they wrote to would seem held by those who made it
        finally:
            CLOSURE_GUARD.set(before)
        guard.check()
        return ans
    leaves, rebuild = flatten(operands)
    leaves = [settle(x) for x in leaves]
    on_true, _ = stage(true_fun, leaves, rebuild, name, enclose=True)
    on_false, _ = stage(false_fun, leaves, rebuild, name, enclose=True)
    on_true, on_false = _one_dtype(on_true, on_false), _one_dtype(on_false, on_true)
    _same_results(on_true, on_false, name)
    # Both branches may close over the same value, which then is one operand.
    captured = {identity(t): t for graph in (on_true, on_false) for t in graph.captured}
    order = {key: len(leaves) + k for k, key in enumerate(captured)}
    avals = [aval_of(t) for t in captured.values()]
    bodies = tuple(_closed(g, len(leaves), [order[identity(t)] for t in g.captured], avals)
                   for g in (on_true, on_false))
    outs = bind(_cond, (pred, *leaves, *captured.values(), *bodies))
    return on_true.rebuild(as_numbers(outs, map(and_, on_true.weak, on_false.weak)))


def of_some(flag):
    """The scope of what is computed of all examples, and used of those for which `flag` holds: what the others would
    warn of, they do not when they are computed alone."""
    known = unwrap(flag)
    return scope_of(known is None or not bool(known.all()))


def tried(fun, operands, flag, name, apart=True):
    """The output of a branch for the examples with `flag`; what it raises belongs to nobody where there is none.

    Where it raises, others may have made it: then it runs once more, of values of those with `flag` alone. Operands
    are of those alone at once, and other objects, where they are to be kept `apart`.
    """
    with of_some(flag):
        leaves, rebuild = flatten(operands)
        known, own = unwrap(flag), _owner(flag)
        try:
            return fun(*(rebuild(list(map(own, leaves))) if apart else operands))
        except (ArithmeticError, LookupError, ValueError, RuleError):
            if known is None or bool(known.all()):
                raise
            leaves = [settle(x) for x in leaves]
            graph, _ = stage(fun, leaves, rebuild, name, enclose=True)
            if not bool(known.any()):
                return graph.rebuild([zeros_of(a, *leaves) for a in graph.out_avals])
            return graph.rebuild(as_numbers(graph.eval([own(x) for x in (*leaves, *graph.captured)]), graph.weak))


def _owner(flag):
    """A function of values that gives other objects, in which examples without `flag` have the values of one that has
    it: a branch may raise at those that do not take it."""
    known, maps = unwrap(flag), _maps(flag)
    spot = {}
    if known is not None and known.ndim == len(maps) and 0 < int(known.sum()) < known.size:
        spot = dict(zip(maps, np.unravel_index(int(known.argmax()), known.shape)))

    def own(x):
        found = _maps(x)
        if spot.keys().isdisjoint(found) or x.owner is None or unwrap(x) is None:
            return make_buffer(x) if type(x) is Buffer else snapshot(x) if isinstance(x, Tracer) else x
        return where(flag, x, unwrap(x)[tuple([spot.get(trace, 0) for trace in found])])

    return own


def _maps(value):
    """The vmap traces that a value is mapped by, in the order of its array's axes."""
    found = []
    while isinstance(value, Tracer):
        if isinstance(value, Batched):
            found.append(value.owner)
        value = value.value
    return found[::-1]


def _one_dtype(graph, other):
    """A graph whose results that are numbers have the dtypes that they take beside those of the other branch."""
    equations, outputs = [], []
    for x, y, weak, both in zip(graph.outputs, other.outputs, graph.weak, other.weak):
        dtype = x.aval.dtype
        if weak and not x.aval.shape and not y.aval.shape:
            # `item()` makes a Python number of it, whose dtype gives way to that of the other branch's result.
            dtype = np.result_type(dtype if both else dtype.type(0).item(), y.aval.dtype)
        dtype = native_dtype(dtype)
        if dtype != x.aval.dtype:
            var = Var(make_aval(x.aval.shape, dtype))
            equations.append(Equation((cast if dtype.kind in "fc" else cast_flat).prim, [x], (dtype,), [var]))
            x = var
        outputs.append(x)
    if not equations:
        return graph
    out = Graph(graph.inputs, [*graph.equations, *equations], outputs, graph.captured, graph.rebuild).prune()
    out.guards, out.weak = graph.guards, graph.weak
    return out


def switch(
    index: Array, branches: Sequence[Callable[..., Any]], *operands: PyTree, operand: PyTree = _NO_OPERAND
) -> PyTree:
    """Select one of several functions by an index.

    Args:
        index: an integer scalar, clamped to the valid range. If it is concrete, only one function is called, as by
            `cond`; if batched by vmap, all are called and `where` selects; in a staged function, all are staged.
        branches: functions of `operands`, with outputs of the same structure, shapes and dtypes.
        operands: pytrees of arrays.
        operand: a single operand, by keyword; it may be None.
    Returns:
        the output of the selected function.
    Raises:
        TypeError: the index is not an integer scalar, or `branches` is empty.
        TreeError: the outputs differ in structure.

    >>> import numpy as np, covector
    >>> covector.switch(1, [np.sin, np.cos, np.exp], 0.0)
    np.float64(1.0)
    >>> covector.vmap(lambda i, x: covector.switch(i, [np.sin, np.cos, np.exp], x))(np.array([0, 1, 5]), np.zeros(3))
    array([0., 1., 1.])
    """
    branches = sequence(branches, "branches of switch")
    for branch in branches:
        check_function(branch, "switch")
    index = settle(index)
    aval = aval_of(index)
    if aval.shape or aval.dtype.kind not in "iu" or not branches:
        raise TypeError(f"switch needs an integer scalar and at least one function, but got an index of shape "
                        f"{aval.shape} and dtype {aval.dtype}, and {len(branches)} functions; cast the index by "
                        f".astype(int), or use cond for a condition{at_user_line()}")
    operands = _all_operands(operands, operand, "switch")
    if known_state(index) == "known" and not is_staging():
        return branches[min(max(int(concrete(index, "int")), 0), len(branches) - 1)](*operands)
    return _one_of(index, branches, 0, operands)


def _one_of(index, branches, first, operands):
    """Halve `branches`, whose places start at `first`, until one is left."""
    if len(branches) == 1:
        return branches[0](*operands)
    # By halves, so that a staged switch nests log2(n) conditions deep rather than n.
    half = len(branches) // 2
    return _choose(index < first + half, lambda *xs: _one_of(index, branches[:half], first, xs),
                   lambda *xs: _one_of(index, branches[half:], first + half, xs), operands, "switch")


def _closed(graph, count, places, avals):
    """A graph as a body of `count` operands, then of others of `avals`: its captured ones are at `places`."""
    captured = dict(zip(places, graph.inputs[count:]))
    extra = [captured.get(count + k) or Var(a) for k, a in enumerate(avals)]
    return Body(graph.with_inputs([*graph.inputs[:count], *extra]))


def _same_results(a, b, name):
    if len(a.outputs) != len(b.outputs) or a.rebuild != b.rebuild:  # of one structure, maybe by a fast path
        x, y = a.rebuild(a.outputs), b.rebuild(b.outputs)
        if structure(x) != structure(y):
            raise TreeError(f"{name} needs its functions to return one structure, but got {described(x)} and "
                            f"{described(y)}; return the same structure{at_user_line()}")
    for x, y in zip(a.out_avals, b.out_avals):
        if x.shape != y.shape or x.dtype != y.dtype:
            raise TreeError(f"{name} needs its functions to return equal shapes and dtypes, but got {x!r} and {y!r}; "
                            f"pad, reshape or cast one of them{at_user_line()}")


def select(pred, on_true, on_false, name):
    """Leaf by leaf `where`, for pytrees of one structure."""
    xs, rebuild = flatten(on_true)
    ys, _ = flatten(on_false)
    if len(xs) != len(ys) or structure(on_true) != structure(on_false):
        needs = "a carry that keeps its structure" if name == "while_loop" else "its functions to return one structure"
        raise TreeError(f"{name} needs {needs}, but got {described(on_true)} and {described(on_false)}; return the "
                        f"same structure{at_user_line()}")
    xs, ys = [settle(x) for x in xs], [settle(y) for y in ys]
    for x, y in zip(xs, ys):  # dtypes promote, as they do where the examples' results are stacked
        if aval_of(x).shape != aval_of(y).shape:
            needs = "a carry that keeps its shapes" if name == "while_loop" else "its functions to return equal shapes"
            raise TreeError(f"{name} needs {needs}, but got {aval_of(x)!r} and {aval_of(y)!r}; pad or reduce one "
                            f"of them{at_user_line()}")
    return rebuild([where(pred, x, y) for x, y in zip(xs, ys)])


def _cond_grad(trace, prim, args):
    trace.masked = True  # what one branch closes over was computed outside, and the other does not take it
    pred, *operands, on_true, on_false = args
    pred = strip(pred, trace)  # no derivative by it
    values, mine = operands_of(trace, operands)
    active = [i for i, (v, own) in enumerate(zip(values, mine))
              if own and operands[i].node is not None and is_inexact(aval_of(v).dtype)]
    outs = list(prim.rebind((pred, *values, on_true, on_false)))
    out_avals = [aval_of(v) for v in outs]
    n = len(values)

    def pulled(body):
        # The branch runs again in the sweep: residuals of two branches would have different shapes, operands have one.
        def run(flat):
            cts = pull(body, flat[:n], active, list(flat[n:]), True)
            return full_cotangents(cts, [aval_of(values[i]) for i in active], flat)

        return Body(run=run)

    def back(cts, saved):
        full = full_cotangents(cts, out_avals)
        return list(prim.rebind((pred, *values, *full, pulled(on_true), pulled(on_false))))

    return tuple(record_call(trace, outs, [operands[i].node for i in active], back, "cond"))


def _cond_jvp(trace, prim, args):
    trace.masked = True
    pred, *operands, on_true, on_false = args
    values, mine = operands_of(trace, operands)
    live = [i for i, own in enumerate(mine) if own]
    n = len(values)

    def pushed(body):
        def run(flat):
            tangents = [None] * n
            for i, t in zip(live, flat[n:]):
                tangents[i] = t
            outs, found = push(body, flat[:n], tangents, start_dual, True)
            # Both branches have to return as many values, so zero tangents become arrays.
            found = instantiate(found, outs)
            return [*outs, *found]

        return Body(run=run)

    flat = prim.rebind((pred, *values, *[operands[i].tangent for i in live], pushed(on_true), pushed(on_false)))
    half = len(flat) // 2
    return tuple([trace.box(strip(v, trace), t) for v, t in zip(flat[:half], flat[half:])])


def _cond_vmap(trace, prim, args):
    pred, *operands, on_true, on_false = args
    (pred, *values), flags = trace.unbox((pred, *operands))
    bodies = [batched_body(body, flags[1:], trace) for body in (on_true, on_false)]
    if not flags[0]:
        outs = prim.rebind((pred, *values, *[Body(run=lambda flat, b=b: b(*flat)) for b in bodies]))
        return boxed_as(trace, outs, *bodies)
    # `()` rather than None: all outputs get the batch axis, also along a mesh axis, so that `where` can choose rows.
    bodies = [batched_body(body, flags[1:], trace, ()) for body in (on_true, on_false)]
    xs, ys = [_of_those(prim, body, hit, values, flags[1:]) for body, hit in zip(bodies, (pred, ~pred))]
    return tuple([trace.box(where(pred.reshape((-1,) + (1,) * (x.ndim - 1)), x, y)) for x, y in zip(xs, ys)])


def _of_those(prim, body, hit, values, flags):
    """The outputs of a batched branch where `hit` holds, and anything elsewhere.

    A branch that may raise is given operands of an example that takes it in place of others, and none does not run.
    """
    with of_some(hit):
        graph, _ = stage(body, [aval_of(v) for v in values], tuple, "cond", like=values)
        operands = [*values, *graph.captured]
        if not _may_raise(graph):
            return graph.eval(operands)

        def taken(flat):
            hit, *given = flat
            first = argmax(hit, 0, False)
            own = [where(hit.reshape((-1,) + (1,) * (v.ndim - 1)), v, take(v, first, 0)) if flag else v
                   for v, flag in zip(given, flags)]
            return graph.eval([*own, *given[len(own) :]])

        def untaken(flat):
            return [zeros_of(a, *flat) for a in graph.out_avals]

        return prim.rebind((reduce_any(hit, (0,), False), hit, *operands, Body(run=taken), Body(run=untaken)))


def _may_raise(graph):
    """Tell whether a graph looks at operands: decompositions and solvers refuse some matrices, reads some places."""
    return any(type(eq.prim.blocks) in (int, tuple) or "index" in eq.prim.operands
               or any(map(_may_raise, eq.graphs())) for eq in graph.equations)


def _cond_graph(trace, prim, args):
    pred, *operands, on_true, on_false = args
    lifted = [trace.lift(a) for a in (pred, *operands)]
    avals = [x.aval for x, _ in lifted[1:]]
    graphs = [body.graph or stage(body, avals, tuple, "cond", like=args)[0] for body in (on_true, on_false)]
    # Each branch takes the captured values of both, so that the two have one signature.
    extra = [t for g in graphs for t in g.captured]
    lifted += [trace.lift(t) for t in extra]
    n, m = len(avals), len(graphs[0].captured)
    places = [list(range(n, n + m)), list(range(n + m, n + len(extra)))]
    bodies = tuple(_closed(g, n, p, [aval_of(t) for t in extra]) for g, p in zip(graphs, places))
    values = prim.rebind((*[v for _, v in lifted], *bodies)) if trace.concrete else None
    return trace.emit(prim, [x for x, _ in lifted], bodies, graphs[0].out_avals, values)


_cond = higher_order(
    "cond",
    impl=lambda xp, *xs, on_true, on_false: tuple((on_true if bool(xs[0]) else on_false)(*xs[1:])),
    control="branch",
    flow=through_branches,
    handlers={"grad": _cond_grad, "jvp": _cond_jvp, "vmap": _cond_vmap, "graph": _cond_graph},
    zeros=True,
).prim
