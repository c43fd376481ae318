"""Reverse mode: the trace that records nodes."""

import numpy as np

from ...core.arrays.avals import WEAK, aval_of
from ...core.arrays.backend import find_backend
from ...core.arrays.dtypes import is_inexact
from ...core.primitive.primitive import below, take_operands
from ...core.tape.recording import make_node
from ...core.tape.tape import Partial, Rule, ready_leaf
from ...core.trace.buffers import snapshot
from ...core.trace.tracer import Rev, Staged, Trace, Tracer, check_alive
from .mutation_guards import COPY_LIMIT, Guards

ndarray = np.ndarray
_NUMBERS = frozenset({int, float, bool})


class RevTrace(Trace):
    """Records what is computed from its inputs as nodes."""

    __slots__ = ("guards", "linear", "stands_in")
    kind = "grad"
    tracer = Rev
    node = staticmethod(make_node)
    leaf = staticmethod(ready_leaf)

    def __init__(self):
        Trace.__init__(self)
        self.guards = None
        self.linear = ()  # the functions whose custom_jvp rules run on tangents of this trace
        self.stands_in = False  # whether its inputs' values only stand in for those of a map that is transposed

    def process(self, prim, args, known=None):
        if prim.flat and prim.elementwise:  # derivatives pass it by, also those of a trace that has finished
            return prim.rebind([below(x) if isinstance(x, Tracer) and x.owner is self else x for x in args]) \
                if known is None else known
        if self.done:
            check_alive(self, prim)
        if prim.handlers is not None:
            return prim.handlers[self.kind](self, prim, args)
        values, mine, weak = take_operands(self, prim, args)
        if prim.flat or not mine:
            return prim.rebind(values) if known is None else known
        n = len(args) - len(prim.params)
        active = tuple(mine)
        fixes = None
        if n < 3 or type(values[active[0]]) is Staged:  # of three operands no lane takes real forms
            avals = [a.aval.strong if isinstance(a, Tracer) else aval_of(a) for a in args[:n]]
            fixes = real_fixes(prim, active, avals, prim.shape(avals, args[n:]) if prim.elementwise else None)
        rule = prim.rule(active, fixes is not None, fixes or None)
        for i in range(n):
            if isinstance(values[i], (ndarray, Tracer)) and values[i] is args[i]:
                if prim.variadic or prim.operands[i] in rule.names:
                    values[i] = self.keep(values[i])
        ans = prim.rebind(values) if known is None else known
        if fixes is not None and type(values[active[0]]) is ndarray:  # which cast nothing: a number is of the dtype
            of = args[active[0]].aval
            values = [of.const(v) if type(v) in _NUMBERS else v for v in values[:n]] + values[n:]
        out = self.record(prim, rule, active, args, values, ans, n)
        if weak and isinstance(out, Tracer):
            out.aval = WEAK[complex if out.aval.dtype.kind == "c" else float]
        return out

    def record(self, prim, rule, active, args, values, ans, n):
        """The tracer(s) of an output and its node."""
        if prim.zeros:
            self.masked = True
        if rule.collect is None:
            saved = None
        elif prim.variadic:
            avals = tuple([a.aval if isinstance(a, Tracer) else aval_of(a) for a in args[:n]])
            saved = rule.collect((tuple(values[:n]), *values[n:], ans, avals, answer_avals(ans)))
        else:
            saved = rule.collect((*values, ans, *[aval_of(a) for a in args[:n]], answer_avals(ans)))
        parents = args[active[0]].node if len(active) == 1 else tuple([args[i].node for i in active])
        if prim.outputs is None:
            aval = aval_of(ans)
            if not is_inexact(aval.dtype):
                return ans
            return self.box(ans, aval, self.node(rule, parents, saved))
        node = self.node(rule, parents, saved)
        return self.pick(ans, node)

    def pick(self, answers, node):
        """One tracer for each differentiable output of a node with several."""
        count = len(answers)
        out = []
        for k, v in enumerate(answers):
            aval = aval_of(v)
            if is_inexact(aval.dtype):
                v = self.box(v, aval, self.node(pick_rule(count, k), node, None))
            out.append(v)
        return tuple(out)

    def box(self, value, aval, node):
        """A tracer of this trace."""
        out = self.tracer()
        out.owner = self
        out.value = value
        out.aval = aval
        out.node = node
        return out

    def keep(self, value):
        """A user's array, safe to save: small ones copied, large ones fingerprinted; a tracer in its own object."""
        if type(value) is ndarray or isinstance(value, ndarray) and find_backend(type(value)) is not None:
            if value.nbytes <= COPY_LIMIT:
                return np.array(value)
            if self.guards is None:
                self.guards = Guards()
            self.guards.watch(value)
            return value
        if isinstance(value, Tracer):
            return snapshot(value)
        return value

    @property
    def large(self):
        """Tell whether a large array was kept."""
        return self.guards is not None and self.guards.large

    def check_guards(self):
        """Raise if a watched array was written to since it was recorded."""
        if self.guards is not None:
            self.guards.check("the pullback", "call the pullback first")


def real_fixes(prim, active, avals, ans):
    """The `active` operands that were broadcast, where the real forms of the rules hold; None where they do not.

    They hold for native floats of one dtype, beside numbers; of what is not elementwise where its rules cast nothing,
    or of matrices. `ans` is the aval of the output of an elementwise operation: of two real operands it may be complex.
    """
    of = avals[active[0]]
    dtype = of.dtype
    if not of.plain:
        return None
    for i, a in enumerate(avals):
        if a.dtype is not dtype and not a.weak and i not in prim.nondiff:
            return None
    if prim.elementwise:
        return tuple([i for i in active if avals[i].shape != ans.shape]) if ans.dtype is dtype else None
    if prim.exact or prim.vjp.real is not prim.vjp and not prim.params and max([a.ndim for a in avals]) <= 2:
        return ()
    return None


def answer_avals(ans):
    """The avals of several outputs; None for a bare one, whose aval is asked elsewhere."""
    return tuple([aval_of(v) for v in ans]) if type(ans) is tuple else None


_PICKS = {}


def pick_rule(count: int, k: int) -> Rule:
    """The rule that picks one output of a node with several; cached.

    Args:
        count: how many outputs the node has.
        k: which of them.
    Returns:
        a rule without operation, whose pullback puts the cotangent in place `k`.

    >>> from covector._interpreters import pick_rule
    >>> pick_rule(2, 1).back(3.0, None).dense()
    (None, 3.0)
    """
    rule = _PICKS.get((count, k))
    if rule is None:
        rule = Rule()
        rule.prim = None
        rule.names, rule.active, rule.origins = ("pick",), (k,), ()
        rule.collect = None
        rule.keeps = rule.lazy = rule.masks = False
        rule.back = rule.strong = lambda ct, saved: Partial(count, k, ct)
        if len(_PICKS) > 256:
            _PICKS.clear()
        _PICKS[count, k] = rule
    return rule
