"""Loops with a carry alone: while_loop and fori_loop; eager, and one primitive in a function that is staged."""

import operator
from functools import partial

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.arrays.backend import is_array
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function, whole
from ...core.errors import ConversionError, DtypeError, RuleError, ShapeError, TreeError, at_user_line, words_of
from ...core.ops.shaping import broadcast_to
from ...core.primitive.primitive import bind
from ...core.progress import with_progress
from ...core.trace.buffers import CLOSURE_GUARD, ClosureGuard, identity, is_staging
from ...core.trace.tracer import Tracer, unwrap
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import described, flatten, only_leaf, settle, structure
from ..graph.equations import Body, Literal, Var, dependent, through_loop, walk
from ..interpreters.forward import start_dual
from ..reverse.varying import varies
from ..scope.axis_environment import mesh_axes
from ..scope.errstate import quiet
from ..staging.bodies import (
    batched_body,
    higher_order,
    instantiate,
    is_staged,
    operands_of,
    push,
    record_call,
    strip,
)
from ..staging.closures import known_state
from ..staging.graph import as_number, as_numbers, part_of
from ..staging.staging import stage
from .control import cond, of_some, select, tried
from .scan import carried, check_kept, scan

# The trip count of a staged loop, where it depends only on values known while staging.

_MOST = 1 << 16  # rounds that are tried one by one
_TESTS = (operator.lt, operator.le, operator.gt, operator.ge, operator.ne)


def known_rounds(test, body, values, consts):
    """The trip count of `body` while `test` holds; None where that is not known.

    Args:
        test, body: graphs of constants and carry.
        values: of these, of which `consts` are constants.
    """
    places = _decisive(test, body, consts)
    if any(isinstance(values[k], Tracer) or is_array(values[k]) and type(values[k]).__module__ != "numpy"
           for k in places):
        return None
    now = dict(zip([test.inputs[k] for k in places], [values[k] for k in places]))
    carried = [k for k in places if k >= consts]
    going = part_of(test, [test.inputs[k] for k in places], test.equations, test.outputs)
    outputs = [body.outputs[k - consts] for k in carried]
    step = part_of(body, [body.inputs[k] for k in places], body.equations, outputs)
    # The trial would make effects happen.
    if any(eq.acts or eq.prim.effects for part in (going, step) for eq in part.equations):
        return None
    counted = _counted(going, step, list(now.values()), len(places) - len(carried))
    if counted is not None:
        return counted
    given, fixed = list(now.values()), len(places) - len(carried)
    # The trial runs what the loop will run: it must not warn twice.
    with quiet():
        for turn in range(_MOST):
            if not going.interpret(given)[0]:
                return turn
            given[fixed:] = step.interpret(given)
    return None


def _decisive(test, body, consts):
    """The places of the inputs that the test depends on, in some round."""
    found, todo = set(), _read(test, test.outputs)
    while todo - found:
        new = todo - found
        found |= new
        todo = set().union(*[_read(body, [body.outputs[k - consts]]) for k in new if k >= consts])
    return sorted(found)


def _read(graph, outputs):
    """The places of the inputs that some outputs depend on."""
    needed = {v for v in outputs if type(v) is Var}
    for eq in reversed(graph.equations):
        if not needed.isdisjoint(eq.outputs):
            needed.update(v for v in eq.inputs if type(v) is Var)
    return {k for k, v in enumerate(graph.inputs) if v in needed}


def _counted(going, step, given, fixed):
    """The rounds of a counter of integers that is compared with one number; None where the loop has another form."""
    if len(given) != fixed + 1 or len(going.equations) != 1 or len(step.equations) != 1:
        return None

    def number(graph, v):
        x: Any = v.value if type(v) is Literal else given[graph.inputs.index(v)] if v in graph.inputs else None
        return int(x) if getattr(getattr(x, "dtype", None), "kind", "i" if type(x) is int else "") in "iu" else None

    (test,), (move,) = going.equations, step.equations
    holds, moves = (eq.prim.ufunc[1] if eq.prim.ufunc is not None else None for eq in (test, move))
    if holds not in _TESTS or moves not in (operator.add, operator.sub) or len(move.inputs) != 2:
        return None
    x, end = test.inputs
    counter, by = move.inputs
    start, end, by = number(going, x), number(going, end), number(step, by)
    if x is not going.inputs[fixed] or counter is not step.inputs[fixed] or None in (start, end, by):
        return None
    by = by if moves is operator.add else -by
    if not holds(start, end):
        return 0
    if holds is operator.ne:
        return (end - start) // by if by and (end - start) % by == 0 and (end - start) // by > 0 else None
    if by == 0 or (by > 0) != (holds in (operator.lt, operator.le)):
        return None
    end += (holds in (operator.le, operator.ge)) * (1 if by > 0 else -1)
    return len(range(start, end, by))


_NUMBERED = 1 << 20  # steps of a loop whose numbers lie in memory; those of a longer one are counted as it runs


def while_loop(
    cond_fun: Callable[..., Any], body_fun: Callable[..., Any], init_val: PyTree, *, max_steps: int | None = None
) -> PyTree:
    """Run `body_fun` while `cond_fun` returns True.

    Args:
        cond_fun: `cond_fun(carry) -> bool`. Under vmap the loop runs until it is False for all examples.
        body_fun: `body_fun(carry) -> carry`.
        init_val: the initial carry, any pytree. In a function that is staged, it keeps its shapes and dtypes.
        max_steps: take at most so many steps. A staged loop whose condition depends on a traced value needs it for
            reverse mode.
    Returns:
        the final carry; derivatives replay the iterations that were executed. In a function that is staged, the loop
        is one equation: one of so many steps where its condition depends on values alone that are known, as a counter.
    Raises:
        RuleError: in reverse mode, if the number of steps is not known while staging and there is no `max_steps`.
        TreeError: the carry changes its structure, a shape or a dtype.

    >>> import covector
    >>> float(covector.grad(lambda x: covector.while_loop(lambda c: c < 100.0, lambda c: c * c, x))(3.0))
    17496.0
    >>> graph = covector.make_graph(lambda x: covector.while_loop(lambda c: c < 100.0, lambda c: c * c, x))(3.0)
    >>> float(graph(2.0))
    256.0
    """
    check_function(cond_fun, "while_loop")
    check_function(body_fun, "while_loop")
    left = None if max_steps is None else whole(max_steps, "max_steps of while_loop", 0)
    if not is_staging():
        return _while_eager(cond_fun, body_fun, init_val, left)
    return _while_staged(cond_fun, body_fun, init_val, left)


def _while_eager(cond_fun, body_fun, init_val, left=None):
    """Run a loop step by step, at most `left` of them."""
    # `state` keeps the result of each example; `running` is what the body gets, always a state at which its condition
    # held.
    state = running = init_val
    while left is None or left > 0:
        flag = settle(only_leaf(cond_fun(state))[0])
        if is_staged(flag):
            return _while_staged(cond_fun, body_fun, state, left)
        # Known: plain Python decides. A batched flag is known for each example, and the loop runs until none goes on.
        if known_state(flag) == "known":
            if type(flag) is not np.bool_:
                flag = _scalar(flag)
            if not bool(flag):
                break
            state = running = body_fun(state)
        else:
            if not _goes_on(flag):
                break
            # Examples that are done run along from the last state at which they were not, and keep what they have.
            running = select(flag, state, running, "while_loop")
            before = CLOSURE_GUARD.get()
            try:
                guard = ClosureGuard().begin()
                state = select(flag, tried(body_fun, (running,), flag, "while_loop", apart=False), state, "while_loop")
            finally:
                CLOSURE_GUARD.set(before)
            guard.check()
        left = None if left is None else left - 1
    _check_structure(state, init_val, "while_loop")
    check_kept(state, init_val, "while_loop", "init_val")
    return state


def _goes_on(flag):
    """Tell whether any example goes on; along an axis of a mesh, in any process, for the body may call collectives."""
    going = bool(unwrap(flag).any())
    for trace in mesh_axes():
        if trace.group is not None and varies(flag, trace):
            going = bool(trace.group.extreme(np.array(going, np.int8), True))
    return going


def _bounded(cond_fun, body_fun, init, steps):
    """A loop with a staged condition as one of so many steps, of which those behind its end change nothing."""
    def step(carry, _):
        # As in `_while_eager`: steps behind the end compute from the last state at which the condition held.
        going, state, running = carry
        running = select(going, state, running, "while_loop")
        state = cond(going, lambda state, running: body_fun(running), lambda state, running: state, state, running)
        return (_condition(cond_fun, state), state, running), None

    return scan(step, (_condition(cond_fun, init), init, init), None, length=steps)[0][1]


def _condition(cond_fun, state):
    """The result of `cond_fun`, a boolean scalar."""
    return _scalar(settle(only_leaf(cond_fun(state))[0]))


def _scalar(flag):
    aval = aval_of(flag)
    if aval.shape or aval.dtype.kind not in "biu":
        kind = ShapeError if aval.shape else DtypeError
        raise kind(f"while_loop needs a condition that is a boolean scalar, but got {aval!r}; compare with a number, "
                   f"or reduce it with .any() or .all(){at_user_line()}")
    return flag if aval.dtype.kind == "b" else flag != 0


def _while_staged(cond_fun, body_fun, init, left=None):
    """A loop as one equation: one of so many steps where their number is known or bounded, else one without."""
    carry, rebuild = flatten(init)
    carry = [settle(c) for c in carry]
    form = structure(init)

    def run_body(*flat):
        state = body_fun(rebuild(list(flat)))
        if structure(state) != form:
            raise TreeError(f"while_loop needs a carry that keeps its structure {described(form)}, but it became "
                            f"{described(state)}; return the carry as it came in{at_user_line()}")
        return [settle(x) for x in flatten(state)[0]]

    body, carry = carried(run_body, carry, [], [], "while_loop", "init_val")
    weak = body.weak
    avals = [make_aval(aval_of(c).shape, aval_of(c).dtype) for c in carry]
    test, _ = stage(lambda *flat: [_condition(cond_fun, rebuild(list(flat)))], avals, tuple, "while_loop", like=carry,
                    numbers={k for k, flag in enumerate(weak) if flag})
    captured, bodies = _joined((test, body), len(carry))
    going, step = [b.graph for b in bodies]
    steps = known_rounds(going, step, [*captured, *carry], len(captured))
    if steps is not None:
        steps = steps if left is None else min(steps, left)
        return scan(lambda state, _: (body_fun(state), None), init, None, length=steps)[0]
    if left is not None:
        return _bounded(cond_fun, body_fun, init, left)
    return rebuild(as_numbers(bind(_while, (*captured, *carry, *bodies, len(captured))), weak))


def _joined(graphs, count):
    """Values that graphs of `count` inputs close over, once, and the graphs as bodies that take them first."""
    # Condition and body may close over the same value, which then is one operand of the loop.
    captured = {identity(t): t for g in graphs for t in g.captured}
    bodies = []
    for g in graphs:
        mine = {identity(t): v for t, v in zip(g.captured, g.inputs[count:])}
        first = [mine.get(key) or Var(aval_of(t)) for key, t in captured.items()]
        bodies.append(Body(g.with_inputs([*first, *g.inputs[:count]])))
    return list(captured.values()), bodies


def _run_while(values, test, body, consts):
    """Loop over plain or traced values: constants, carry → carry."""
    head = values[:consts]
    return _while_eager(lambda c: test(*head, *c)[0], lambda c: list(body(*head, *c)), list(values[consts:]))


def _while_grad(trace, prim, args):
    *operands, test, body, consts = args
    values, mine = operands_of(trace, operands)
    if not any(map(is_staged, values)):  # the steps that are taken are known
        return tuple(_run_while(operands, test, body, consts))
    active = [i for i, (v, own) in enumerate(zip(values, mine)) if own and is_inexact(aval_of(v).dtype)]
    outs = list(prim.rebind((*values, test, body, consts)))
    if not active:
        return tuple(outs)

    def back(cts, saved):
        raise RuleError("while_loop is differentiated in reverse mode, but its condition is staged, so the number of "
                        "steps to go back is unknown; give it (or fori_loop) max_steps=, use scan, or forward mode "
                        f"(jvp, jacfwd){at_user_line()}")

    return tuple(record_call(trace, outs, [operands[i].node for i in active], back, "while"))


def _while_jvp(trace, prim, args):
    trace.masked = True
    *operands, test, body, consts = args
    values, mine = operands_of(trace, operands)
    tangents = instantiate([a.tangent if own else None for a, own in zip(operands, mine)], values)
    n = len(values) - consts

    # The operands are constants, their tangents, the carry, its tangents.
    def plain(flat):
        return [*flat[:consts], *flat[2 * consts :][:n]]

    def step(flat):
        moved = [*flat[consts : 2 * consts], *flat[2 * consts + n :]]
        now = plain(flat)
        # The tangent of an integer is only carried along, so that carry and tangents have one structure.
        given = [t if is_inexact(aval_of(v).dtype) else None for v, t in zip(now, moved)]
        outs, found = push(body, now, given, start_dual, True)
        return [*outs, *instantiate(found, outs)]

    flat = prim.rebind((*values[:consts], *tangents[:consts], *values[consts:], *tangents[consts:],
                        Body(run=lambda flat: test(*plain(flat))), Body(run=step), 2 * consts))
    return tuple([trace.box(strip(v, trace), t) for v, t in zip(flat[:n], flat[n:])])


def _while_vmap(trace, prim, args):
    *operands, test, body, consts = args
    operands, test, body, consts = _as_graphs(operands, test, body, consts)
    values, given = trace.unbox(operands)
    values, n = list(values), len(values) - consts
    axis = trace.axis_name if trace.mesh else None
    flags, outs = through_loop(body.graph, given, consts, n, partial(dependent, axis=axis))
    every = dependent(test.graph, flags, axis)[0]
    if every:
        # A batched condition keeps the state of each example apart, so all of the carry becomes batched.
        flags, outs = [*flags[:consts], *[True] * n], [True] * n
    for k in range(consts, consts + n):
        values[k] = _spread(values[k], trace) if flags[k] and not given[k] else values[k]
    inner_test = batched_body(test, flags, trace, [every])
    inner_body = batched_body(body, flags, trace, flags[consts:])
    if not every:
        bodies = Body(run=lambda flat: inner_test(*flat)), Body(run=lambda flat: inner_body(*flat))
        found = prim.rebind((*values, *bodies, consts))
        return tuple([trace.box(v) if f else v for v, f in zip(found, flags[consts:])])

    def step(flat):  # rows that are done run along from the last state at which they were not, and keep what they have
        head, going, state, running = flat[:consts], flat[consts], flat[consts + 1 :][:n], flat[consts + 1 + n :]
        running = [_rows(going, s, r) for s, r in zip(state, running)]
        with of_some(going):
            state = [_rows(going, new, s) for new, s in zip(inner_body(*head, *running), state)]
        return [inner_test(*head, *state)[0], *state, *running]

    together = trace.mesh and any("collective" in eq.prim.effects for part in (test.graph, body.graph)
                                  for eq in walk(part.equations))
    anywhere = trace.anywhere if together else lambda going: going  # as long as one place goes on, all call the same
    going = inner_test(*values)[0]
    outs = prim.rebind((*values[:consts], going, *values[consts:], *values[consts:],
                        Body(run=lambda flat: [anywhere(flat[consts].any())]), Body(run=step), consts))
    return tuple([trace.box(v) for v in outs[1 : 1 + n]])


def _rows(going, x, y):
    return select(going.reshape((-1,) + (1,) * (x.ndim - 1)), x, y, "while_loop")


def _spread(value, trace):
    value = np.asarray(value) if not hasattr(value, "shape") else value
    value = trace.vary(value) if trace.mesh else value
    return broadcast_to(value, shape=(trace.size, *value.shape))


def _as_graphs(operands, test, body, consts):
    """The same loop over bodies that are graphs; what these close over becomes its first constants."""
    if test.graph is not None and body.graph is not None:
        return operands, test, body, consts
    avals = [make_aval(a.shape, a.dtype) for a in map(aval_of, operands)]
    graphs = [part.graph or stage(part, avals, tuple, "while_loop", like=operands)[0] for part in (test, body)]
    extra, (test, body) = _joined(graphs, len(avals))
    return [*extra, *operands], test, body, consts + len(extra)


def _while_graph(trace, prim, args):
    *operands, test, body, consts = args
    operands, test, body, consts = _as_graphs(operands, test, body, consts)
    lifted = [trace.lift(a) for a in operands]
    params = (test, body, consts)
    values = prim.rebind((*[v for _, v in lifted], *params)) if trace.concrete else None
    return trace.emit(prim, [x for x, _ in lifted], params, list(body.graph.out_avals), values)


_while = higher_order(
    "while",
    impl=lambda xp, *xs, cond, body, consts: tuple(_run_while(xs, cond, body, consts)),
    control="while",
    only="jvp",
    turns=lambda cond, body, consts: None,
    handlers={"grad": _while_grad, "jvp": _while_jvp, "vmap": _while_vmap, "graph": _while_graph},
    zeros=True,
).prim


def fori_loop(
    lower: int, upper: int, body_fun: Callable[..., Any], init_val: PyTree, *, unroll: int | bool | None = None,
    max_steps: int | None = None, progress: bool | Callable[[int, int], Any] | None = None,
) -> PyTree:
    """Run `carry = body_fun(i, carry)` for i from `lower` to `upper` - 1.

    Args:
        lower, upper: integers; under vmap they may differ between examples.
        body_fun: `body_fun(i, carry) -> carry`. In a function that is staged, it is called once, with a staged `i`.
        init_val: the initial carry, any pytree.
        unroll: True stages each step for itself; other values are accepted for compatibility with JAX.
        max_steps: take at most so many steps. A loop with staged bounds needs it for reverse mode.
        progress: True, or a function of the number of steps that are done and of all, as in `scan`; for known bounds.
    Returns:
        the final carry; `init_val` if the range is empty. A staged loop is one equation.
    Raises:
        TreeError: the carry changes its structure; or, where it is staged, a shape or a dtype.
        RuleError: in reverse mode, if a bound is staged and there is no `max_steps`; `progress` with a bound that is
            traced by vmap or staged.

    >>> import covector
    >>> covector.fori_loop(0, 3, lambda i, c: c + i, 0)
    3
    >>> graph = covector.make_graph(lambda x: covector.fori_loop(0, 200, lambda i, c: c * 0.5 + i, x))(1.0)
    >>> len(graph.equations), float(graph(1.0))
    (1, 396.0)
    """
    check_function(body_fun, "fori_loop")
    lower, upper = settle(lower), settle(upper)
    if known_state(lower) != "known" or known_state(upper) != "known":
        if progress:
            raise RuleError("fori_loop was given progress=, but its bounds are traced, so the number of steps is "
                            f"unknown; give it plain integers, or call debug.callback in its body{at_user_line()}")
        return while_loop(lambda c: c[0] < upper, lambda c: (c[0] + 1, body_fun(*c)), (lower, init_val),
                          max_steps=max_steps)[1]
    start, stop = whole(unwrap(lower), "lower of fori_loop"), whole(unwrap(upper), "upper of fori_loop")
    if max_steps is not None:
        stop = min(stop, start + whole(max_steps, "max_steps of fori_loop", 0))
    if unroll is not True and stop - start > 1 and (
            is_staging() or any(is_staged(settle(x)) for x in flatten(init_val)[0])):
        return _fori_staged(start, stop, body_fun, init_val, progress)
    state = init_val
    for i in with_progress(range(start, stop), progress, "fori_loop"):
        state = body_fun(i, state)
    _check_structure(state, init_val, "fori_loop")
    check_kept(state, init_val, "fori_loop", "init_val")
    return state


def _fori_staged(start, stop, body_fun, init_val, progress):
    def step(state, i):
        new = body_fun(as_number(i), state)
        _check_structure(new, init_val, "fori_loop")
        check_kept(new, init_val, "fori_loop", "init_val")
        return new, None

    def counting(state, _):
        i, state = state
        return (i + 1, step(state, i)[0]), None

    try:
        if stop - start > _NUMBERED:
            return scan(counting, (np.int64(start), init_val), None, stop - start, progress=progress)[0][1]
        return scan(step, init_val, np.arange(start, stop, dtype=np.int64), progress=progress)[0]
    except ConversionError as error:
        raise ConversionError(f"fori_loop stages its body once for all steps, but {words_of(error)}; or stage "
                              "every step with unroll=True") from error


def _check_structure(state, init_val, name):
    if state is not init_val and structure(state) != structure(init_val):
        raise TreeError(f"{name} needs a carry that keeps its structure, but got {described(init_val)} and then "
                        f"{described(state)}; return the carry as it came in{at_user_line()}")
