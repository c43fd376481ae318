"""Loops that carry a value and collect outputs: eager on concrete values, one primitive when staged."""

from functools import partial
from operator import is_, itemgetter

import numpy as np

from ...core.arrays.avals import WEAK, aval_of, make_aval, promoting_aval
from ...core.arrays.dtypes import is_inexact, native_dtype, result_dtype
from ...core.arrays.fp_warnings import error_state, leave_error_state
from ...core.checks import check_function, whole
from ...core.errors import ConversionError, ShapeError, TreeError, at_user_line
from ...core.ops.selection import astype
from ...core.ops.shaping import broadcast_to, stack
from ...core.primitive.primitive import bind
from ...core.progress import reporter, with_progress
from ...core.trace.buffers import is_staging
from ...core.trace.device import constant
from ...core.trace.tracer import Batched, Dual, Rev, Tracer
from ...core.types import Any, Callable, PyTree
from ..arguments.arguments import described, first, flatten, settle, structure
from ..graph.equations import Body, dependent, selects, through_loop, through_rows
from ..interpreters.forward import start_dual
from ..scope.debug_modes import modes
from ..scope.errstate import enter_quiet
from ..staging.bodies import (
    batched_body,
    higher_order,
    instantiate,
    is_staged,
    operands_of,
    push,
    strip,
)
from ..staging.effects import acting
from ..staging.graph import as_numbers
from ..staging.passes import merged
from ..staging.staging import stage
from .hoisting import Hoisted, movable
from .scan_reverse import as_graph, scan_grad

# Fast comparison of the structure and shapes of two pytrees, for loops that check every step.

ARRAYS = frozenset({np.ndarray, np.float64, np.float32, Rev, Dual, Batched})  # leaves of any pytree, with a shape


def likeness(tree: PyTree) -> Callable[[PyTree], bool]:
    """`alike(other)`: whether another tree surely has the structure and the shapes of this one.

    False says nothing: nodes other than tuples, lists and dicts, and leaves of rarer types, are for the
    caller to compare.
    """
    kind = type(tree)
    if kind in ARRAYS or kind is float:
        shape = () if kind is float else tree.shape
        return lambda x: x.shape == shape if type(x) in ARRAYS else type(x) is float and not shape
    if tree is None:
        return lambda x: x is None
    if kind is tuple or kind is list:
        each = [likeness(x) for x in tree]
        whole = _all_arrays(tree)
        return lambda x: type(x) is kind and len(x) == len(each) and (
            _alike_arrays(x, whole) or all(alike(v) for alike, v in zip(each, x)))
    if kind is dict:
        names = tuple(tree)
        each = [likeness(x) for x in tree.values()]
        whole = _all_arrays(tree.values())
        return lambda x: type(x) is dict and tuple(x) == names and (
            _alike_arrays(x.values(), whole) or all(alike(v) for alike, v in zip(each, x.values())))
    return lambda x: False


def _all_arrays(values):
    """The shapes of values that are all leaves; else None."""
    values = list(values)
    return [v.shape for v in values] if ARRAYS.issuperset(map(type, values)) else None


def _alike_arrays(values, shapes):
    return shapes is not None and ARRAYS.issuperset(map(type, values)) and [v.shape for v in values] == shapes


def scan(
    fun: Callable[..., Any], init: PyTree, xs: PyTree = None, length: int | None = None, reverse: bool = False,
    unroll: int | bool = 1, *, progress: bool | Callable[[int, int], Any] | None = None,
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
        progress: True shows a bar of tqdm (without tqdm, a line of text on standard error); a function is called with
            the number of steps that are done and of all, after each step. In compiled functions and under `vmap`
            too: there a step of all examples is one. The steps of a backward pass are not counted.
    Returns:
        `(carry, ys)` with the outputs stacked along a new axis 0. The loop is eager, and one equation in a function
        that is staged.
    Raises:
        ShapeError: the lengths differ.
        TreeError: the carry changes its structure or a shape.
        TypeError: `fun` returns no pair.

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
    # Operands alone do not tell: a loop over constants in a staged body would unroll into the graph of it.
    if is_staging() or any(map(is_staged, (*carry, *leaves))):
        if progress:
            report = reporter(progress, "scan", steps)
            fun, leaves, rebuild_xs = _with_reports(fun, leaves, rebuild_xs, steps, reverse, report)
        return _scan_staged(fun, carry, rebuild_carry, leaves, rebuild_xs, steps, reverse)
    # No step runs, but its outputs have shapes.
    if not steps:
        return init, _no_answers(fun, init, rebuild_xs, leaves)
    collected = []
    state = init
    # A quick test after each step; the thorough one, which words the error, runs only where it fails.
    alike = likeness(init)
    want = structure(init), [aval_of(x).shape for x in carry]
    one = leaves[0] if rebuild_xs is first else None
    for i in with_progress(range(steps)[::-1] if reverse else range(steps), progress, "scan"):
        x = one[i] if one is not None else None if xs is None else rebuild_xs([x[i] for x in leaves])
        result = fun(state, x)
        state, y = result if type(result) is tuple and len(result) == 2 else _pair(result)
        if not alike(state):
            _check_carry(state, *want)
        collected.append(y)
    # After the loop, since a staged loop refuses the same: eager and staged code must not differ in what they take.
    check_kept(state, init, "scan", "init")
    if reverse:
        collected.reverse()
    return state, _stacked(collected)


def _with_reports(fun, xs, rebuild_xs, steps, reverse, report):
    """Make a step that reports its number, with the step numbers appended to `xs`."""
    def step(carry, x):
        x, number = x
        result = fun(carry, x)
        acting(lambda done: report(int(done)), [number])
        return result

    numbers = np.arange(1, steps + 1)
    return step, [*xs, numbers[::-1] if reverse else numbers], lambda flat: (rebuild_xs(flat[:-1]), flat[-1])


def _check_carry(state, form, shapes):
    if structure(state) != form:
        raise TreeError(f"scan needs a carry that keeps its structure {described(form)}, but it became "
                        f"{described(state)}; return the carry first, with the structure of init{at_user_line()}")
    for x, shape in zip(flatten(state)[0], shapes):
        found = aval_of(settle(x)).shape
        if found != shape:
            raise TreeError(f"scan needs a carry that keeps its shapes, but one went from {shape} to {found}; give "
                            f"init the shape of the result{at_user_line()}")


def check_kept(state, init, name, start):
    """Raise where a carry has not the shape that it began with or, if it is no Python number, the dtype, as where it is
    staged."""
    for x, c in zip(flatten(state)[0], flatten(init)[0]):
        have, found = promoting_aval(settle(c)), promoting_aval(settle(x))
        if have.shape != found.shape or not have.weak and not found.weak and (
                native_dtype(have.dtype) != native_dtype(found.dtype)):
            raise _changed(name, aval_of(settle(c)), aval_of(settle(x)), start)


def _changed(name, aval, out, start):
    return TreeError(f"{name} needs a carry that keeps its shape and dtype, but it went from {aval!r} to {out!r}; give "
                     f"{start} the shape and dtype of the result, or cast that with .astype(...){at_user_line()}")


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
        state = error_state()
        try:
            enter_quiet()
            zeros = [constant(np.zeros(a.shape, a.dtype), x) for a, x in zip(rows, xs)]
            avals = [aval_of(settle(y)) for y in answers(*carry, *zeros)]
        finally:
            leave_error_state(state)
    return form["rebuild"]([constant(np.zeros((0, *a.shape), a.dtype), *carry, *xs) for a in avals])


def _step(fun, state, x):
    return _pair(fun(state, x))


def _pair(result):
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(f"scan needs a function that returns a pair (carry, y), but got {type(result).__name__}"
                        f"; return (carry, None) where there is nothing to collect{at_user_line()}")
    return result


def _stacked(trees):
    """Stack the outputs of all steps along a new axis 0."""
    if all(t is None for t in trees):
        return None
    leaves, rebuild = flatten(trees[0])
    columns = _columns(trees, leaves)
    if columns is None:
        form = structure(trees[0])
        for t in trees:
            if structure(t) != form:
                raise TreeError(f"scan needs outputs of one structure, but steps gave {described(trees[0])} and "
                                f"{described(t)}; return the same structure at every step{at_user_line()}")
        columns = list(zip(*[flatten(t)[0] for t in trees]))
    out = []
    for column in columns:
        parts: Any = column
        # A carry that starts at a traced number has another dtype at first.
        if not ARRAYS.issuperset(map(type, parts)) or parts[0].dtype is not parts[-1].dtype:
            parts = _alike([settle(p) for p in parts])
        out.append(stack(*parts, axis=0))
    return rebuild(out)


def _alike(parts):
    """Values of all steps as arrays; a number takes the dtype of what others give, as it does in a staged loop."""
    numbers = [type(p) in WEAK or isinstance(p, Tracer) and p.aval.weak for p in parts]
    if any(numbers) and not all(numbers):
        dtype = result_dtype(*parts)
        parts = [(astype(p, dtype) if isinstance(p, Tracer) else np.asarray(p, dtype)) if number else p
                 for p, number in zip(parts, numbers)]
    return [p if isinstance(p, Tracer) or hasattr(p, "reshape") else np.asarray(p) for p in parts]


def _columns(trees, leaves):
    """The leaves of all trees side by side, where each is a leaf or a flat tuple, list or dict as the first; else None.

    A step with 60 outputs takes 2 us; `flatten` takes 8.
    """
    first, kind = trees[0], type(trees[0])
    if len(leaves) == 1 and leaves[0] is first:
        return [trees] if _LEAVES.issuperset(map(type, trees)) else None
    if kind is dict:
        # In the order in which `flatten` has a dict.
        names = sorted(first) if all(type(name) is str for name in first) else ()
        # Of a single name `itemgetter` gives no tuple.
        same = len(names) > 1 and len(leaves) == len(names) and all(map(is_, leaves, map(first.get, names)))
    else:
        same = (kind is tuple or kind is list) and len(leaves) == len(first) and all(map(is_, leaves, first))
    if not same or set(map(type, trees)) != {kind} or set(map(len, trees)) != {len(leaves)}:
        return None
    try:
        columns = list(zip(*map(itemgetter(*names), trees) if kind is dict else trees))
    except KeyError:
        return None
    return columns if all(_LEAVES.issuperset(map(type, column)) for column in columns) else None


_LEAVES = ARRAYS | {bool, int, float, complex}


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
    graph, carry = carried(body, carry, rows, xs, "scan", "init")
    values = [*graph.captured, *carry, *xs]
    led = merged(graph.led_by_captured())
    hoisted = Hoisted(led, len(graph.captured), n, steps, movable(values))
    values = hoisted.operands(hoisted.known(values))
    outs = bind(_scan, (*values, Body(hoisted.graph), hoisted.consts, n, steps, reverse))
    return rebuild_carry(as_numbers(outs[:n], graph.weak)), shape["rebuild"](list(outs[n:]))


def carried(body, carry, rows, xs, name, start):
    """`(graph, carry)` of a body whose first outputs are the next carry; Python numbers take the dtype of that."""
    avals = [make_aval(aval_of(c).shape, native_dtype(aval_of(c).dtype)) for c in carry]
    numbers = {k for k, c in enumerate(carry) if promoting_aval(c).weak}  # in the next one, too

    def in_order(*flat):
        outs = body(*flat)
        # In foreign byte order a result would have another dtype than the carry.
        swapped = [k for k, v in enumerate(outs[: len(carry)]) if not aval_of(v).dtype.isnative]
        for k in swapped:
            outs[k] = astype(outs[k], native_dtype(aval_of(outs[k]).dtype))
        return outs

    while True:
        graph, _ = stage(in_order, [*avals, *rows], tuple, name, like=(*carry, *xs), numbers=numbers)
        again = False
        for k, (c, aval, out) in enumerate(zip(carry, avals, graph.out_avals)):
            number = k in numbers
            if number and not graph.weak[k]:
                numbers.remove(k)
                again = True
            if aval.shape == out.shape and aval.dtype == out.dtype:
                continue
            # Widen the carry and stage again, until the body gives back the dtype it takes: dtypes only grow, so this
            # ends.
            found = np.result_type(aval.dtype.type(0).item() if number and not graph.weak[k] else aval.dtype, out.dtype)
            if not promoting_aval(c).weak or aval.shape != out.shape or found == aval.dtype:
                raise _changed(name, aval, out, start)
            avals[k], again = make_aval((), found), True
        if not again:
            return graph, [_as(c, aval) for c, aval in zip(carry, avals)]


def _as(value, aval):
    if type(value) in (bool, int, float, complex):  # the body takes a number of this dtype
        return aval.dtype.type(value)
    return value if aval_of(value).dtype == aval.dtype else astype(value, aval.dtype)


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
    # No step ran, so the shapes of the outputs are found by staging one.
    if not rows:
        avals = [aval_of(v) for v in (*head, *carry)] + [make_aval(aval_of(x).shape[1:], aval_of(x).dtype) for x in xs]
        shapes = stage(lambda *v: body(*v), avals, tuple, "scan", like=values)[0].out_avals[n:]
        return [*carry, *[constant(np.zeros((0, *a.shape), a.dtype), *values) for a in shapes]]
    return [*carry, *(_stacked([list(r) for r in rows]))]


def _scan_grad(trace, prim, args):
    *operands, body, consts, n, steps, reverse = args
    if modes().nans and not any(map(is_staged, operands)):  # every step is looked at
        return tuple(_run_scan(operands, body, consts, n, steps, reverse))
    return scan_grad(trace, prim, args)


def _scan_jvp(trace, prim, args):
    *operands, body, consts, n, steps, reverse = args
    trace.masked = trace.masked or body.graph is None or selects(body.graph)
    values, mine = operands_of(trace, operands)
    given = [a.tangent if own else None for a, own in zip(operands, mine)]
    k, j, count = consts, consts + n, len(values)
    given[k:j] = instantiate(given[k:j], values[k:j])  # what is carried may have a tangent after the first step
    # Constants and rows have a tangent only where there is one; the carry always, so that it keeps its structure.
    heads, rows = ([i for i in places if given[i] is not None] for places in (range(k), range(j, count)))
    order = [*range(k), *[count + i for i in heads], *range(k, j), *range(count + k, count + j), *range(j, count),
             *[count + i for i in rows]]

    def step(flat):
        full = dict(zip(order, flat))
        inner = [full[i] for i in range(count)]
        # An integer that is carried has a tangent for the structure alone.
        moved = [full.get(count + i) if is_inexact(aval_of(v).dtype) else None for i, v in enumerate(inner)]
        outs, found = push(body, inner, moved, start_dual, True)
        found = instantiate(found, outs)
        # As a loop has them: what is carried first, then what is collected.
        return [*outs[:n], *found[:n], *outs[n:], *found[n:]]

    both = [*values, *given]
    flat = prim.rebind((*[both[i] for i in order], Body(run=step), k + len(heads), 2 * n, steps, reverse))
    ys = (len(flat) - 2 * n) // 2
    outs = [*flat[:n], *flat[2 * n : 2 * n + ys]]
    pushed = [*flat[n : 2 * n], *flat[2 * n + ys :]]
    return tuple([trace.box(strip(v, trace), t) for v, t in zip(outs, pushed)])


def _scan_vmap(trace, prim, args):
    *operands, body, consts, n, steps, reverse = args
    operands, body, consts = as_graph(operands, body, consts, n)
    values, given = trace.unbox(operands)
    values = list(values)
    inside = partial(dependent, axis=trace.axis_name if trace.mesh else None)
    # A carry that starts unbatched may become batched by what the body adds to it: flags are iterated to a fixed
    # point.
    flags, outs = through_loop(body.graph, given, consts, n, inside)
    for k in range(consts, consts + n):  # what becomes batched in the loop is so from the start
        if flags[k] and not given[k]:
            whole = np.asarray(values[k]) if not hasattr(values[k], "shape") else values[k]
            whole = trace.vary(whole) if trace.mesh else whole
            values[k] = broadcast_to(whole, shape=(trace.size, *aval_of(whole).shape))
    for k in range(consts + n, len(values)):  # loop over axis 0, batch behind it
        if flags[k]:
            values[k] = values[k].swapaxes(0, 1)
    outs[:n] = flags[consts : consts + n]
    inner = batched_body(body, flags, trace, outs)
    found = prim.rebind((*values, Body(run=lambda flat: inner(*flat)), consts, n, steps, reverse))
    return tuple([trace.box(v if k < n else v.swapaxes(0, 1)) if f else v for k, (v, f) in enumerate(zip(found, outs))])


def _scan_graph(trace, prim, args):
    *operands, body, consts, n, steps, reverse = args
    if body.graph is None:
        operands, body, consts = as_graph(operands, body, consts, n)
        hoisted = Hoisted(merged(body.graph), consts, n, steps, movable(operands))
        operands, consts = hoisted.operands(hoisted.known(operands)), hoisted.consts
        body = Body(hoisted.graph)
    lifted = [trace.lift(a) for a in operands]
    outs = body.graph.out_avals
    stacked = [*outs[:n], *[make_aval((steps, *a.shape), a.dtype) for a in outs[n:]]]
    params = (body, consts, n, steps, reverse)
    values = prim.rebind((*[v for _, v in lifted], *params)) if trace.concrete else None
    return trace.emit(prim, [x for x, _ in lifted], params, stacked, values)


_scan = higher_order(
    "scan",
    impl=lambda xp, *xs, body, consts, n, steps, reverse: tuple(_run_scan(xs, body, consts, n, steps, reverse)),
    control="scan",
    flow=through_rows,
    turns=lambda body, consts, n, steps, reverse: steps,
    handlers={"grad": _scan_grad, "jvp": _scan_jvp, "vmap": _scan_vmap, "graph": _scan_graph},
).prim
