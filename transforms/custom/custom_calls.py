"""One call of a function with custom rules, on flat values: eager, and closed into graphs."""

from contextvars import ContextVar
from functools import partial

import numpy as np

from ...core.arrays.avals import WEAK, aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.errors import ConversionError, DtypeError, RuleError, ShapeError, TreeError, at_user_line
from ...core.ops.selection import where
from ...core.tape.scatter import lent
from ...core.tape.strong_zeros import CHOICES, holds_nan, may_have_zeros
from ...core.trace.buffers import identity
from ...core.trace.device import zeros_of
from ...core.trace.tracer import Staged, Tracer, leniently, unwrap
from ...core.types import Any, Callable
from ..arguments.arguments import NAMESPACE, described, first, flatten, only_leaf, optree, settle, structure
from ..interpreters.forward import jvp, start_dual
from ..scope.errstate import quiet
from ..staging.bodies import conjugated, pull, push
from ..staging.graph import as_numbers
from ..staging.staging import apply_linear, stage, stands_in, unknown
from .by_rows import by_rows

# Whether a pullback is being pushed along its cotangent: those inside it run as they are, or one that calls itself
# would be pushed without end.
_PUSHING = ContextVar("covector_pushing", default=False)


def name_of(fun):
    """The name of a user's function in messages."""
    return getattr(fun, "__name__", "the function")


def settled(leaves):
    """Leaves with buffers read."""
    return [settle(x) for x in leaves]


def _with_static(static, args):
    full = list(args)
    for k, value in static:
        full.insert(k, value)
    return full


class _Call:
    """One call of a function with custom rules, on flat values."""

    closed: Any  # the call inside a graph
    rebuild: Any
    rebuild_out: Any

    def __init__(self, owner, static, rebuild):
        self.owner = owner
        self.static = static
        self.rebuild = rebuild
        self.rebuild_out = None
        self.numbers = None  # which leaves are traced Python numbers, if one is

    def rule_name(self, which):
        """The name of a rule in messages."""
        return f"the {which} rule of {name_of(self.owner.fun)}"

    def given(self, values):
        """The function's arguments with their values."""
        return self.rebuild(list(values) if self.numbers is None else as_numbers(values, self.numbers))

    def body(self, *values):
        """The function on flat values, without its rules."""
        outs, self.rebuild_out = flatten(self.owner.fun(*_with_static(self.static, self.given(values))))
        return settled(outs)


class JvpCall(_Call):
    def transposable(self, values, tangents):
        """The result of `rule`, where some tangents only stand in for those that come out of its transpose."""
        live = [k for k, t in enumerate(tangents) if stands_in(t)]

        def run(*given):
            full = list(tangents)
            for k, t in zip(live, given):
                full[k] = t
            outs, pushed = self.rule(values, full)
            return [*outs, *pushed]

        flat = apply_linear(run, [tangents[k] for k in live], "tangent", self.rule_name("jvp"), True)
        return flat[: len(flat) // 2], flat[len(flat) // 2 :]

    def rule(self, values, tangents):
        """`(outs, tangents)` by the user's rule, flat and checked."""
        primals = self.given(values)
        given = self.rebuild(list(tangents))
        result = leniently(self.owner.rule, *[v for _, v in self.static], tuple(primals), tuple(given))
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError(f"the jvp rule of {name_of(self.owner.fun)} must return (out, tangent_out), "
                            f"but returned {type(result).__name__}; return the pair{at_user_line()}")
        outs, self.rebuild_out = flatten(result[0])
        outs = settled(outs)
        pushed, rebuild = flatten(result[1])
        pushed = settled(pushed)
        # Comparing the functions that rebuild is quick; two that differ may still be of one structure.
        same = rebuild == self.rebuild_out or structure(result[0]) == structure(result[1])
        if len(pushed) != len(outs) or not same:
            raise TreeError(f"the jvp rule of {name_of(self.owner.fun)} must return a tangent with the structure "
                            f"{described(result[0])} of its output, but returned {described(result[1])}"
                            f"; return one tangent for each output{at_user_line()}")
        for out, t in zip(outs, pushed):
            if aval_of(t).shape != aval_of(out).shape:
                raise ShapeError(f"the jvp rule of {name_of(self.owner.fun)} must return a tangent of shape "
                                 f"{aval_of(out).shape} like its output, but returned {aval_of(t).shape}"
                                 f"; multiply the tangent by the derivative and keep its shape{at_user_line()}")
            if aval_of(t).dtype.kind == "c" != aval_of(out).dtype.kind and not aval_of(t).weak:
                raise DtypeError(f"the jvp rule of {name_of(self.owner.fun)} must return a real tangent like its "
                                 f"output of dtype {aval_of(out).dtype}, but returned {aval_of(t).dtype}; take its "
                                 f"real part where that is meant{at_user_line()}")
        return outs, pushed


def call_pullback(rule: Callable[..., Any], *args: Any) -> Any:
    """Call a pullback of the user's, whose last argument is the cotangent, with strong zeros.

    It is linear, so pushed forward along the cotangent it gives the same again, operation by operation: that replaces
    the NaN of zeros which met infinities. Where it cannot be traced, what it gave stays.

    Args:
        rule: the pullback; it may compute with values of a transform that has finished.
        args: what it takes, cotangents last.
    Returns:
        what it returns.

    >>> import numpy as np
    >>> from covector._primitives import call_pullback
    >>> with np.errstate(invalid="ignore"):
    ...     call_pullback(lambda x, ct: (ct * x,), np.array([np.inf, 2.0]), np.array([0.0, 1.0]))
    (array([0., 2.]),)
    """
    found = leniently(rule, *args)
    leaves, rebuild = flatten(found)
    *head, cts = args
    # Where no cotangent has a zero, NaN is the user's own and not of a zero that met an infinity.
    if _PUSHING.get() or not any(map(holds_nan, leaves)) or not any(map(may_have_zeros, flatten(cts)[0])):
        return found

    def again(leaves, cts):
        try:
            _PUSHING.set(True)
            pushed = jvp(lambda cts: leniently(rule, *head, cts), (cts,), (cts,))[1]
        finally:
            _PUSHING.set(False)
        # `c != c` holds for NaN: those elements that the second run has as numbers are taken from it.
        return [where((c != c) & (t == t), t, c) for c, t in zip(leaves, flatten(pushed)[0])]

    try:
        with quiet():  # what looks at the cotangents here keeps the rule linear
            lost = [(c != c).any() for c in leaves if hasattr(c, "dtype")]
            # Known now, Python decides; traced, a branch does, so that the second run costs nothing where there is no
            # NaN.
            if all(unwrap(x) is not None for x in lost):
                return rebuild(again(leaves, cts))
            return rebuild(CHOICES["cond"](sum(lost) > 0, again, lambda leaves, cts: leaves, leaves, cts))
    except (ConversionError, RuleError, DtypeError):
        return found


class VjpCall(_Call):
    pushes = False  # whether there is a forward rule, `push(values, tangents) -> (outs, tangents)`, None for zero

    def forward(self, values, active=None):
        """`(outs, residual leaves, rebuild residuals)` by the user's fwd; cotangents will be asked of `active`."""
        return self.taken(self.owner.fwd(*_with_static(self.static, self.given(values))))

    def taken(self, result):
        """The results of a user's fwd, flat and checked."""
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError(f"the fwd rule of {name_of(self.owner.fun)} must return (out, residuals), "
                            f"but returned {type(result).__name__}; return the pair, with None for no residuals"
                            f"{at_user_line()}")
        outs, self.rebuild_out = flatten(result[0])
        residuals, rebuild = flatten(result[1])
        return settled(outs), settled(residuals), rebuild

    def transposable(self, residuals, cts, avals):
        """The result of `backward`; where cotangents only stand in for those that come out of its transpose, staged."""
        live = [k for k, c in enumerate(cts) if stands_in(c)]
        if not live:
            return by_rows(lambda given: self.backward(residuals, given, avals), cts)
        none = []

        def run(*given):
            full = list(cts)
            for k, c in zip(live, given):
                full[k] = c
            found = self.backward(residuals, full, avals, leniently)  # the transpose has strong zeros of its own
            # None is no output of a graph: zeros stand in for it, and are dropped again below.
            none[:] = [c is None for c in found]
            return [0.0 if c is None else c for c in found]

        found = apply_linear(run, [cts[k] for k in live], "cotangent", self.rule_name("bwd"))
        return [None if skip else c for c, skip in zip(found, none)]

    def backward(self, residuals, cts, avals, call=call_pullback):
        """Flat cotangents of the arguments by the user's bwd, in the user's convention; None for zero."""
        return self.checked(
            call(self.owner.bwd, *[v for _, v in self.static], residuals, self.rebuild_out(list(cts))), avals)

    def checked(self, result, avals):
        """The results of a user's bwd, flat and checked."""
        if isinstance(result, list):
            result = tuple(result)
        # Zeros in place of the arguments: only their structure is asked for.
        parts = self.rebuild([0] * len(avals))
        if not isinstance(result, tuple) or len(result) != len(parts):
            given = f"{len(result)}" if isinstance(result, tuple) else type(result).__name__
            raise TypeError(f"the bwd rule of {name_of(self.owner.fun)} must return a tuple of {len(parts)} "
                            f"cotangents, one per argument, but returned {given}; of one argument write return (ct,), "
                            f"and None for zero{at_user_line()}")
        flat = []
        for part, ct in zip(parts, result):
            try:
                flat += _like(part, ct)
            except ValueError:
                raise TreeError(f"the bwd rule of {name_of(self.owner.fun)} must return cotangents with the structure "
                                f"of the arguments, {described(part)}, or None for zero, but returned "
                                f"{described(ct)}; give one pytree per argument{at_user_line()}") from None
        for k, (ct, aval) in enumerate(zip(flat, avals)):
            if ct is not None and aval_of(settle(ct)).shape != aval.shape:
                raise ShapeError(f"the bwd rule of {name_of(self.owner.fun)} must return a cotangent of shape "
                                 f"{aval.shape} for argument leaf {k}, but returned {aval_of(settle(ct)).shape}"
                                 f"; sum over the axes along which the argument was broadcast{at_user_line()}")
        return [np.asarray(ct) if type(ct) in WEAK else None if ct is None else lent(settle(ct)) for ct in flat]


def _like(part, ct):
    """Leaves of a cotangent with the structure of `part`, None for each leaf where it has None."""
    leaves, rebuild = flatten(ct)
    # A single leaf on both sides: nothing to match.
    if flatten(part)[1] is first and (rebuild is first or only_leaf(ct)[1] is not None):
        return leaves
    flat = []

    def take(c, below):
        leaves, rebuild = flatten(below)
        if c is not None and (len(leaves) != 1 or leaves[0] is not below):
            raise ValueError
        flat.extend([c] * len(leaves))

    optree.tree_map_(take, ct, part, none_is_leaf=True, namespace=NAMESPACE)
    return flat


def lasting(record, values, residuals, rebuild, active=None):
    """Residuals that can leave the trace they were made in: a pullback among them is made again from the operands."""
    if all(isinstance(r, Tracer) or hasattr(r, "dtype") or type(r) in WEAK for r in residuals):
        return residuals, rebuild

    def again(kept):
        _, residuals, rebuild = record.forward(kept, active)
        return rebuild(residuals)

    return list(values), again


def _check_answers(fun, rule, found, avals):
    """Raise unless a rule's outputs are like those of its function."""
    if len(found) != len(avals) or any(f.shape != a.shape for f, a in zip(found, avals)):
        raise TreeError(f"the {rule} rule of {name_of(fun)} must return the output of the function, "
                        f"{', '.join(map(repr, avals))}, but returned {', '.join(map(repr, found))}; "
                        f"return the same in both{at_user_line()}")


class _Closed:
    """A call whose body is a graph; each rule becomes one when it is first needed, or at once while hoisting.

    The operands behind the first `count` are values that body or rules closed over, differentiated as usual.
    """

    rebuild_out: Any

    def __init__(self, record, graph, avals):
        self.record = record
        self.owner = record.owner
        self.graph = graph
        self.avals = avals
        self.count = len(avals)
        self.rebuild_out = list
        self.staged = {}
        self.captured = list(graph.captured)

    def body(self, *values):
        head = values[: self.count]
        return self.graph.eval([*head, *values[self.count : self.count + len(self.graph.captured)]])

    def close(self, fun, avals, name, hoist=None, like=None):
        """`fun` as a graph, and the places of its captured values among ours; `hoist` holds known inputs, if any."""
        if name not in self.staged:
            known = avals if hoist is None else hoist
            graph, outs = stage(fun, known, tuple, name_of(self.owner.fun), concrete=hoist is not None, like=like)
            order = {identity(t): k for k, t in enumerate(self.captured)}
            places = []
            for tracer in graph.captured:
                key = identity(tracer)
                if key not in order and hoist is not None:
                    order[key] = len(self.captured)
                    self.captured.append(tracer)
                elif key not in order and isinstance(tracer, Staged):
                    raise RuleError(
                        f"the {name} rule of {name_of(self.owner.fun)} closes over a staged value that the function "
                        "itself does not use, so it is unknown when the graph is differentiated; pass it as an argument"
                    )
                places.append(order.get(key, tracer))
            self.staged[name] = graph, places, outs
        return self.staged[name]

    def run(self, closed, head, captured):
        graph, places, _ = closed
        return graph.eval([*head, *[captured[p] if type(p) is int else p for p in places]])


class _ClosedJvp(_Closed, JvpCall):
    def _both(self, *flat):
        outs, pushed = self.record.rule(list(flat[: self.count]), list(flat[self.count :]))
        _check_answers(self.owner.fun, "jvp", [aval_of(v) for v in outs], self.graph.out_avals)
        return [*outs, *pushed]

    def hoist(self, leaves):
        """Stage the rule now, to learn what it closes over."""
        self.close(self._both, None, "jvp", hoist=[*leaves, *unknown(leaves, "tangent", self.rule_name("jvp"))])

    def rule(self, values, tangents):
        n = self.count
        closed = self.close(self._both, [*self.avals, *self.avals], "jvp", like=values)
        flat = self.run(closed, [*values[:n], *tangents[:n]], values[n:])
        outs, pushed = flat[: len(flat) // 2], flat[len(flat) // 2 :]
        # Captured values are operands behind the first `n`, which the rule does not know: the body pushes their
        # tangents.
        if len(values) > n:
            extra = push(lambda *tail: self.body(*values[:n], *tail), values[n:], tangents[n:], start_dual)[1]
            pushed = [t if e is None else t + e for t, e in zip(pushed, extra)]
        return outs, pushed


class _ClosedVjp(_Closed, VjpCall):
    def __init__(self, record, graph, avals):
        _Closed.__init__(self, record, graph, avals)
        self.rebuild = None

    def _fwd(self, *flat):
        outs, residuals, rebuild = self.record.forward(list(flat))
        _check_answers(self.owner.fun, "fwd", [aval_of(v) for v in outs], self.graph.out_avals)
        residuals, self.rebuild = lasting(self.record, flat, residuals, rebuild)
        return [*outs, *residuals]

    def _bwd(self, *flat, call=call_pullback):
        m = len(flat) - len(self.graph.outputs)
        found = self.record.backward(self.rebuild(list(flat[:m])), list(flat[m:]), self.avals, call)
        return [zeros_of(a, *flat) if c is None else c for c, a in zip(found, self.avals)]

    def hoist(self, leaves):
        """Stage fwd and bwd now, to learn what they close over."""
        known = self.close(self._fwd, None, "fwd", hoist=leaves)[2]
        outs = len(self.graph.outputs)
        cts = unknown(known[:outs], "cotangent", self.rule_name("bwd"))
        self.close(self._bwd, None, "bwd", hoist=[*known[outs:], *cts])

    def forward(self, values, active=None):
        closed = self.close(self._fwd, self.avals, "fwd", like=values)
        flat = self.run(closed, values[: self.count], values[self.count :])
        outs = len(self.graph.outputs)
        # The operands are residuals as well: `backward` pulls through the body for those that were captured.
        return flat[:outs], [*flat[outs:], *values], lambda leaves: leaves

    def backward(self, residuals, cts, avals, call=call_pullback):
        n, total = self.count, len(avals)
        kept, values = residuals[: len(residuals) - total], residuals[len(residuals) - total :]
        given = [*self.staged["fwd"][0].out_avals[len(self.graph.outputs) :], *self.graph.out_avals]
        # Two graphs: transposes have strong zeros of their own, so theirs is staged without those of the pullback.
        closed = self.close(partial(self._bwd, call=call), given, "bwd" if call is call_pullback else "transpose",
                            like=cts)
        found = self.run(closed, [*kept, *cts], values[n:])
        active = [i for i in range(n, total) if is_inexact(avals[i].dtype)]
        if active:
            more = dict(zip(active, pull(self.body, values, active, [conjugated(c) for c in cts])))
            found += [None if more.get(i) is None else conjugated(more[i]) for i in range(n, total)]
        else:
            found += [None] * (total - n)
        return found


JvpCall.closed = _ClosedJvp
VjpCall.closed = _ClosedVjp
