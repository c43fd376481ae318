"""The tape: nodes that point to their parents, and the lazy cotangents that meet in them."""

from copy import copy
from functools import partial
from operator import itemgetter

import numpy as np

from ..arrays.dtypes import back_in_single
from ..errors import RuleError
from ..slots import Node
from ..trace.device import zeros_of
from ..trace.tracer import Late, Tracer
from ..types import Any, Callable
from .recording import make_node
from .strong_zeros import CHOICES, finite_factor, gated, guarded, pulled_strongly
from .unbroadcast import fix

ndarray = np.ndarray

class Rule:
    """The reverse rule of a primitive for one set of differentiated operands, compiled once.

    `back(ct, saved)` gives the cotangent(s) of the parents; `strong` is the same with strong zeros for `singular`
    rules (0 · inf = 0), and the same function otherwise. `origins[k]` tells where saved item k came from: an operand
    index, -1 for the output, None for a parameter or aval; `keeps` says whether any is a value. `lazy` rules take an
    undensified cotangent. `biased` is the rule of a product with a row added, None where the output is no product.
    `pointwise` rules may be run on a block of the elements alone; `programs` is what they come to then, a cache.
    `basis(ct, saved)` gives the parents' cotangents for each unit cotangent, or None; it is None itself where the
    primitive does not know them. `moves` says that the pullback moves or repeats elements and at most adds some that
    meet.
    `masks` says that its pullback may put structural zeros into what arrives at the parents; `masking` is the same
    rule that says so, a cache.
    `again` is what the stateful layer knows of rules whose runs are recorded, a cache.
    `part(active)` is the rule for some of its operands, which saves nothing else.
    `once` rules call bodies of the user's: what they do is not recorded on the tape of the stateful layer.
    """

    __slots__ = ("prim", "back", "strong", "names", "origins", "keeps", "active", "lazy", "collect", "biased",
                 "pointwise", "programs", "again", "basis", "moves", "masks", "masking",
                 "once", "chooses", "part")

    prim: Any
    back: Callable[..., Any]
    strong: Callable[..., Any]
    names: tuple[str, ...]
    origins: tuple[int | None, ...]
    keeps: bool
    active: tuple[int, ...]
    lazy: bool
    collect: Any
    biased: Any
    programs: Any
    again: Any
    basis: Any
    part: Any

    def __init__(self):
        self.biased = None
        self.pointwise = False
        self.programs = self.again = self.part = self.masking = None
        self.basis = None
        self.moves = False
        self.masks = True
        self.once = self.chooses = False

    def __repr__(self):
        return f"Rule({self.prim.name}, saves {', '.join(self.names) or 'nothing'})"


def note_zeros(ct):
    """Note on the node of a cotangent which is recorded in turn that its factors may have structural zeros."""
    while isinstance(ct, Tracer) and ct.owner is not None:
        if ct.owner.kind == "jvp":
            note_zeros(ct.tangent)
            if type(ct) is Late and ct.node is not None:
                return  # nobody asked for its value yet
        elif ct.owner.kind == "grad" and ct.node is not None:
            rule = ct.node.rule
            if rule is not None and not rule.masks:
                if rule.masking is None:
                    rule.masking = copy(rule)
                    rule.masking.masks = True
                ct.node.rule = rule.masking
        ct = ct.value


def make_leaf(index: Any) -> Node:
    """Create the node of an input; its cotangent is result `index` of the backward pass.

    Args:
        index: a position, or the key of a backward pass that fills a dict.
    Returns:
        a node without rule and parents.

    >>> from covector._engine import make_leaf
    >>> make_leaf(0).saved
    0
    """
    return make_node(None, None, index)


_READY = 64


def _leaf_of_all(index):
    leaf = make_leaf(index)
    leaf.seq = index + 1  # nodes count downwards from 0: it comes after all that is ever recorded
    return leaf


_LEAVES = [_leaf_of_all(i) for i in range(_READY)]


def ready_leaf(index):
    """The node of input `index`, one for all sweeps: a leaf knows nothing but its index."""
    return _LEAVES[index] if index < _READY else make_leaf(index)


class Partial:
    """Lazy cotangent of a multi-output node: the cotangents that have arrived so far.

    It belongs to one pending node, so what arrives later is put into it: n outputs cost O(n), not O(n²).
    """

    __slots__ = ("count", "piece", "parts")
    __array_ufunc__ = None

    def __init__(self, count, index, ct):
        self.count = count
        self.piece = index, ct
        self.parts = None

    def plus(self, other):
        """Add another one, in place."""
        if type(other) is not Partial:  # a cotangent that carries nothing, which adds itself
            return NotImplemented
        parts = self.parts or self._gathered()
        for k, ct in (other.piece,) if other.parts is None else enumerate(other.parts):
            if ct is not None:
                parts[k] = ct if parts[k] is None else parts[k] + ct
        return self

    __add__ = plus

    def dense(self):
        return tuple(self._gathered())

    def _gathered(self):
        if self.parts is None:
            self.parts = [None] * self.count
            index, ct = self.piece
            self.parts[index] = ct
        return self.parts


class Freed:
    """The placeholder in `saved` after its sweep."""

    __slots__ = ()

    def __repr__(self):
        return "FREED"


FREED = Freed()


# Compile reverse rules: the formulas of a primitive for one set of differentiated operands as one function.


def _sources(prim):
    """Positions of the names that rules may request in the record `(*operands, *params, ans, *operand avals)`."""
    names = prim.operands + prim.params
    where = {name: i for i, name in enumerate(names)}
    where["ans"] = len(names)
    for k, name in enumerate(prim.operands):
        where[name + "_aval"] = len(names) + 1 + k
    where["ans_aval"] = len(names) + 1 + len(prim.operands)
    return where


def compile_rule(prim, active, plain, fixed):
    """Compile the rule(s) for `active` operands into one `back(ct, saved)` and a collector of what it saves."""
    table = prim.vjp.real if plain else prim.vjp
    where = _sources(prim)
    formulas = []
    # One formula for the pair (`real_vjp={"x, y": …}`) shares work between both cotangents; alone each has its own.
    whole = table.get("all") if plain and active == (0, 1) else None
    if whole is not None:
        formulas.append(whole)
    for i in dict.fromkeys([0] if prim.variadic else active) if whole is None else ():
        formula = table.get(i)
        if formula is None:
            raise RuleError(
                f"{prim.name} has no vjp rule for its operand {prim.operands[0 if prim.variadic else i]!r}; "
                "declare one, or wrap the argument in stop_gradient"
            )
        # A joint formula stands under several operands, and runs once for them.
        if formula not in formulas:
            formulas.append(formula)
    choices = [prim.chosen[i] for i in active] if prim.chosen is not None else []
    # What two formulas ask for is saved once: the tape's memory is this list, in this order.
    names = list(dict.fromkeys(name for f in [*formulas, *choices] for name in f.names))
    names += [n for i in ([0] if prim.variadic else fixed) if (n := prim.operands[i] + "_aval") not in names]
    fill = prim.outputs is not None and not prim.accepts_none and prim.handlers is None
    if fill:
        names.append("ans_aval")
    rule = Rule()
    rule.prim = prim
    rule.names = tuple(names)
    rule.active = active
    rule.part = partial(_part, prim, plain, fixed)
    rule.lazy = prim.lazy
    # Bodies of higher-order primitives may select, so their cotangents count as holding structural zeros.
    rule.masks = prim.zeros or prim.handlers is not None
    rule.pointwise = prim.elementwise and plain and not fixed
    rule.chooses = bool(choices)
    positions = [where[n] for n in names]
    nin = len(prim.operands)
    total = nin + len(prim.params)
    rule.origins = tuple(p if p < nin else -1 if p == total else None for p in positions)
    rule.keeps = any(o is not None for o in rule.origins)
    # `itemgetter` of several positions gives a tuple, of one the bare value: `bare` below says which of the two was
    # saved.
    rule.collect = itemgetter(*positions) if positions else None
    slot = {name: k for k, name in enumerate(names)}
    bare = len(names) == 1
    if prim.variadic:
        rule.back = _variadic_back(prim, formulas[0], active, slot, bare)
    elif len(formulas) == 1 and len(formulas[0].operands) > 1:
        rule.back = _joint_back(prim, formulas[0], active, slot, bare, fixed)
    else:
        rule.back = _each(prim, formulas, active, slot, bare, fixed)
    rule.moves = prim.moves and not rule.keeps
    basis = prim.basis or ()
    if plain and not fixed and all(i in basis for i in active):
        rule.basis = _together([_pick(basis[i], slot, bare) for i in active])
    rule.strong = None
    if meets_infinities(prim, formulas):
        rule.strong = _strong_back(prim, formulas, active, slot, fixed)
    # Half precision is computed in float32 and rounded once; what only moves elements rounds nothing.
    if not plain and not (prim.view or prim.moves or prim.lazy or prim.own_width):
        rule.back = back_in_single(rule.back, names, bare)
        rule.strong = rule.strong and back_in_single(rule.strong, names, bare)
    if fill:
        rule.back = _filled(rule.back, slot["ans_aval"], bare)
        rule.strong = rule.strong and _filled(rule.strong, slot["ans_aval"], bare)
    if rule.strong is None:
        rule.strong = rule.back
    else:  # linear in each operand apart, with one saved: a product of elements
        product = prim.elementwise and prim.linear == prim.operands and len(active) == 1 == len(names) and (
            len(prim.operands) == 2 and names[0] == prim.operands[1 - active[0]])
        rule.strong = guarded(rule.back, rule.strong, finite_factor if product else None)
    if choices:
        reached = _each(prim, choices, active, slot, bare, fixed)
        rule.strong = gated(rule.strong, reached if plain else back_in_single(reached, names, bare), bare)
    elif prim.undefined and prim.operands[-1] in slot and not fixed:
        rule.strong = guarded(rule.back, _beside_kinks(
            rule.back, _strong_back(prim, formulas, active, slot, fixed), None if bare else slot[prim.operands[-1]]))
    return rule


def _each(prim, formulas, active, slot, bare, fixed):
    """Combine formulas for one operand each into one rule."""
    parts = []
    for i, formula in zip(active, formulas):
        part = _pick(formula, slot, bare)
        parts.append(_fixed(part, slot[prim.operands[i] + "_aval"], bare) if i in fixed else part)
    return _together(parts)


def _part(prim, plain, fixed, active):
    """The rule for `active` operands, some of those that were broadcast at `fixed`."""
    return compile_rule(prim, active, plain, tuple([i for i in fixed if i in active]))


def _filled(back, at, bare):
    """`back` with zeros for the cotangents of outputs that nothing depends on."""
    def filled(cts, saved):
        avals = saved if bare else saved[at]
        return back(tuple([zeros_of(a, *cts) if c is None else c for c, a in zip(cts, avals)]), saved)

    return filled


def _pick(formula, slot, bare):
    """`fn(ct, saved)` that hands the formula the saved items it asked for."""
    fn, names = formula.fn, formula.names
    if not names:
        return lambda ct, saved: fn(ct)
    if bare:
        return fn
    if len(names) == 1:
        a = slot[names[0]]
        return lambda ct, saved: fn(ct, saved[a])
    # One and two names, the commonest, without a `*`, which would build a tuple at each call of the sweep.
    if len(names) == 2:
        a, b = slot[names[0]], slot[names[1]]
        return lambda ct, saved: fn(ct, saved[a], saved[b])
    if tuple(slot[n] for n in names) == tuple(range(len(slot))):
        return lambda ct, saved: fn(ct, *saved)
    get = itemgetter(*(slot[n] for n in names))
    return lambda ct, saved: fn(ct, *get(saved))


def _fixed(part, at, bare):
    def back(ct, saved):
        c = part(ct, saved)
        return c if c is None else fix(c, saved if bare else saved[at])

    return back


def _together(parts):
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        first, second = parts
        return lambda ct, saved: (first(ct, saved), second(ct, saved))
    if len(parts) == 3:
        first, second, third = parts
        return lambda ct, saved: (first(ct, saved), second(ct, saved), third(ct, saved))
    return lambda ct, saved: tuple([part(ct, saved) for part in parts])


def _joint_back(prim, formula, active, slot, bare, fixed):
    part = _pick(formula, slot, bare)
    order = [formula.operands.index(i) for i in active]
    spots = [slot[prim.operands[i] + "_aval"] if i in fixed else None for i in active]
    if order == [0, 1] and len(formula.operands) == 2:
        return _pair_back(part, spots, bare)

    def back(ct, saved):
        cts = part(ct, saved)
        out = [cts[k] for k in order]
        out = [c if c is None or at is None else fix(c, saved if bare else saved[at]) for c, at in zip(out, spots)]
        return out[0] if len(out) == 1 else tuple(out)

    return back


def _pair_back(part, spots, bare):
    """The commonest joint rule, without the loops: two cotangents, of which none, one or both are to be fixed."""
    first, second = spots
    if first is None and second is None:
        return part

    def back(ct, saved):
        a, b = part(ct, saved)
        if first is not None and a is not None:
            a = fix(a, saved if bare else saved[first])
        if second is not None and b is not None:
            b = fix(b, saved if bare else saved[second])
        return a, b

    return back


def _variadic_back(prim, formula, active, slot, bare):
    fn = formula.fn
    names = formula.names
    at = slot[prim.operands[0] + "_aval"]
    joint = formula.operands == "all"

    def back(ct, saved):
        items = [saved if bare else saved[slot[n]] for n in names]
        avals = saved if bare else saved[at]
        if joint:
            cts = fn(ct, active, *items)
            out = [c if c is None or c.shape == (a := avals[i]).shape and c.dtype is a.dtype else fix(c, a)
                   for i, c in zip(active, cts)]
        else:
            out = [fix(fn(ct, i, *items), avals[i]) for i in active]
        return out[0] if len(out) == 1 else tuple(out)

    return back


def meets_infinities(prim, formulas):
    """Tell whether rules multiply with what may be infinite or NaN: not those that move, add up or mask elements."""
    if prim.variadic or prim.handlers is not None or prim.gates or prim.undefined:
        return False
    known = {"ans", *[n for i, n in enumerate(prim.operands) if i not in prim.nondiff]}
    known |= set(prim.params) if prim.elementwise else set()
    return any(not known.isdisjoint(f.names) for f in formulas)


def _strong_back(prim, formulas, active, slot, fixed):
    """The rule with strong zeros."""
    bare = len(slot) == 1
    again = pulled_strongly(prim, tuple(slot), [(f.operands, f, _pick(f, slot, bare)) for f in formulas])
    spots = [slot[prim.operands[i] + "_aval"] if i in fixed else None for i in active]

    def back(ct, saved):
        found = again(ct, saved)
        out = [found[i] if at is None or found[i] is None else fix(found[i], saved if bare else saved[at])
               for i, at in zip(active, spots)]
        return out[0] if len(out) == 1 else tuple(out)

    return back


def _beside_kinks(back, again, place):
    """`again`, with what `back` gives at kinks, where the last operand is 0: there the derivative is undefined."""
    def strong(ct, saved):
        kink = (saved if place is None else saved[place]) == 0
        plain, found = back(ct, saved), again(ct, saved)
        if type(found) is tuple:
            return tuple([CHOICES["where"](kink, x, y) for x, y in zip(plain, found)])
        return CHOICES["where"](kink, plain, found)

    return strong
