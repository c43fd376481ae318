"""Lanes of elementwise operations and sums; tests/core/generate_lanes.py writes them from tests/compat/lanes.template."""

import numbers

import numpy as np

from ..... import _engine, extend
from ..dispatch.call import invoke
from ..dispatch.call_source import pack
from ..dispatch.layouts import laid_out
from ..graph.node import GradNode
from ..graph.node_names import NamedRule
from ..modes.errstate import QUIET, enter_error_state, error_state, restore_fp_warnings
from ..modes.modes import MODES
from ..native.functions import with_quick
from ..state.edges import accumulator, is_current, untangled
from ..types.number_cache import CONSTS, EXACT, constant
from ..types.parameter import PLAIN_KINDS, Parameter
from ..types.tensor_type import FAST, GENERAL, INFERENCE, INFERRED, VIEW, Tensor, new
from . import bare_tensors, level_lanes, map_lanes

ndarray = np.ndarray
asarray = np.asarray
next_seq = _engine.next_seq
with_small_calls = _engine.with_small_calls
aval_of = extend.aval_of
OPERANDS = (Tensor, numbers.Number, np.bool_)  # of operators; NumPy takes its arrays itself
BOTH = (0, 1)
RIGHT = (1,)


def unary(row, prim, ufunc):
    """The function of an operation of one tensor."""
    rule = prim.rule((0,), True)
    names = tuple("x" if n == prim.operands[0] else n for n in rule.names)
    want = {(): 0, ("x",): 1, ("ans",): 2, ("x", "ans"): 3, ("ans", "x"): 4}[names]
    row.at_level = level_lanes.unary(prim)
    row.at_map = map_lanes.unary(row, ufunc)
    quick = None

    def fun(input=None, *, out=None, x=None):
        if quick is not None and out is x:
            t = quick(input)
            if t is not None:
                return t
        if out is x and (type(input) is Tensor or type(input) is Parameter):
            m = MODES.get()
            if m is None or m.packing is not None:
                if (not input.dispatch_key or input.dispatch_key == VIEW and is_current(input)):
                    x = input.value
                    token = error_state()
                    try:
                        enter_error_state(QUIET)
                        v = ufunc(x)
                    finally:
                        restore_fp_warnings(token)
                    if type(v) is not ndarray:
                        v = asarray(v)
                    t = new(Tensor)
                    t.value = v
                    t.autograd_meta = t.level_trace = None
                    t.wants_grad = False
                    t.dispatch_key = FAST
                    p = input.node
                    if p is None:
                        if not input.wants_grad:
                            t.node = None
                            return t
                        p = accumulator(input)
                    t.node = node = GradNode()
                    node.rule = rule
                    node.parents = p
                    node.saved = x if want == 1 else v if want == 2 else None if want == 0 else (x, v) if want == 3 else (v, x)
                    node.seq = next_seq()
                    node.extra = None
                    if m is not None:
                        pack(t.node, m.packing, ())
                    return t
            elif m.still and (not input.dispatch_key or input.dispatch_key == INFERENCE or input.dispatch_key == VIEW and untangled(input)):
                token = error_state()
                try:
                    enter_error_state(QUIET)
                    v = ufunc(input.value)
                finally:
                    restore_fp_warnings(token)
                if type(v) is not ndarray:
                    v = asarray(v)
                t = new(Tensor)
                t.value = v
                t.node = t.level_trace = None
                t.wants_grad = False
                if m.inference:
                    t.autograd_meta = INFERRED
                    t.dispatch_key = INFERENCE
                else:
                    t.autograd_meta = None
                    t.dispatch_key = FAST
                return t
        named = {k: v for k, v in (("out", out), ("x", x)) if v is not None}
        return invoke(row, fun, () if input is None and x is not None else (input,), named)

    return with_small_calls(with_quick(fun, prim, ufunc, (rule,)), True)


def broadcast(prim, active, broad):
    """The rule of a binary operation whose operands `broad` were broadcast, and which avals it saves."""
    rule = prim.rule(active, True, tuple([i for i in active if i in broad]))
    return rule, rule.collect, *[name + "_aval" in rule.names for name in prim.operands]


def binary(row, prim, op, operator=False):
    """The function of an operation of two tensors, or a tensor and a number.

    As the method of an `operator` it gives NotImplemented where the other operand is neither: NumPy takes its arrays then.
    """
    both = prim.rule((0, 1), True)
    left = prim.rule((0,), True)
    right = prim.rule((1,), True)
    wide = [broadcast(prim, active, broad) for active in ((0,), (1,), BOTH) for broad in ((0,), (1,), BOTH)]
    both_none = both.collect is None
    left_none = left.collect is None
    right_none = right.collect is None
    both_xy = both.names == prim.operands or both.names == prim.operands[::-1]
    swapped = both.names == prim.operands[::-1]
    row.at_level = level_lanes.binary(row, prim)
    row.at_map = map_lanes.binary(row, op)
    arithmetic = prim.name in bare_tensors.ARITHMETIC
    quick = None

    def fun(input, other):
        if quick is not None:
            t = quick(input, other)
            if t is not None:
                return t
        if type(input) is Tensor or type(input) is Parameter:
            m = MODES.get()
            kind = type(other)
            if (m is None or m.packing is not None) and (not input.dispatch_key or input.dispatch_key == VIEW and is_current(input)):
                x = input.value
                if kind is Tensor or kind is Parameter:
                    y = other.value
                    if (not other.dispatch_key or other.dispatch_key == VIEW and is_current(other)) and x.dtype is y.dtype:
                        token = error_state()
                        try:
                            enter_error_state(QUIET)
                            v = op(x, y)
                        except ValueError:
                            return invoke(row, fun, (input, other), {})
                        finally:
                            restore_fp_warnings(token)
                        if type(v) is not ndarray:
                            v = asarray(v)
                        elif v.ndim > 1 and v.strides != x.strides:
                            v = laid_out(v, x, y)
                        t = new(Tensor)
                        t.value = v
                        t.autograd_meta = t.level_trace = None
                        t.wants_grad = False
                        t.dispatch_key = FAST
                        q = other.node
                        if q is None and other.wants_grad:
                            q = accumulator(other)
                        p = input.node
                        if p is None and input.wants_grad:
                            p = accumulator(input)
                        if p is None and q is None:
                            t.node = None
                            return t
                        if x.shape != y.shape:
                            shape = v.shape
                            rule, collect, first, second = wide[(3 if p is None else 0 if q is None else 6) + (
                                1 if x.shape == shape else 0 if y.shape == shape else 2)]
                            saved = None if collect is None else collect(
                                (x, y, v, aval_of(x) if first else None, aval_of(y) if second else None))
                            t.node = node = GradNode()
                            node.rule = rule
                            node.parents = q if p is None else p if q is None else (p, q)
                            node.saved = saved
                            node.seq = next_seq()
                            node.extra = None
                        elif p is None:
                            t.node = node = GradNode()
                            node.rule = right
                            node.parents = q
                            node.saved = None if right_none else right.collect((x, y, v))
                            node.seq = next_seq()
                            node.extra = None
                        elif q is None:
                            t.node = node = GradNode()
                            node.rule = left
                            node.parents = p
                            node.saved = None if left_none else left.collect((x, y, v))
                            node.seq = next_seq()
                            node.extra = None
                        else:
                            saved = None if both_none else (
                                (y, x) if swapped else (x, y)) if both_xy else both.collect((x, y, v))
                            t.node = node = GradNode()
                            node.rule = both
                            node.parents = (p, q)
                            node.saved = saved
                            node.seq = next_seq()
                            node.extra = None
                        if m is not None:
                            pack(t.node, m.packing, ())
                        return t
                elif kind is float or kind is int and -EXACT <= other <= EXACT:
                    y = CONSTS[x.dtype].get(other)
                    if y is None:
                        y = constant(other, x.dtype)
                    token = error_state()
                    try:
                        enter_error_state(QUIET)
                        v = op(x, y)
                    finally:
                        restore_fp_warnings(token)
                    if type(v) is not ndarray:
                        v = asarray(v)
                    t = new(Tensor)
                    t.value = v
                    t.autograd_meta = t.level_trace = None
                    t.wants_grad = False
                    t.dispatch_key = FAST
                    p = input.node
                    if p is None:
                        if not input.wants_grad:
                            t.node = None
                            return t
                        p = accumulator(input)
                    t.node = node = GradNode()
                    node.rule = left
                    node.parents = p
                    node.saved = None if left_none else left.collect((x, y, v))
                    node.seq = next_seq()
                    node.extra = None
                    if m is not None:
                        pack(t.node, m.packing, RIGHT)
                    return t
            elif m is not None and m.still and (not input.dispatch_key or input.dispatch_key == INFERENCE or input.dispatch_key == VIEW and untangled(input)):
                x = input.value
                y = None
                if kind is Tensor or kind is Parameter:
                    if (not other.dispatch_key or other.dispatch_key == INFERENCE or other.dispatch_key == VIEW and untangled(other)) and x.dtype is other.value.dtype:
                        y = other.value
                elif kind is float or kind is int and -EXACT <= other <= EXACT:
                    y = CONSTS[x.dtype].get(other)
                    if y is None:
                        y = constant(other, x.dtype)
                if y is not None:
                    token = error_state()
                    try:
                        enter_error_state(QUIET)
                        v = op(x, y)
                    except ValueError:
                        return invoke(row, fun, (input, other), {})
                    finally:
                        restore_fp_warnings(token)
                    if type(v) is not ndarray:
                        v = asarray(v)
                    elif v.ndim > 1 and v.strides != x.strides:
                        v = laid_out(v, x, y)
                    t = new(Tensor)
                    t.value = v
                    t.node = t.level_trace = None
                    t.wants_grad = False
                    if m.inference:
                        t.autograd_meta = INFERRED
                        t.dispatch_key = INFERENCE
                    else:
                        t.autograd_meta = None
                        t.dispatch_key = FAST
                    return t
            elif arithmetic and input.dispatch_key == GENERAL and input.value.dtype in bare_tensors.OTHERS and (
                    other.dispatch_key == GENERAL if kind is Tensor else kind is float or kind is int):
                t = bare_tensors.combined(prim.fun, input, other)
                if t is not None:
                    return t
        if operator and not isinstance(other, OPERANDS) and not hasattr(other, "__torch_function__"):
            return NotImplemented
        return invoke(row, fun, (input, other), {})

    rules = left, right, both, *[rule for rule, *_ in wide]
    return with_small_calls(with_quick(fun, prim, op, rules), True)


def flat(row, ufunc):
    """The function of a comparison: a tensor of booleans without history."""

    def fun(input, other):
        m = MODES.get()
        if type(input) in PLAIN_KINDS and input.dispatch_key != GENERAL and (m is None or m.still):
            x = input.value
            kind = type(other)
            if kind in PLAIN_KINDS and other.dispatch_key != GENERAL:
                y = other.value
                if x.dtype is not y.dtype:
                    return invoke(row, fun, (input, other), {})
            elif kind is float or kind is int:
                y = other
            else:
                return invoke(row, fun, (input, other), {})
            try:
                v = ufunc(x, y)
            except ValueError:
                return invoke(row, fun, (input, other), {})
            t = new(Tensor)
            t.value = v if type(v) is ndarray else asarray(v)
            t.autograd_meta = t.level_trace = None
            t.wants_grad = False
            t.dispatch_key = GENERAL
            t.node = None
            if m is not None and m.inference:
                t.autograd_meta = INFERRED
            return t
        return invoke(row, fun, (input, other), {})

    return fun


def total(row, prim, title):
    """The function of a reduction over all elements: `sum()` or `mean()`."""
    rule = NamedRule(prim.rule((0,), True), title)
    impl = prim.impl
    axes = [tuple(range(n)) for n in range(33)]
    row.at_level = level_lanes.reduction(row, prim, title, axes)
    row.at_map = map_lanes.total(row)

    def fun(*args, **named):
        input = args[0] if len(args) == 1 and not named else None
        m = MODES.get()
        if (type(input) is Tensor or type(input) is Parameter) and (m is None or m.packing is not None) and (not input.dispatch_key or input.dispatch_key == VIEW and is_current(input)):
            x = input.value
            over = axes[x.ndim]
            token = error_state()
            try:
                enter_error_state(QUIET)
                v = impl(np, x, over, False)
            finally:
                restore_fp_warnings(token)
            if type(v) is not ndarray:
                v = asarray(v)
            t = new(Tensor)
            t.value = v
            t.autograd_meta = t.level_trace = None
            t.wants_grad = False
            t.dispatch_key = FAST
            p = input.node
            if p is None:
                if not input.wants_grad:
                    t.node = None
                    return t
                p = accumulator(input)
            t.node = node = GradNode()
            node.rule = rule
            node.parents = p
            node.saved = rule.collect((x, over, False, v, aval_of(x)))
            node.seq = next_seq()
            node.extra = None
            return t
        if m is not None and m.still and (type(input) is Tensor or type(input) is Parameter) and (not input.dispatch_key or input.dispatch_key == INFERENCE or input.dispatch_key == VIEW and untangled(input)):
            x = input.value
            token = error_state()
            try:
                enter_error_state(QUIET)
                v = impl(np, x, axes[x.ndim], False)
            finally:
                restore_fp_warnings(token)
            if type(v) is not ndarray:
                v = asarray(v)
            t = new(Tensor)
            t.value = v
            t.node = t.level_trace = None
            t.wants_grad = False
            if m.inference:
                t.autograd_meta = INFERRED
                t.dispatch_key = INFERENCE
            else:
                t.autograd_meta = None
                t.dispatch_key = FAST
            return t
        return invoke(row, fun, args, named)

    return fun
