"""Functions with custom rules: custom_jvp and custom_vjp.

The function runs once, eagerly, one level below the trace that meets the call. Traced values found in the closures of
the function or its rules become operands first (its body and rules are then graphs); one that hides elsewhere comes
back inside the outputs, and its derivative is added by a second path to the same output (`record_call`).
"""

from functools import partial, update_wrapper
from inspect import signature

from ...core.arrays.avals import aval_of, make_aval
from ...core.arrays.dtypes import is_inexact
from ...core.checks import check_function
from ...core.errors import RuleError, at_user_line
from ...core.primitive.primitive import bind
from ...core.tape.recording import make_node
from ...core.tape.unbroadcast import fix
from ...core.trace.buffers import Buffer
from ...core.trace.device import zeros_of
from ...core.trace.tracer import Batched, Dual, Rev, Staged, Tracer
from ...core.types import Any
from ..arguments.arguments import flatten, same_structure
from ..arguments.transformed import is_named
from ..reverse.ambient import conform_tangent
from ..reverse.nan_checks import start_trace
from ..staging.bodies import (
    BOTH,
    above,
    batched_body,
    boxed_as,
    conjugated,
    full_cotangents,
    higher_order,
    instantiate,
    operands_of,
    pull,
    record_call,
    strip,
)
from ..staging.closures import closes_over_tracer
from ..staging.graph import as_numbers
from ..staging.staging import stage
from .by_rows import by_rows
from .call_lane import OTHERWISE, Lane
from .custom_calls import JvpCall, VjpCall, call_pullback, lasting, name_of, settled

# The arguments of a function with custom rules: all by position, and those that are static.


def bound_arguments(fun, args, kwargs):
    """Positional arguments, keywords and defaults put in their places."""
    code = getattr(fun, "__code__", None)
    python = code is not None or isinstance(fun, partial) or hasattr(type(fun).__call__, "__code__")
    if not kwargs and (not python or code is not None and len(args) == code.co_argcount):
        return args
    if not python:  # a ufunc, say
        raise TypeError(f"custom rules need positional arguments, but {name_of(fun)} was called with keywords "
                        f"{', '.join(kwargs)}; pass them by position{at_user_line()}")
    known = signature(fun)
    try:
        bound = known.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{name_of(fun)}{known} was called with arguments that do not fit: {error}; pass each argument "
                        f"once{at_user_line()}") from None
    bound.apply_defaults()
    lost = [name for name in bound.kwargs if name in kwargs]
    if lost:
        raise TypeError(f"{name_of(fun)} has no positional argument {lost[0]!r}; custom rules see positional arguments "
                        f"only: drop the * in front of it, or use functools.partial{at_user_line()}")
    return bound.args


def places_of(fun, names):
    """The positions of parameters named `names`."""
    order = list(signature(fun).parameters)
    names = (names,) if isinstance(names, str) else tuple(names)
    unknown = [n for n in names if n not in order]
    if unknown:
        raise ValueError(f"nondiff_argnames names {unknown[0]!r}, but {name_of(fun)} has the parameters "
                         f"{', '.join(order)}; name one of them{at_user_line()}")
    return tuple([order.index(n) for n in names])


def split_static(args, nondiff):
    """`(static, rest)`: the arguments at `nondiff`, and the others; one that is differentiated is refused."""
    if not nondiff:
        return (), args
    places = {k % len(args) for k in nondiff}
    static = tuple((k, args[k]) for k in sorted(places))
    for k, value in static:
        if any(_is_differentiated(leaf) for leaf in flatten(value)[0]):
            raise TypeError(f"argument {k} is in nondiff_argnums, but holds a traced value that is differentiated, so "
                            f"that its derivative would be lost; make it an ordinary argument{at_user_line()}")
    return static, tuple(a for k, a in enumerate(args) if k not in places)


def _is_differentiated(value):
    """Tell whether a derivative by a value is taken at any level; one that is only batched or staged is closed over."""
    while isinstance(value, Tracer):
        if not isinstance(value, Batched | Staged | Buffer):
            return True
        value = value.value
    return False


def is_only_batched(value):
    """Tell whether no level of a value differentiates or stages it."""
    while isinstance(value, Tracer):
        if not isinstance(value, Batched | Buffer):
            return False
        value = value.value
    return True


# A call of a function with custom rules on values with a batch axis.


class BatchedJvp(JvpCall):
    """A call on values with a batch axis."""

    def __init__(self, inner, flags, trace):
        self.inner = inner
        self.owner = inner.owner
        self.flags = flags
        self.trace = trace
        self.rebuild_out = None
        self.varied: Any = None  # which outputs vary, of a call inside of a mesh

    def body(self, *values):
        run = batched_body(self.inner.body, self.flags, self.trace)
        outs = run(*values)
        self.varied = run.varied
        return outs

    def rule(self, values, tangents):
        n = len(values)

        def both(*flat):
            outs, pushed = self.inner.rule(list(flat[:n]), list(flat[n:]))
            return [*outs, *pushed]

        run = batched_body(both, (*self.flags, *self.flags), self.trace)
        flat = run(*values, *tangents)
        n = len(flat) // 2
        outs, pushed = flat[:n], flat[n:]
        if run.varied is not None:
            self.varied = run.varied[:n]
            spread = self.trace.spread
            pushed = [spread(t) if a and not b else t for t, a, b in zip(pushed, self.varied, run.varied[n:])]
        return outs, pushed


class BatchedVjp(VjpCall):
    """A call on values with a batch axis."""

    def __init__(self, inner, flags, trace):
        self.inner = inner
        self.owner = inner.owner
        self.flags = flags
        self.trace = trace
        self.rebuild_out = list
        self.varied: Any = None
        self.kept: Any = None  # which outputs, and which residuals, vary, of a call inside of a mesh

    def body(self, *values):
        run = batched_body(self.inner.body, self.flags, self.trace)
        outs = run(*values)
        self.varied = run.varied
        return outs

    def forward(self, values, active=None):
        shape = {}

        def run(*flat):
            outs, residuals, rebuild = self.inner.forward(list(flat), active)
            residuals, shape["rebuild"] = lasting(self.inner, flat, residuals, rebuild, active)
            shape["count"] = len(outs)
            return [*outs, *residuals]

        whole = batched_body(run, self.flags, self.trace)
        flat = whole(*values)
        if whole.varied is not None:
            self.varied, self.kept = whole.varied[: shape["count"]], whole.varied[shape["count"] :]
        return flat[: shape["count"]], flat[shape["count"] :], lambda leaves: (leaves, shape["rebuild"])

    def backward(self, residuals, cts, avals, call=call_pullback):
        leaves, rebuild = residuals
        n = len(leaves)
        inner_avals = [_behind(a) if flag else a for a, flag in zip(avals, self.flags)]
        none = []

        def run(*flat):
            found = self.inner.backward(rebuild(list(flat[:n])), list(flat[n:]), inner_avals, call)
            none[:] = [c is None for c in found]
            return [0.0 if c is None else c for c in found]

        flags = (True,) * (n + len(cts)) if self.kept is None else (*self.kept, *(self.varied or ()))
        whole = batched_body(run, flags, self.trace)
        found = whole(*leaves, *cts)
        if whole.varied is not None:
            return [None if skip else self.trace.settled(c, flag, varied)
                    for c, skip, flag, varied in zip(found, none, self.flags, whole.varied)]
        return [None if skip else c if flag else c.sum(axis=0) for c, skip, flag in zip(found, none, self.flags)]


def _behind(aval):
    return make_aval(aval.shape[1:], aval.dtype)


def custom_vmap(trace, prim, args):
    """The call of a function with rules of its own on values with a batch axis."""
    record = args[-1]
    values, flags = trace.unbox(args[:-1])
    batched = (BatchedJvp if isinstance(record, JvpCall) else BatchedVjp)(record, flags, trace)
    return boxed_as(trace, prim.rebind((*values, batched)), batched)


class _Custom:
    """A function with rules of its own, and the arguments that they do not see."""

    __qualname__: str

    def __init__(self, fun, nondiff_argnums=(), nondiff_argnames=()):
        check_function(fun, type(self).__name__, "write @covector." + type(self).__name__ + " above a function")
        update_wrapper(self, fun)  # type: ignore[arg-type] # its stubs do not know callable objects
        self.fun = fun
        self.nondiff = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        if nondiff_argnames:
            self.nondiff += places_of(fun, nondiff_argnames)

    def __reduce_ex__(self, protocol):
        """By name, as a function is, where the name is its own."""
        return self.__qualname__ if is_named(self) else super().__reduce_ex__(protocol)

    def _run(self, prim, kind, functions, args, kwargs):
        """The output of a call, which is one `kind` of record bound to `prim`."""
        args = bound_arguments(self.fun, args, kwargs)
        static, call = split_static(args, self.nondiff)
        leaves, rebuild = flatten(tuple(call))
        record = kind(self, static, rebuild)
        # Weakly typed leaves came as Python numbers, and are numbers again inside, so that dtypes promote as without
        # rules.
        numbers = [isinstance(x, Tracer) and x.aval.weak for x in leaves]
        if True in numbers:
            record.numbers = numbers
        outs = _call(prim, settled(leaves), record, functions)
        return record.rebuild_out(outs)


class custom_jvp(_Custom):  # noqa: N801 - reads as a function
    """Give a function a custom forward rule; reverse mode transposes it.

    Args:
        fun: any function of pytrees of arrays.
        nondiff_argnums: positions of static arguments, which are passed to the rule first.
        nondiff_argnames: the same, by name.
    Methods:
        defjvp(rule): `rule(primals, tangents) -> (out, tangent_out)`, linear in the tangents. Arguments given by name
            and defaults are put in their places, so a rule sees all of them. Where the rule is transposed, in reverse
            mode, tangents are not known: Python control flow on them raises, and so does what is not linear in them.
        defjvps(*rules): one rule an argument, `rule(tangent, out, *primals)`, or None for zero.
    Raises:
        RuleError: a derivative is asked for before a rule is defined.
        TypeError: the rule returns no pair.
        TreeError: the tangents differ from the outputs in structure.

    >>> import numpy as np, covector
    >>> @covector.custom_jvp
    ... def f(x):
    ...     return np.sin(x)
    >>> @f.defjvp
    ... def _(primals, tangents):
    ...     return f(*primals), 2.0 * tangents[0]
    >>> float(covector.grad(f)(0.5))
    2.0
    """

    rule = None

    def defjvp(self, rule, symbolic_zeros=False):
        """Set the rule, and return it, for use as a decorator. Zero tangents are passed as arrays of zeros."""
        _no_symbolic_zeros(symbolic_zeros, "custom_jvp")
        check_function(rule, "defjvp", "give rule(primals, tangents) -> (out, tangent_out)")
        self.rule = rule
        return rule

    def defjvps(self, *rules):
        """Set one rule per argument; each returns its contribution to the tangent."""

        def rule(primals, tangents):
            if len(rules) != len(primals):
                raise TypeError(f"defjvps of {name_of(self.fun)} was given {len(rules)} rules, but the function has "
                                f"{len(primals)} arguments; give one rule per argument, None for zero{at_user_line()}")
            # By the function with its rules, not by its body: the output is differentiated by the rules again.
            out = self(*primals)
            leaves, rebuild = flatten(out)
            total = None
            for r, t in zip(rules, tangents):
                if r is not None:
                    part = r(t, out, *primals)
                    part = settled(same_structure(part, rebuild, len(leaves), "a rule of defjvps", "a tangent"))
                    total = part if total is None else [a + b for a, b in zip(total, part)]
            return out, rebuild([zeros_of(aval_of(v), v) for v in settled(leaves)] if total is None else total)

        self.rule = rule

    def __call__(self, *args, **kwargs):
        if self.rule is None:
            raise RuleError(f"custom_jvp of {name_of(self.fun)} has no rule; define one with "
                            f"@{name_of(self.fun)}.defjvp{at_user_line()}")
        return self._run(_custom_jvp, JvpCall, (self.fun, self.rule), args, kwargs)


class custom_vjp(_Custom):  # noqa: N801 - reads as a function
    """Give a function a custom reverse rule; forward mode transposes it.

    Args:
        fun: any function of pytrees of arrays.
        nondiff_argnums: positions of static arguments, which are passed to `bwd` first.
        nondiff_argnames: the same, by name.
    Methods:
        defvjp(fwd, bwd): `fwd(*args) -> (out, residuals)`, `bwd(residuals, ct) -> tuple`, one cotangent an argument
            (None for zero). Complex cotangents follow JAX: the plain transpose, without conjugate. In forward mode
            `bwd` is transposed, so there it must be linear in `ct`, and Python control flow on `ct` raises.
    Raises:
        RuleError: a derivative is asked for before the rules are defined.
        TypeError: `fwd` returns no pair, or `bwd` another number of cotangents than there are arguments.

    >>> import numpy as np, covector
    >>> @covector.custom_vjp
    ... def clip_gradient(x):
    ...     return x
    >>> clip_gradient.defvjp(lambda x: (x, None), lambda _, ct: (np.clip(ct, -1.0, 1.0),))
    >>> float(covector.grad(lambda x: 5.0 * clip_gradient(x))(0.5))
    1.0
    """

    fwd = bwd = lane = None

    def defvjp(self, fwd, bwd, symbolic_zeros=False, optimize_remat=False):
        """Set both rules. Zero cotangents are passed as arrays of zeros; `optimize_remat` is accepted as in JAX."""
        _no_symbolic_zeros(symbolic_zeros, "custom_vjp")
        for rule in (fwd, bwd):
            check_function(rule, "defvjp", "give fwd(*args) -> (out, residuals) and bwd(residuals, ct) -> tuple")
        self.fwd = fwd
        self.bwd = bwd
        self.lane = Lane(self)

    def __call__(self, *args, **kwargs):
        lane = self.lane
        if lane is not None and len(args) == lane.count and not kwargs and lane.fwd is self.fwd:
            out = lane.call(args)
            if out is not OTHERWISE:
                return out
        if self.fwd is None:
            raise RuleError(f"custom_vjp of {name_of(self.fun)} has no rules; define them with "
                            f"{name_of(self.fun)}.defvjp(fwd, bwd){at_user_line()}")
        return self._run(_custom_vjp, VjpCall, (self.fun, self.fwd, self.bwd), args, kwargs)


def _no_symbolic_zeros(asked, name):
    if asked:
        raise RuleError(f"{name} was asked for symbolic_zeros={asked!r}, but its rules receive zeros as arrays; omit "
                        f"it, and let the rule handle array zeros{at_user_line()}")


def _call(prim, leaves, record, functions):
    """The outputs of a call; traced values that the functions close over become operands first.

    Where every traced operand is one of `vmap` alone, no derivative by it is ever asked for: the function itself runs.
    """
    traced = [type(x) for x in leaves if isinstance(x, Tracer)]
    if traced and all(map(is_only_batched, leaves)):
        return record.body(*leaves)
    if traced and Staged not in traced and (closes_over_tracer(functions) or any(
            isinstance(x, Tracer) for _, value in record.static for x in flatten(value)[0])):
        graph, _ = stage(record.body, leaves, tuple, name_of(record.owner.fun), concrete=True)
        closed = record.closed(record, graph, [aval_of(x) for x in leaves])
        closed.hoist(leaves)
        return list(bind(prim, (*leaves, *closed.captured, closed)))
    return list(bind(prim, (*leaves, record)))


def _jvp_grad(trace, prim, args):
    """Reverse: run the rule with tangents that stand on the operands' nodes; what they record is the transpose."""
    record = args[-1]
    outer = getattr(trace, "linear", ())
    if record.owner in outer:  # a rule that applies its own function to a tangent, in which it is linear: by its body
        return tuple(record.body(*args[:-1]))
    values, mine = operands_of(trace, args[:-1])
    pushed = start_trace()
    pushed.linear = (*outer, record.owner)
    pushed.stands_in = True
    tangents = []
    for a, v, own in zip(args, values, mine):
        aval = aval_of(v)
        # Zeros at the operands' own nodes: the rule is linear in them, so only what it records matters.
        zero = zeros_of(aval, v)
        active = own and is_inexact(aval.dtype) and a.node is not None
        tangents.append(pushed.box(zero, aval, a.node) if active else zero)
    outs, found = record.transposable(values, tangents)
    found = [conform_tangent(t, aval_of(out)) if isinstance(t, Tracer) else t for out, t in zip(outs, found)]
    pushed.done = True
    trace.masked = trace.masked or pushed.masked
    if pushed.guards is not None:
        trace.guards = trace.guards or pushed.guards
        trace.guards.watched.update(pushed.guards.watched)
    return tuple([_with_road(trace, out, t, pushed) for out, t in zip(outs, found)])


def _jvp_ambient(trace, prim, args):
    """On values of the stateful layer: one node, whose pullback runs the function again, on what the operands held."""
    *operands, record = args
    values, mine = operands_of(trace, operands)

    def run(*flat):
        return prim.rebind((*flat, record))

    outs = list(run(*values))
    active = [i for i, (v, own) in enumerate(zip(values, mine))
              if own and is_inexact(aval_of(v).dtype) and operands[i].node is not None]
    if active and trace.recording:
        # Copies, since the pullback runs the function again, on what the operands held now.
        kept = [trace.keep(v) for v in values]
        out_avals = [aval_of(v) for v in outs]

        def back(cts, saved):
            return pull(run, kept, active, full_cotangents(cts, out_avals), trace.masked)

        outs = record_call(trace, outs, [operands[i].node for i in active], back, name_of(record.owner.fun))
    else:
        outs = [trace.box(v) for v in outs]
    tangents = [a.tangent if own else None for a, own in zip(operands, mine)]
    if any(t is not None for t in tangents):
        # Without tangents, else the rule would push these a second time.
        bare = [trace.box(a.value, a.aval, a.node) if own else a for a, own in zip(operands, mine)]
        pushed = record.rule(bare, instantiate(tangents, bare))[1]
        for out, t in zip(outs, pushed):
            out.tangent = conform_tangent(t, out.aval)
    return tuple(outs)


def _with_road(trace, out, t, pushed):
    """The output `out` with the node that its tangent recorded, and with the path of captured values, if any.

    An output may come from one call with its tangent, such as the jvp of a checkpoint, and be recorded with it.
    """
    out = strip(out, pushed)
    road = t.node if isinstance(t, Rev) and t.owner is pushed else None
    captured = out.node if isinstance(out, Rev) and out.owner is trace else None
    value = strip(out, trace)
    aval = aval_of(value)
    if not is_inexact(aval.dtype) or road is captured is None:
        return value
    node = make_node(BOTH, (road, captured), None) if road and captured else road or captured
    return trace.box(value, aval, node)


def _jvp_jvp(trace, prim, args):
    """Forward: the rule itself; a captured value's tangent is added."""
    record = args[-1]
    values, mine = operands_of(trace, args[:-1])
    tangents = instantiate([a.tangent if own else None for a, own in zip(args, mine)], values)
    seen = []

    def pushed(given):
        outs, found = record.rule(values, given)
        seen.append(outs)
        return found

    found = by_rows(pushed, tangents)
    return _dual(trace, seen[-1], found)


def _dual(trace, outs, found):
    """The outputs of a forward rule with their tangents; a captured value's tangent is added."""
    result = []
    for out, t in zip(outs, found):
        t = strip(t, trace)
        if isinstance(out, Dual) and out.owner is trace:
            t = t + out.tangent
        result.append(trace.box(strip(out, trace), t))
    return tuple(result)


def _vjp_grad(trace, prim, args):
    """Reverse: fwd one level down; its residuals are saved, and bwd runs in the sweep."""
    record = args[-1]
    values, mine = operands_of(trace, args[:-1])
    active = [i for i, (v, own) in enumerate(zip(values, mine))
              if own and is_inexact(aval_of(v).dtype) and args[i].node is not None]
    outs, residuals, rebuild = record.forward(values, active)
    if not active:
        return tuple(outs)
    residuals = [trace.keep(strip(r, trace)) for r in residuals]
    avals = [aval_of(v) for v in values]
    out_avals = [aval_of(v) for v in outs]

    def back(cts, saved):
        # The user's convention is JAX's, the plain transpose; ours is the conjugate one. So both ends are conjugated.
        given = [conjugated(c) for c in full_cotangents(cts, out_avals)]
        found = record.transposable(rebuild(residuals), given, avals)
        return [None if found[i] is None else fix(conjugated(strip(found[i], trace)), avals[i]) for i in active]

    return tuple(record_call(trace, outs, [args[i].node for i in active], back, name_of(record.owner.fun)))


def _vjp_jvp(trace, prim, args):
    """Forward: bwd is linear in its cotangents; its transpose is the map of tangents."""
    record = args[-1]
    values, mine = operands_of(trace, args[:-1])
    if record.pushes:
        return _dual(trace, *record.push(values, [a.tangent if own else None for a, own in zip(args, mine)]))
    outs, residuals, rebuild = record.forward(values, [i for i, own in enumerate(mine) if own])
    residuals = [strip(r, trace) for r in residuals]
    avals = [aval_of(v) for v in values]
    out_avals = [aval_of(v) for v in outs]
    live = [k for k, a in enumerate(out_avals) if is_inexact(a.dtype)]
    # `bwd` is linear in the cotangents, so its transpose is the same at every point: zeros are as good as any.
    zeros = full_cotangents([None] * len(outs), out_avals, outs)

    def transposed(*cts):
        found = record.transposable(rebuild(residuals), list(cts), avals)
        return [found[i] if found[i] is not None else zeros_of(avals[i], *values)
                for i, own in enumerate(mine) if own]

    tangents = [conjugated(a.tangent) for a, own in zip(args, mine) if own]
    found = dict(zip(live, pull(transposed, zeros, live, tangents, stands_in=True)))
    result = []
    for k, out in enumerate(outs):
        t = found.get(k)
        t = None if t is None else fix(conjugated(strip(t, trace)), out_avals[k])
        if isinstance(out, Dual) and out.owner is trace:
            t = out.tangent if t is None else t + out.tangent
        result.append(trace.box(strip(out, trace), t))
    return tuple(result)


def _custom_graph(trace, prim, args):
    """Stage: the body becomes a graph; values it closes over become operands, differentiated by ordinary rules."""
    record = args[-1]
    lifted = [trace.lift(a) for a in args[:-1]]
    avals = [x.aval for x, _ in lifted]
    graph, _ = stage(record.body, avals, tuple, prim.name, like=args[:-1])
    closed = record.closed(record, graph, avals)
    if above(trace, graph.captured):
        record.rebuild_out = record.rebuild_out or list
        return prim.rebind((*args[:-1], *graph.captured, closed))
    lifted += [trace.lift(c) for c in graph.captured]
    values = prim.rebind((*[v for _, v in lifted], closed)) if trace.concrete else None
    outs = trace.emit(prim, [x for x, _ in lifted], (closed,), graph.out_avals, values)
    record.rebuild_out = record.rebuild_out or list
    return tuple(as_numbers(outs, graph.weak))


_custom_jvp = higher_order(
    "custom_jvp",
    impl=lambda xp, *xs, record: tuple(record.body(*xs)),
    handlers={"grad": _jvp_grad, "jvp": _jvp_jvp, "vmap": custom_vmap, "graph": _custom_graph,
              "ambient": _jvp_ambient},
).prim
_custom_vjp = higher_order(
    "custom_vjp",
    impl=lambda xp, *xs, record: tuple(record.body(*xs)),
    only="vjp",
    handlers={"grad": _vjp_grad, "jvp": _vjp_jvp, "vmap": custom_vmap, "graph": _custom_graph},
).prim
