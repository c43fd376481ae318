"""Reverse mode: the trace that records nodes, and the one sweep that every driver uses."""

from heapq import heappop, heappush

import numpy as np

from ...core.arrays.avals import WEAK, aval_of
from ...core.arrays.backend import find_backend
from ...core.arrays.dtypes import is_inexact
from ...core.arrays.ufunc_dispatch import FORMS, MANY
from ...core.primitive.primitive import take_operands
from ...core.tape.lazy_cotangents import BASES, Units
from ...core.tape.node_pool import POOLED, SPARE
from ...core.tape.scatter import LAZY, Scatter, accumulate, add_pending, apart_from, push_pending
from ...core.tape.strong_zeros import may_have_zeros
from ...core.tape.tape import (
    FREED,
    Node,
    Partial,
    Rule,
    make_node,
    note_zeros,
    ready_leaf,
)
from ...core.trace.buffers import snapshot
from ...core.trace.tracer import Rev, Staged, Trace, Tracer, check_alive
from ...core.types import Any
from .blocks import sweep_region
from .mutation_guards import COPY_LIMIT, LARGE, Guards

ndarray = np.ndarray
_SCALARS = frozenset({np.float64, np.float32})  # what operators give of 0-d arrays
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
        if self.done:
            check_alive(self, prim)
        if prim.handlers is not None:
            return prim.handlers[self.kind](self, prim, args)
        values, mine, weak = take_operands(self, prim, args)
        if prim.flat or not mine:
            return prim.rebind(values) if known is None else known
        n = len(args) - len(prim.params)
        active = tuple(mine)
        rule = prim.rule(active, type(values[active[0]]) is Staged and _is_plain(prim, active, args, n))
        for i in range(n):
            if isinstance(values[i], (ndarray, Tracer)) and values[i] is args[i]:
                if prim.variadic or prim.operands[i] in rule.names:
                    values[i] = self.keep(values[i])
        ans = prim.rebind(values) if known is None else known
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


def _is_plain(prim, active, args, n):
    """Tell whether the real forms of the rules hold: native floats of one dtype, in and out, none cast or broadcast."""
    operands = args[:n]
    first = operands[active[0]].aval
    if not first.plain or prim.variadic:
        return False
    if not prim.elementwise and (len(operands) != 2 or prim.params or prim.vjp.real is prim.vjp):
        return False
    for i, a in enumerate(operands):
        if type(a) in _NUMBERS:
            continue
        aval = a.aval if isinstance(a, Tracer) else aval_of(a)
        if i not in prim.nondiff and (aval.dtype is not first.dtype or aval.weak is not first.weak):
            return False
        if not prim.elementwise:
            fits = aval.ndim <= 2
        elif i in active:
            fits = aval.shape == first.shape
        else:
            fits = aval.shape == first.shape or aval.ndim <= first.ndim and all(
                m == n or m == 1 for m, n in zip(aval.shape[::-1], first.shape[::-1]))
        if not fits:
            return False
    if not prim.elementwise:
        return True
    avals = [a.aval if isinstance(a, Tracer) else aval_of(a) for a in operands]
    return prim.shape(avals, args[n:]).dtype is first.dtype  # of two real operands it may be complex


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

    >>> from covector._engine import pick_rule
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


def sweep(
    roots: list[tuple[Node, Any]],
    count: Any,
    *,
    masked: bool = False,
    large: bool = False,
    retain: bool = False,
    drive: Any = None,
) -> Any:
    """Push cotangents from `roots` to the leaves: newest node first, iteratively, linear in the graph.

    Args:
        roots: `[(node, ct), …]`.
        count: how many leaves, whose `saved` is their index; or a dict to fill, keyed by what leaves saved.
        masked: structural zeros may occur, so rules use strong zeros: where `roots` have no zeros, from the newest node
            on whose pullback makes some.
        large: there may be large arrays, whose elementwise operations are swept in blocks.
        retain: keep what the nodes saved, so that the graph can be swept again.
        drive: what the nodes of a subclass are given: `node.run_in_sweep(ct, drive)` returns the cotangent(s) of its
            parents, or None to end this path (the stateful layer runs hooks there, frees what was saved, fills
            `.grad`); `drive.masked` says whether zeros are strong. Where `drive.plain`, and `drive.needed` is None,
            nodes without `extra` are run here, unless they are older (of a larger number) than the one in
            `drive.checked`, so that saved values must be looked at.
    Returns:
        the leaf cotangents (None where nothing arrived).
    Raises:
        MutationError: an array that a rule saved was written to since.

    >>> from covector._engine import make_leaf, make_node, sweep
    >>> from covector.extend import REGISTRY
    >>> node = make_node(REGISTRY["negative"].rule((0,), plain=True), make_leaf(0), None)
    >>> sweep([(node, 2.0)], 1)
    [-2.0]
    """
    if FORMS.waiting is not None:
        FORMS.count(MANY)
    results: Any = [None] * count if type(count) is int else count
    pending = {}  # node number -> [node, cotangent so far, whether to add in place, whether nobody else has its memory]
    heap = []
    special = large
    plain = drive is not None and drive.plain and drive.needed is None
    checked = drive.checked if plain else (1,)
    retain = drive.retain if plain else retain
    spent = POOLED and drive is None and not retain  # the trace ends with this sweep
    awaited = masked and not large  # the newest node with structural zeros is yet to come
    node: Any
    for node, ct in roots:
        special = special or type(ct) is Units
        awaited = awaited and not may_have_zeros(ct)
        push_pending(pending, heap, node, ct)
    masked = masked and not awaited
    if drive is not None:
        drive.masked = masked
    roots.clear()  # the caller must not keep the newest node alive, and with it the whole graph
    get = pending.get
    keep_spare = SPARE.append
    first = None
    while heap:
        entry = None  # it would keep alive what is popped
        node, ct, added, mine = pending.pop(heappop(heap))
        mine = mine or added
        while True:
            rule = node.rule
            kind = type(ct)
            if kind is not ndarray and (kind is Partial or kind is Scatter and (rule is None or not rule.lazy)):
                ct = ct.dense()
                mine = kind is Scatter
            if type(node) is Node:
                if rule is None:
                    results[node.saved] = ct.dense() if kind in BASES else ct
                    break
                saved = node.saved
                parents = node.parents
                if special:
                    if kind in BASES:
                        c = ct.through(node, masked)
                        if c is not None:
                            node = saved = parents = ct = None
                            while c:
                                push_pending(pending, heap, *c.pop())
                            break
                        ct = ct.dense()
                    if large and kind is ndarray and rule.pointwise and ct.nbytes >= LARGE:
                        entry = saved = parents = None
                        if sweep_region(node, ct, pending, heap, masked):
                            node = ct = None
                            break
                        saved = node.saved
                        parents = node.parents
                if spent:
                    node.rule = node.parents = node.saved = None
                    keep_spare(node)
                node = None
                if awaited and rule.masks:
                    awaited = False
                    masked = True
                c = rule.strong(ct, saved) if masked else rule.back(ct, saved)
                ct = None
            elif plain and rule is not None and node.extra is None and not (rule.keeps and node.seq > checked[0]) and (
                    kind is ndarray or kind is Scatter or kind in _SCALARS):
                saved = node.saved
                if saved is FREED:
                    node.run_in_sweep(ct, drive)  # raises
                if not retain and rule.keeps:
                    node.saved = FREED
                parents = node.parents
                if awaited and rule.masks:
                    awaited = False
                    masked = drive.masked = True
                c = rule.strong(ct, saved) if masked else rule.back(ct, saved)
                node = None
            else:
                if plain:
                    drive.mine = mine
                    drive.ruled = False
                if awaited and rule is not None and rule.masks:
                    awaited = False
                    masked = drive.masked = True
                if masked and not plain:
                    note_zeros(ct)
                c = node.run_in_sweep(ct, drive)
                if c is None:
                    break
                parents = node.parents
                if not plain or not drive.ruled:
                    ct = None
                    mine = False  # users may have seen it, or made it
            node = saved = None  # what is still needed of them, others hold; a `ct` means that a rule made `c` of it
            if type(parents) is tuple:
                if len(parents) == 2:
                    first, parents = parents
                    c, other = c
                    mine = (ct is not None and c is not other and c is not ct and other is not ct and type(c) is ndarray
                            and type(other) is ndarray and c.base is None and other.base is None)
                    ct = None
                    seq = parents.seq
                    if parents is first:  # x * x: one contribution, no detour over the heap
                        if c is not None and other is not None:
                            c = c + other if type(c) is ndarray and type(other) is ndarray else accumulate(c, other)
                        elif c is None:
                            c = other
                        other = None
                    elif seq < first.seq:  # the newer one is next
                        first, parents = parents, first
                        c, other = other, c
                        seq = parents.seq
                    if other is not None:
                        entry = get(seq)
                        if entry is None:
                            pending[seq] = [parents, other, False, mine]
                            if parents.rule is not None or type(parents) is not Node:
                                heappush(heap, seq)
                        elif entry[2] and type(other) is ndarray:
                            entry[1] += other
                        else:
                            add_pending(entry, other)
                        other = None
                else:
                    first = parents[0]
                    alone = [False] * len(parents) if ct is None else apart_from(ct, c)
                    ct = None
                    for k in range(len(parents) - 1, 0, -1):
                        if c[k] is None:
                            continue
                        parent = parents[k]
                        seq = parent.seq
                        entry = get(seq)
                        if entry is not None:
                            add_pending(entry, c[k])
                            continue
                        pending[seq] = [parent, c[k], False, alone[k]]
                        if parent.rule is not None or type(parent) is not Node:
                            heappush(heap, seq)
                    c, parent, mine = c[0], None, alone[0]
                parents = first
                first = None
            elif ct is not None:
                mine = mine or c is not ct and type(c) is ndarray and c.base is None
                ct = None
            if c is None:
                break
            if heap or parents.rule is None:  # else nothing is pending but leaves, and this is none
                seq = parents.seq
                entry = get(seq)
                if entry is not None:
                    if entry[2] and type(c) is ndarray:
                        entry[1] += c
                    else:
                        add_pending(entry, c)
                    break
                if heap and heap[0] < seq:
                    pending[seq] = [parents, c, False, mine]
                    heappush(heap, seq)
                    break
            node = parents
            ct = c
            c = None
    for node, ct, _, _ in pending.values():  # leaves wait here and not in the heap: nothing comes after them
        kind = type(ct)
        results[node.saved] = ct.dense() if kind in LAZY else ct
    if masked and drive is None:
        for ct in results if type(results) is list else results.values():
            note_zeros(ct)
    return results
