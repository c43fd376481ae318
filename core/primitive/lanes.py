"""The fast paths of elementwise primitives: what their functions do on the commonest arguments before `bind`.

Everything here is written out for speed (fields assigned inline, no constructor, no closure per call); the general
meaning of an operation is `Trace.process`, and each lane must agree with it. Costs: benchmarks/run.py, row "chain".
"""

import numpy as np

from ..tape.recording import recorded, with_bias
from ..tape.tape import SPARE, Node, next_seq, take_spare
from ..trace.device import refuse_operands
from ..trace.tracer import Batched, Dual, Rev
from .primitive import RAW, bind

ndarray = np.ndarray
_NUMBERS = frozenset({int, float, bool})


def unary_lane(prim, ufunc):
    """The public function of an elementwise primitive of one operand whose plain result has the operand's aval."""
    rule = prim.rule((0,), True)
    want = {(): 0, ("x",): 1, ("ans",): 2}.get(tuple(_generic_name(n, prim) for n in rule.names), 3)
    order = rule.names == ("ans", prim.operands[0])
    formula = prim.jvp_plain[0]
    push, push_want = formula.fn, {(): 0, ("x",): 1, ("ans",): 2}.get(
        tuple(_generic_name(n, prim) for n in formula.names), 3)
    steady = not prim.quiet and push_want != 3 and not prim.masks
    masks = prim.masks

    def apply(x):
        kind = type(x)
        if kind is Rev:
            aval = x.aval
            if aval.plain:
                xv = x.value
                v = ufunc(xv) if type(xv) is ndarray or type(xv) in RAW else apply(xv)
                node = take_spare() if SPARE else Node()
                node.rule = rule
                node.parents = x.node
                if want == 1:
                    node.saved = xv
                elif want == 2:
                    node.saved = v
                elif want == 0:
                    node.saved = None
                else:
                    node.saved = (v, xv) if order else (xv, v)
                node.seq = next_seq()
                if masks:
                    x.owner.masked = True
                out = Rev()
                out.owner = x.owner
                out.value = v
                out.aval = aval
                out.node = node
                return out
        elif kind is ndarray or kind in RAW:
            try:
                return ufunc(x)
            except TypeError:
                refuse_operands(prim, (x,))
        elif kind is Dual:
            if steady and x.aval.plain:
                xv = x.value
                v = ufunc(xv) if type(xv) in RAW else apply(xv)
                out = Dual()
                out.owner = x.owner
                out.value = v
                out.aval = x.aval
                if push_want == 1:
                    out.tangent = push(x.tangent, xv)
                elif push_want == 2:
                    out.tangent = push(x.tangent, v)
                else:
                    out.tangent = push(x.tangent)
                return out
        elif kind is Batched and x.aval.plain:
            xv = x.value
            out = Batched()
            out.owner = x.owner
            out.value = ufunc(xv) if type(xv) in RAW else apply(xv)
            out.aval = x.aval
            return out
        return bind(prim, (x,))

    return apply


def _generic_name(name, prim):
    return "x" if name == prim.operands[0] else name


def binary_lane(prim, op, native):
    """The public function of an elementwise primitive of two operands, computed by `op`.

    `native` says that `op` computes with NumPy alone: an operator dispatches by itself, but a ufunc and an
    implementation must be kept from foreign arrays.
    """
    both = prim.rule((0, 1), True)
    left = prim.rule((0,), True)
    right = prim.rule((1,), True)
    wide = {fixes: prim.rule((0, 1), True, fixes) for fixes in ((0,), (1,), (0, 1))}
    wide_left = {fixes: prim.rule((0,), True, fixes) for fixes in ((), (0,))}
    both_get, left_get, right_get = both.collect, left.collect, right.collect
    save = both_get is not None
    save_both = both.names == prim.operands
    left_keeps_y = prim.operands[1] in left.names
    right_keeps_x = prim.operands[0] in right.names
    left_only_y = left.names == (prim.operands[1],)
    right_only_x = right.names == (prim.operands[0],)
    push = None if prim.quiet else _binary_push(prim)
    masks = prim.masks
    shifts_x, shifts_y = (name in prim.shifts for name in prim.operands)
    adds = shifts_x and shifts_y
    bounds = prim.bounds
    bounded, chosen = bounds or (None, None)
    if native:
        ufunc = op

        def op(x, y):
            return ufunc(x, y) if type(x) in RAW and type(y) in RAW else apply(x, y)

    def apply(x, y):
        kind = type(x)
        other = type(y)
        if kind is Rev:
            aval = x.aval
            if other is Rev:
                if aval is y.aval and x.owner is y.owner and aval.plain:
                    xv = x.value
                    yv = y.value
                    try:
                        v = op(xv, yv)
                    except (TypeError, ValueError):
                        refuse_operands(prim, (x, y))
                    node = take_spare() if SPARE else Node()
                    node.rule = both
                    node.parents = (x.node, y.node)
                    node.saved = (xv, yv) if save_both else both_get((xv, yv, v)) if save else None
                    node.seq = next_seq()
                    out = Rev()
                    out.owner = x.owner
                    out.value = v
                    out.aval = aval
                    out.node = node
                    if masks:
                        x.owner.masked = True
                    return out
                if x.owner is y.owner and aval.plain and y.aval.plain and aval.dtype is y.aval.dtype:
                    xv = x.value
                    yv = y.value
                    try:
                        v = op(xv, yv)
                    except (TypeError, ValueError):
                        refuse_operands(prim, (x, y))
                    shape = v.shape
                    like = aval
                    if adds and y.aval.ndim == 1 and aval.ndim == 2 and shape == aval.shape:
                        product = x.node.rule
                        if product is not None and product.biased is not None and shape[1] == y.aval.shape[0]:
                            return with_bias(x, y, v)
                    if masks:
                        x.owner.masked = True
                    fixes = (1,)
                    if shape != aval.shape:
                        like = y.aval
                        fixes = (0,) if shape == like.shape else (0, 1)
                    rule = wide[fixes]
                    saved = rule.collect((xv, yv, v, aval, y.aval))
                    return recorded(x.owner, rule, (x.node, y.node), saved, v, like)
            elif aval.plain:
                xv = x.value
                if other is float or other in _NUMBERS:
                    if type(xv) is ndarray:
                        c = aval.consts.get(y)
                        y = aval.const(y) if c is None else c
                elif other is ndarray and y.dtype is aval.dtype and (not y.ndim or y.shape == aval.shape):
                    if left_keeps_y:
                        y = x.owner.keep(y)
                elif other is ndarray and y.dtype is aval.dtype:
                    if left_keeps_y:
                        y = x.owner.keep(y)
                    try:
                        v = op(xv, y)
                    except (TypeError, ValueError):
                        refuse_operands(prim, (x, y))
                    if masks:
                        x.owner.masked = True
                    rule = wide_left[() if v.shape == aval.shape else (0,)]
                    saved = None if rule.collect is None else rule.collect((xv, y, v, aval, None))
                    return recorded(x.owner, rule, x.node, saved, v, aval)
                else:
                    return bind(prim, (x, y))
                if bounds is not None and type(xv) is ndarray and aval.ndim and not getattr(y, "ndim", 0):
                    found = bounded(xv, y)
                    if found is not None:
                        x.owner.masked = True
                        return recorded(x.owner, chosen, x.node, found[1], found[0], aval)
                try:
                    v = op(xv, y)
                except (TypeError, ValueError):
                    refuse_operands(prim, (x, y))
                out = Rev()
                out.owner = x.owner
                out.value = v
                out.aval = aval
                if shifts_x:  # x + 1: no node, what arrives here is what arrives at x
                    out.node = x.node
                    return out
                out.node = node = take_spare() if SPARE else Node()
                node.rule = left
                node.parents = x.node
                node.saved = y if left_only_y else left_get((xv, y, v)) if left_get is not None else None
                node.seq = next_seq()
                if masks:
                    x.owner.masked = True
                return out
        elif other is Rev:
            aval = y.aval
            if aval.plain:
                yv = y.value
                if kind is float or kind in _NUMBERS:
                    if type(yv) is ndarray:
                        c = aval.consts.get(x)
                        x = aval.const(x) if c is None else c
                elif kind is ndarray and x.dtype is aval.dtype and (not x.ndim or x.shape == aval.shape):
                    if right_keeps_x:
                        x = y.owner.keep(x)
                else:
                    return bind(prim, (x, y))
                if bounds is not None and type(yv) is ndarray and aval.ndim and not getattr(x, "ndim", 0):
                    found = bounded(yv, x)
                    if found is not None:
                        y.owner.masked = True
                        return recorded(y.owner, chosen, y.node, found[1], found[0], aval)
                try:
                    v = op(x, yv)
                except (TypeError, ValueError):
                    refuse_operands(prim, (x, y))
                out = Rev()
                out.owner = y.owner
                out.value = v
                out.aval = aval
                if shifts_y:
                    out.node = y.node
                    return out
                out.node = node = take_spare() if SPARE else Node()
                node.rule = right
                node.parents = y.node
                node.saved = x if right_only_x else right_get((x, yv, v)) if right_get is not None else None
                node.seq = next_seq()
                if masks:
                    y.owner.masked = True
                return out
        elif kind in RAW and other in RAW:
            if kind is complex and other is np.float64:
                x = np.complex128(x)  # np.float64 is a float: Python would return a number of its own
            try:
                return op(x, y)
            except (TypeError, ValueError):
                refuse_operands(prim, (x, y))
        elif kind is Dual:
            aval = x.aval
            if aval.plain and push is not None:
                if masks:
                    x.owner.masked = True
                if other is Dual:
                    if aval is y.aval and x.owner is y.owner:
                        xv = x.value
                        yv = y.value
                        try:
                            v = op(xv, yv)
                        except (TypeError, ValueError):
                            refuse_operands(prim, (x, y))
                        out = Dual()
                        out.owner = x.owner
                        out.value = v
                        out.aval = aval
                        out.tangent = push(x.tangent, y.tangent, xv, yv, v)
                        return out
                elif other in _NUMBERS:
                    xv = x.value
                    if type(xv) is ndarray:
                        c = aval.consts.get(y)
                        y = aval.const(y) if c is None else c
                    v = op(xv, y)
                    out = Dual()
                    out.owner = x.owner
                    out.value = v
                    out.aval = aval
                    out.tangent = push(x.tangent, None, xv, y, v)
                    return out
        elif kind is Batched:
            aval = x.aval
            if aval.plain:
                if other is Batched:
                    if aval is y.aval and x.owner is y.owner:
                        out = Batched()
                        out.owner = x.owner
                        try:
                            out.value = op(x.value, y.value)
                        except (TypeError, ValueError):
                            refuse_operands(prim, (x, y))
                        out.aval = aval
                        return out
                elif other in _NUMBERS or other is ndarray and y.dtype is aval.dtype and (
                        not y.ndim or y.shape == aval.shape):
                    out = Batched()
                    out.owner = x.owner
                    try:
                        out.value = op(x.value, y)
                    except (TypeError, ValueError):
                        refuse_operands(prim, (x, y))
                    out.aval = aval
                    return out
        elif kind is ndarray and other is Batched:
            aval = y.aval
            if aval.plain and x.dtype is aval.dtype and (not x.ndim or x.shape == aval.shape):
                out = Batched()
                out.owner = y.owner
                try:
                    out.value = op(x, y.value)
                except (TypeError, ValueError):
                    refuse_operands(prim, (x, y))
                out.aval = aval
                return out
        return bind(prim, (x, y))

    return apply


def _binary_push(prim):
    """`push(dx, dy, x, y, ans)` of a plain elementwise primitive; `dy` None for a constant."""
    names = prim.operands
    slots = {names[0]: 0, names[1]: 1, "ans": 2}
    parts = []
    for i in (0, 1):
        formula = prim.jvp_plain.get(i)
        if formula is None or any(n not in slots for n in formula.names):
            return None
        parts.append((formula.fn, tuple(slots[n] for n in formula.names)))
    (fx, ax), (fy, ay) = parts

    def push(dx, dy, x, y, ans):
        record = (x, y, ans)
        tx = fx(dx, *[record[k] for k in ax])
        if dy is None:
            return tx
        return tx + fy(dy, *[record[k] for k in ay])

    if len(ax) == 0 and len(ay) == 0:
        def push(dx, dy, x, y, ans):
            return fx(dx) if dy is None else fx(dx) + fy(dy)
    elif ax == (1,) and ay == (0,):
        def push(dx, dy, x, y, ans):
            return fx(dx, y) if dy is None else fx(dx, y) + fy(dy, x)
    return push


def flat_lane(prim, op):
    """The public function of an elementwise primitive that is flat everywhere: derivatives pass it by."""
    def apply(*args):
        for a in args:
            kind = type(a)
            if kind is Rev or kind is Dual:
                return apply(*[a.value if type(a) is Rev or type(a) is Dual else a for a in args])
        for a in args:
            if type(a) not in RAW:
                return bind(prim, args)
        try:
            return op(*args)
        except (TypeError, ValueError):
            refuse_operands(prim, args)

    return apply
