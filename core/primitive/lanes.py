"""Fast dispatch of elementwise primitives: the commonest argument types, handled before `bind`.

The meaning of an operation is `Trace.process`, with which this must agree: `COVECTOR_ROADS=general` does without it.
Compiled with lanes.pxd beside it.
"""

import numpy as np

from ..slots import AvalSlots, Node, TracerSlots, TraceSlots
from ..tape.recording import batched, dual, make_node, recorded, traced, with_bias
from ..trace.device import refuse_operands
from ..trace.tracer import Batched, Dual, Rev
from .forward_lanes import binary_push, forward_pair, quietly, strongly, strongly_alone
from .primitive import RAW, below, bind

ndarray = np.ndarray
_NUMBERS = frozenset({int, float, bool})
_ARRAYS = frozenset({ndarray, np.float64, np.float32})
_NOTHING, _OPERAND, _OUTPUT, _BOTH = range(4)  # what the rule of an operation of one operand saves


def _wanted(names, prim):
    return {(): _NOTHING, (prim.operands[0],): _OPERAND, ("ans",): _OUTPUT}.get(tuple(names), _BOTH)


def unary_lane(prim, op):
    """Make the public function of a unary elementwise primitive whose plain result has the operand's aval."""
    rule = prim.rule((0,), True)
    want: int = _wanted(rule.names, prim)
    # Saved values lie in the order in which the rule asks for them, with no record in between.
    ans_first: bool = rule.names == ("ans", prim.operands[0])
    formula = prim.jvp.real[0]
    push, push_want = formula.fn, _wanted(formula.names, prim)
    # A push that asks for more than one value, or marks zeros, is left to `process`; so are its strong zeros.
    steady: bool = push_want != _BOTH and not prim.zeros
    strong = strongly_alone(push) if prim.strong else push
    if prim.singular or prim.quiet is not None:
        push = quietly(push)
    masks: bool = prim.zeros
    weak: bool = prim.weak

    def apply(x):
        t: TracerSlots
        aval: AvalSlots
        owner: TraceSlots
        kind = type(x)
        # `is` before the set: arrays are the commonest, and hashing a type costs more than comparing it.
        if kind is ndarray or kind in RAW:
            try:
                return op(x)
            except TypeError:
                refuse_operands(prim, (x,))
        if kind is Rev:
            t = x
            aval = t.aval
            owner = t.owner
            if aval.plain and not owner.done:
                xv = t.value
                v = op(xv) if type(xv) is ndarray or type(xv) in RAW else apply(xv)
                saved = None if want == _NOTHING else xv if want == _OPERAND else v if want == _OUTPUT else (
                    v, xv) if ans_first else (xv, v)
                if masks:
                    owner.masked = True
                return traced(owner, v, aval if weak else aval.strong, make_node(rule, t.node, saved))
        elif kind is Dual:
            t = x
            aval = t.aval
            owner = t.owner
            if steady and aval.plain and not owner.done:
                xv = t.value
                v = op(xv) if type(xv) in RAW else apply(xv)
                dx = t.tangent
                pushed = strong if owner.masked else push
                dx = pushed(dx, xv) if push_want == _OPERAND else pushed(dx, v) if push_want == _OUTPUT else pushed(dx)
                return dual(owner, v, aval if weak else aval.strong, dx)
        elif kind is Batched:
            t = x
            aval = t.aval
            owner = t.owner
            if aval.plain and not owner.done:
                xv = t.value
                return batched(owner, op(xv) if type(xv) in RAW else apply(xv), aval)
        return bind(prim, (x,))

    return apply


def binary_lane(prim, op, native):
    """Make the public function of a binary elementwise primitive, computed by `op`.

    `native` says that `op` computes with NumPy alone: an operator dispatches by itself, but a ufunc and an
    implementation must be kept from foreign arrays.
    """
    both = prim.rule((0, 1), True)
    left = prim.rule((0,), True)
    right = prim.rule((1,), True)
    wide = {fixes: prim.rule((0, 1), True, fixes) for fixes in ((0,), (1,), (0, 1))}
    wide_x, wide_y, wide_both = wide[0,], wide[1,], wide[0, 1]
    wide_left, wide_right = [[prim.rule((k,), True, fixes) for fixes in ((k,), ())] for k in (0, 1)]
    both_get, left_get, right_get = both.collect, left.collect, right.collect
    save_both: bool = both.names == prim.operands
    left_keeps_y: bool = prim.operands[1] in left.names
    right_keeps_x: bool = prim.operands[0] in right.names
    left_only_y: bool = left.names == (prim.operands[1],)
    right_only_x: bool = right.names == (prim.operands[0],)
    push = binary_push(prim)
    strong = strongly(push) if prim.strong and push is not None else push
    if push is not None and (prim.singular or prim.quiet is not None):
        push = quietly(push)
    masks: bool = prim.zeros
    weak: bool = prim.weak
    shifts_x: bool = prim.operands[0] in (prim.shifts or ())  # x + 1: what arrives here is what arrives at x
    shifts_y: bool = prim.operands[1] in (prim.shifts or ())
    bounded, chosen = prim.bounds or (None, None)
    if native:
        ufunc = op

        def op(x, y):
            return ufunc(x, y) if type(x) in RAW and type(y) in RAW else apply(x, y)

    forward = None if push is None else forward_pair(prim, op, push, strong)

    def together(x, y):
        """Apply to two values of one reverse trace; None defers to `bind`."""
        t: TracerSlots = x
        u: TracerSlots = y
        aval: AvalSlots = t.aval
        like: AvalSlots = u.aval
        owner: TraceSlots = t.owner
        product: Node
        # Of two levels the inner one must process, and a finished trace must raise: both are the business of `bind`.
        if owner is not u.owner or owner.done or not aval.plain or not like.plain:
            return None
        xv, yv = t.value, u.value
        if aval is like:
            v = op(xv, yv)
            if masks:
                owner.masked = True
            saved = (xv, yv) if save_both else None if both_get is None else both_get((xv, yv, v))
            return traced(owner, v, aval if weak else aval.strong, make_node(both, (t.node, u.node), saved))
        # Mixed dtypes need a cast of one cotangent, which the plain rules leave out.
        if aval.dtype is not like.dtype:
            return None
        v = op(xv, yv)
        shape = v.shape
        # A row added to a product: the node of the product takes a third parent and the rule of `affine`, which saves
        # a node and a pass over the cotangent (see "What the tape leaves out").
        if shifts_x and shifts_y and like.ndim == 1 and aval.ndim == 2 and shape == aval.shape:
            product = t.node
            if product.rule is not None and product.rule.biased is not None and shape[1] == like.shape[0]:
                return with_bias(x, y, v)
        if masks:
            owner.masked = True
        rule = wide_y if shape == aval.shape else wide_x if shape == like.shape else wide_both
        return recorded(owner, rule, (t.node, u.node), rule.collect((xv, yv, v, aval, like)), v,
                        aval if shape == aval.shape else like)

    def beside(x, y, first: bool):
        """Apply to a traced value and a constant, which is the `first` operand or the second; None defers to `bind`."""
        t: TracerSlots = y if first else x
        aval: AvalSlots = t.aval
        owner: TraceSlots = t.owner
        c = x if first else y
        if not aval.plain or owner.done:
            return None
        xv = t.value
        kind = type(c)
        if kind in _NUMBERS:
            if type(xv) is ndarray:  # a 0-d array, which is kept for the next time
                known = aval.consts.get(c)
                c = aval.const(c) if known is None else known
        elif kind in _ARRAYS and c.dtype is aval.dtype:
            aval = aval.strong
            if right_keeps_x if first else left_keeps_y:
                # The array is the user's, who may write to it before the backward pass: it is copied or
                # fingerprinted.
                c = owner.keep(c)
            if c.ndim and c.shape != aval.shape:
                v = op(c, xv) if first else op(xv, c)
                if masks:
                    owner.masked = True
                rule = (wide_right if first else wide_left)[v.shape == aval.shape]
                saved = None if rule.collect is None else rule.collect(
                    (c, xv, v, None, aval) if first else (xv, c, v, aval, None))
                return recorded(owner, rule, t.node, saved, v, aval)
        else:
            return None
        if bounded is not None and type(xv) is ndarray and aval.ndim and not getattr(c, "ndim", 0):
            # Without ties and NaN the rule of `where` holds, whose mask is saved and whose operand is not.
            found = bounded(xv, c)
            if found is not None:
                owner.masked = True
                return recorded(owner, chosen, t.node, found[1], found[0], aval)
        v = op(c, xv) if first else op(xv, c)
        # The cotangent of x + c is that of x, so nothing is recorded: the output has the node of the operand.
        if shifts_y if first else shifts_x:
            return traced(owner, v, aval if weak else aval.strong, t.node)
        if masks:
            owner.masked = True
        if first:
            saved = c if right_only_x else None if right_get is None else right_get((c, xv, v))
        else:
            saved = c if left_only_y else None if left_get is None else left_get((xv, c, v))
        return traced(owner, v, aval if weak else aval.strong, make_node(right if first else left, t.node, saved))

    def examples(x, y):
        """Apply to a batched value and another one or a constant; None defers to `bind`."""
        t: TracerSlots = x if type(x) is Batched else y
        u: TracerSlots
        aval: AvalSlots = t.aval
        owner: TraceSlots = t.owner
        if not aval.plain or owner.done:
            return None
        c = y if t is x else x
        kind = type(c)
        if kind is Batched:
            u = c
            # Avals of one shape and dtype are one object, so identity says that no broadcasting takes place, which
            # would align batch axes with axes of an example.
            if aval is not u.aval or owner is not u.owner:
                return None
            return batched(owner, op(t.value, u.value), aval)
        if kind in _NUMBERS or kind is ndarray and c.dtype is aval.dtype and (not c.ndim or c.shape == aval.shape):
            return batched(owner, op(t.value, c) if t is x else op(c, t.value), aval)
        return None

    def apply(x, y):
        kind = type(x)
        other = type(y)
        try:
            if kind is Rev:
                out = together(x, y) if other is Rev else beside(x, y, False)
            elif other is Rev:
                out = beside(x, y, True)
            elif kind in RAW and other in RAW:
                if kind is complex and other is np.float64:
                    x = np.complex128(x)  # np.float64 is a float: Python would answer with a number of its own
                return op(x, y)
            elif forward is not None and (kind is Dual or other is Dual):
                out = forward(x, y)
            elif kind is Batched or other is Batched:
                out = examples(x, y)
            else:
                out = None
        except (TypeError, ValueError):
            refuse_operands(prim, (x, y))
        return bind(prim, (x, y)) if out is None else out

    return apply


def flat_lane(prim, op):
    """Make the public function of an elementwise primitive whose derivative is zero everywhere."""
    def apply(*args):
        for a in args:
            kind = type(a)
            if kind is Rev or kind is Dual:
                # Nothing to record: the operation is a constant to derivatives, also of a trace that has finished.
                return apply(*[below(a) if type(a) is Rev or type(a) is Dual else a for a in args])
        for a in args:
            if type(a) not in RAW:
                return bind(prim, args)
        try:
            return op(*args)
        except (TypeError, ValueError):
            refuse_operands(prim, args)

    return apply
