"""The fast lanes of elementwise primitives: what their functions do on the commonest arguments before `bind`.

Everything here is written out for speed (fields assigned inline, no constructor, no closure per call); the general
meaning of an operation is `Trace.process`, and each lane must agree with it. Costs: benchmarks/run.py, row "chain".
Written by tests/core/generate_lanes.py from lanes.template beside it: edit that.
"""

import numpy as np

from ..tape.recording import recorded, with_bias
from ..tape.tape import SPARE, new_node, next_seq, take_spare
from ..trace.device import refuse_operands
from ..trace.tracer import Batched, Dual, Rev
from .forward_lanes import binary_push, forward_pair, quietly, strongly, strongly_alone
from .primitive import RAW, bind

ndarray = np.ndarray
_NUMBERS = frozenset({int, float, bool})
_ARRAYS = frozenset({ndarray, np.float64, np.float32})


def unary_lane(prim, ufunc):
    """The public function of an elementwise primitive of one operand whose plain result has the operand's aval."""
    rule = prim.rule((0,), True)
    want = {(): 0, ("x",): 1, ("ans",): 2}.get(tuple(_generic_name(n, prim) for n in rule.names), 3)
    order = rule.names == ("ans", prim.operands[0])
    formula = prim.jvp.real[0]
    push, push_want = formula.fn, {(): 0, ("x",): 1, ("ans",): 2}.get(
        tuple(_generic_name(n, prim) for n in formula.names), 3)
    steady = push_want != 3 and not prim.zeros
    strong = strongly_alone(push) if prim.strong else push
    if prim.singular or prim.quiet is not None:
        push = quietly(push)
    masks = prim.zeros
    weak = prim.weak

    def apply(x):
        kind = type(x)
        if kind is Rev:
            aval = x.aval
            owner = x.owner
            if aval.plain and not owner.done:
                xv = x.value
                v = ufunc(xv) if type(xv) is ndarray or type(xv) in RAW else apply(xv)
                node = take_spare() if SPARE else new_node()
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
                out.owner = owner
                out.value = v
                out.aval = aval if weak else aval.strong
                out.node = node
                return out
        elif kind is ndarray or kind in RAW:
            try:
                return ufunc(x)
            except TypeError:
                refuse_operands(prim, (x,))
        elif kind is Dual:
            if steady and x.aval.plain and not x.owner.done:
                xv = x.value
                v = ufunc(xv) if type(xv) in RAW else apply(xv)
                dx = x.tangent
                pushed = strong if x.owner.masked else push
                dx = pushed(dx, xv) if push_want == 1 else pushed(dx, v) if push_want == 2 else pushed(dx)
                out = Dual()
                out.owner = x.owner
                out.value = v
                out.aval = x.aval if weak else x.aval.strong
                out.tangent = dx
                return out
        elif kind is Batched and x.aval.plain and not x.owner.done:
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
    wide_left, wide_right = [[prim.rule((k,), True, fixes) for fixes in ((k,), ())] for k in (0, 1)]
    both_get, left_get, right_get = both.collect, left.collect, right.collect
    save = both_get is not None
    save_both = both.names == prim.operands
    left_keeps_y = prim.operands[1] in left.names
    right_keeps_x = prim.operands[0] in right.names
    left_only_y = left.names == (prim.operands[1],)
    right_only_x = right.names == (prim.operands[0],)
    push = binary_push(prim)
    strong = strongly(push) if prim.strong and push is not None else push
    if push is not None and (prim.singular or prim.quiet is not None):
        push = quietly(push)
    masks = prim.zeros
    weak = prim.weak
    shifts_x, shifts_y = (name in (prim.shifts or ()) for name in prim.operands)
    adds = shifts_x and shifts_y
    bounds = prim.bounds
    bounded, chosen = bounds or (None, None)
    if native:
        ufunc = op

        def op(x, y):
            return ufunc(x, y) if type(x) in RAW and type(y) in RAW else apply(x, y)

    forward = forward_pair(prim, op, push, strong)

    def apply(x, y):
        kind = type(x)
        other = type(y)
        try:
            if kind is Rev:
                if other is not Rev:
                    aval = x.aval
                    owner = x.owner
                    if aval.plain and not owner.done:
                        xv = x.value
                        if other is float or other in _NUMBERS:
                            if type(xv) is ndarray:
                                known = aval.consts.get(y)
                                y = aval.const(y) if known is None else known
                        elif other in _ARRAYS and y.dtype is aval.dtype:
                            aval = aval.strong
                            if left_keeps_y:
                                y = owner.keep(y)
                            if y.ndim and y.shape != aval.shape:
                                v = op(xv, y)
                                if masks:
                                    x.owner.masked = True
                                rule = wide_left[v.shape == aval.shape]
                                saved = None if rule.collect is None else rule.collect((xv, y, v, aval, None))
                                return recorded(owner, rule, x.node, saved, v, aval)
                        else:
                            return bind(prim, (x, y))
                        if bounds is not None and type(xv) is ndarray and aval.ndim and not getattr(y, "ndim", 0):
                            found = bounded(xv, y)
                            if found is not None:
                                owner.masked = True
                                return recorded(owner, chosen, x.node, found[1], found[0], aval)
                        v = op(xv, y)
                        if shifts_x:  # x + 1: no node, what arrives here is what arrives at x
                            node = x.node
                        else:
                            node = take_spare() if SPARE else new_node()
                            node.rule = left
                            node.parents = x.node
                            node.saved = y if left_only_y else left_get((xv, y, v)) if left_get is not None else None
                            node.seq = next_seq()
                            if masks:
                                x.owner.masked = True
                        out = Rev()
                        out.owner = owner
                        out.value = v
                        out.aval = aval if weak else aval.strong
                        out.node = node
                        return out
                else:
                    aval = x.aval
                    if aval is y.aval and x.owner is y.owner and aval.plain and not x.owner.done:
                        xv = x.value
                        yv = y.value
                        v = op(xv, yv)
                        node = take_spare() if SPARE else new_node()
                        node.rule = both
                        node.parents = (x.node, y.node)
                        node.saved = (xv, yv) if save_both else both_get((xv, yv, v)) if save else None
                        node.seq = next_seq()
                        out = Rev()
                        out.owner = x.owner
                        out.value = v
                        out.aval = aval if weak else aval.strong
                        out.node = node
                        if masks:
                            x.owner.masked = True
                        return out
                    like = y.aval
                    if x.owner is y.owner and aval.plain and like.plain and aval.dtype is like.dtype and (
                            not x.owner.done):
                        xv = x.value
                        yv = y.value
                        v = op(xv, yv)
                        shape = v.shape
                        if adds and like.ndim == 1 and aval.ndim == 2 and shape == aval.shape:
                            product = x.node.rule
                            if product is not None and product.biased is not None and shape[1] == like.shape[0]:
                                return with_bias(x, y, v)
                        if masks:
                            x.owner.masked = True
                        rule = wide[(1,) if shape == aval.shape else (0,) if shape == like.shape else (0, 1)]
                        saved = rule.collect((xv, yv, v, aval, like))
                        like = aval if shape == aval.shape else like
                        return recorded(x.owner, rule, (x.node, y.node), saved, v, like)
            elif other is Rev:
                aval = y.aval
                owner = y.owner
                if aval.plain and not owner.done:
                    yv = y.value
                    if kind is float or kind in _NUMBERS:
                        if type(yv) is ndarray:
                            known = aval.consts.get(x)
                            x = aval.const(x) if known is None else known
                    elif kind in _ARRAYS and x.dtype is aval.dtype:
                        aval = aval.strong
                        if right_keeps_x:
                            x = owner.keep(x)
                        if x.ndim and x.shape != aval.shape:
                            v = op(x, yv)
                            if masks:
                                y.owner.masked = True
                            rule = wide_right[v.shape == aval.shape]
                            saved = None if rule.collect is None else rule.collect((x, yv, v, None, aval))
                            return recorded(owner, rule, y.node, saved, v, aval)
                    else:
                        return bind(prim, (x, y))
                    if bounds is not None and type(yv) is ndarray and aval.ndim and not getattr(x, "ndim", 0):
                        found = bounded(yv, x)
                        if found is not None:
                            owner.masked = True
                            return recorded(owner, chosen, y.node, found[1], found[0], aval)
                    v = op(x, yv)
                    if shifts_y:  # y + 1: no node, what arrives here is what arrives at y
                        node = y.node
                    else:
                        node = take_spare() if SPARE else new_node()
                        node.rule = right
                        node.parents = y.node
                        node.saved = x if right_only_x else right_get((x, yv, v)) if right_get is not None else None
                        node.seq = next_seq()
                        if masks:
                            y.owner.masked = True
                    out = Rev()
                    out.owner = owner
                    out.value = v
                    out.aval = aval if weak else aval.strong
                    out.node = node
                    return out
            elif kind in RAW and other in RAW:
                if kind is complex and other is np.float64:
                    x = np.complex128(x)  # np.float64 is a float: Python would answer with a number of its own
                return op(x, y)
            elif kind is Dual:
                aval = x.aval
                if aval.plain and push is not None and not x.owner.done:
                    if masks:
                        x.owner.masked = True
                    xv = x.value
                    if other is Dual:
                        if aval is y.aval and x.owner is y.owner:
                            yv = y.value
                            v = op(xv, yv)
                            out = Dual()
                            out.owner = x.owner
                            out.value = v
                            out.aval = aval if weak else aval.strong
                            out.tangent = (strong if x.owner.masked else push)(x.tangent, y.tangent, xv, yv, v)
                            return out
                    elif other in _NUMBERS:
                        if type(xv) is ndarray:
                            known = aval.consts.get(y)
                            y = aval.const(y) if known is None else known
                        v = op(xv, y)
                        out = Dual()
                        out.owner = x.owner
                        out.value = v
                        out.aval = aval if weak else aval.strong
                        out.tangent = (strong if x.owner.masked else push)(x.tangent, None, xv, y, v)
                        return out
            elif other is Dual:
                aval = y.aval
                if aval.plain and push is not None and kind in _NUMBERS and not y.owner.done:
                    if masks:
                        y.owner.masked = True
                    yv = y.value
                    if type(yv) is ndarray:
                        known = aval.consts.get(x)
                        x = aval.const(x) if known is None else known
                    v = op(x, yv)
                    out = Dual()
                    out.owner = y.owner
                    out.value = v
                    out.aval = aval if weak else aval.strong
                    out.tangent = (strong if y.owner.masked else push)(None, y.tangent, x, yv, v)
                    return out
            elif kind is Batched:
                aval = x.aval
                if aval.plain and not x.owner.done:
                    if other is Batched:
                        if aval is y.aval and x.owner is y.owner:
                            out = Batched()
                            out.owner = x.owner
                            out.value = op(x.value, y.value)
                            out.aval = aval
                            return out
                    elif other in _NUMBERS or other is ndarray and y.dtype is aval.dtype and (
                            not y.ndim or y.shape == aval.shape):
                        out = Batched()
                        out.owner = x.owner
                        out.value = op(x.value, y)
                        out.aval = aval
                        return out
            elif kind is ndarray and other is Batched:
                aval = y.aval
                if aval.plain and x.dtype is aval.dtype and (not x.ndim or x.shape == aval.shape) and (
                        not y.owner.done):
                    out = Batched()
                    out.owner = y.owner
                    out.value = op(x, y.value)
                    out.aval = aval
                    return out
            if push is not None and (kind is Dual or other is Dual):
                out = forward(x, y)
                if out is not None:
                    return out
        except (TypeError, ValueError):
            refuse_operands(prim, (x, y))
        return bind(prim, (x, y))

    return apply


def flat_lane(prim, op):
    """The public function of an elementwise primitive that is flat everywhere: derivatives pass it by."""
    def apply(*args):
        for a in args:
            kind = type(a)
            if kind is Rev or kind is Dual:
                return apply(*[_below(a) if type(a) is Rev or type(a) is Dual else a for a in args])
        for a in args:
            if type(a) not in RAW:
                return bind(prim, args)
        try:
            return op(*args)
        except (TypeError, ValueError):
            refuse_operands(prim, args)

    return apply


def _below(x):
    """What a tracer stands for, without its derivative; Python numbers stay numbers."""
    value = x.value
    return value.item() if x.aval.weak and isinstance(value, np.generic | ndarray) else value
