"""Lanes of elementwise operations and sums; tests/core/generate_lanes.py writes them from tests/compat/lanes.template."""

import numbers

import numpy as np

from ..... import _engine, extend
from ..dispatch.call import invoke
from ..dispatch.layouts import laid_out
from ..graph import versions
from ..graph.node import GradNode
from ..graph.node_names import NamedRule
from ..inplace.write import KEEPERS
from ..modes.errstate import restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import MODES
from ..state.edges import accumulator, is_current
from ..types.number_cache import CONSTS, EXACT, constant
from ..types.parameter import PLAIN_KINDS, Parameter
from ..types.tensor_type import FAST, GENERAL, VIEW, Tensor, new
from . import level_lanes
from .copy_slices import can_write, written as written_through

ndarray = np.ndarray
asarray = np.asarray
next_seq = _engine.next_seq
aval_of = extend.aval_of
OPERANDS = (Tensor, numbers.Number, np.ndarray, np.generic)
BOTH = (0, 1)


def unary(row, prim, ufunc):
    """The function of an operation of one tensor."""
    rule = prim.rule((0,), True)
    names = tuple("x" if n == prim.operands[0] else n for n in rule.names)
    want = {(): 0, ("x",): 1, ("ans",): 2, ("x", "ans"): 3, ("ans", "x"): 4}[names]
    row.at_level = level_lanes.unary(prim)

    def fun(input, *, out=None):
        if out is None and (type(input) is Tensor or type(input) is Parameter) and (not input.dispatch_key or input.dispatch_key == VIEW and is_current(input)) and MODES.get() is None:
            x = input.value
            token = suppress_fp_warnings()
            v = ufunc(x)
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
            return t
        return invoke(row, fun, (input,), {} if out is None else {"out": out})

    return fun


def binary(row, prim, op, reflected=False):
    """The function of an operation of two tensors, or a tensor and a number.

    `reflected` makes it give NotImplemented where the other operand is neither, as an operator's method does.
    """
    both = prim.rule((0, 1), True)
    left = prim.rule((0,), True)
    right = prim.rule((1,), True)
    wide = {(active, broad): prim.rule(active, True, tuple([i for i in active if i in broad]))
            for active in ((0,), (1,), BOTH) for broad in ((0,), (1,), BOTH)}
    both_none = both.collect is None
    left_none = left.collect is None
    right_none = right.collect is None
    both_xy = both.names == prim.operands or both.names == prim.operands[::-1]
    swapped = both.names == prim.operands[::-1]
    row.at_level = level_lanes.binary(row, prim)

    def fun(input, other):
        if (type(input) is Tensor or type(input) is Parameter) and (not input.dispatch_key or input.dispatch_key == VIEW and is_current(input)) and MODES.get() is None:
            x = input.value
            kind = type(other)
            if kind is Tensor or kind is Parameter:
                y = other.value
                if (not other.dispatch_key or other.dispatch_key == VIEW and is_current(other)) and x.dtype is y.dtype:
                    token = suppress_fp_warnings()
                    try:
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
                    shape = v.shape
                    if x.shape != shape or y.shape != shape:
                        active = (1,) if p is None else (0,) if q is None else BOTH
                        rule = wide[active, (1,) if x.shape == shape else (0,) if y.shape == shape else BOTH]
                        saved = None if rule.collect is None else rule.collect((x, y, v, aval_of(x), aval_of(y)))
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
                    return t
            elif kind is float or kind is int and -EXACT <= other <= EXACT:
                y = CONSTS[x.dtype].get(other)
                if y is None:
                    y = constant(other, x.dtype)
                token = suppress_fp_warnings()
                v = op(x, y)
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
                return t
        if reflected and not isinstance(other, OPERANDS):
            return NotImplemented
        return invoke(row, fun, (input, other), {})

    return fun


def binary_inplace(prim, ufunc, slow):
    """The in-place form: the memory is written once, where the rule does not need its old contents.

    `slow` is the general in-place method.
    """
    left = prim.rule((0,), True)
    right = prim.rule((1,), True)
    both = prim.rule((0, 1), True)
    keeps = prim.operands[0] in both.names or "ans" in both.names
    left_keeps = prim.operands[0] in left.names or "ans" in left.names
    right_keeps = prim.operands[0] in right.names or "ans" in right.names

    def method(self, other):
        if type(self) not in PLAIN_KINDS or MODES.get() is not None or (
                self.dispatch_key and not (self.dispatch_key == VIEW and can_write(self))):
            return slow(self, other)
        x = self.value
        kind = type(other)
        q = None
        if kind is Tensor or kind is Parameter:
            y = other.value
            if y.dtype is not x.dtype or y is x or not (not other.dispatch_key or other.dispatch_key == VIEW and is_current(other)) or (
                    (y.base is not None or x.base is not None) and versions.root_of(x) is versions.root_of(y)):
                return slow(self, other)
            q = other.node
            if q is None and other.wants_grad:
                q = accumulator(other)
        elif kind is float or kind is int and -EXACT <= other <= EXACT:
            y = CONSTS[x.dtype].get(other)
            if y is None:
                y = constant(other, x.dtype)
        else:
            return slow(self, other)
        p = self.autograd_meta.base.node if self.dispatch_key else self.node
        if self.wants_grad and p is None or not x.flags.writeable:
            return slow(self, other)
        if (keeps if q is not None else left_keeps) if p is not None else q is not None and right_keeps:
            return slow(self, other)
        if (q is not None or p is not None) and y.shape != x.shape and (q is not None or y.ndim):
            return slow(self, other)
        if p is not None and (p.extra is not None and not p.extra.quiet or (
                p.rule is not None and p.rule.prim is not None and p.rule.prim.name in KEEPERS)):
            return slow(self, other)
        token = suppress_fp_warnings()
        try:
            _ = ufunc(x, y, x)
        except ValueError:
            return slow(self, other)
        finally:
            restore_fp_warnings(token)
        root = x if x.base is None else versions.root_of(x)
        entry = versions.WRITTEN.get(id(root))
        if entry is None:
            entry = versions.WRITTEN[id(root)] = versions.Written(root)
        entry.count += 1
        entry.stamps.append(next_seq())
        if self.dispatch_key:
            rule = both if q is not None else left
            written_through(self, rule, q, None if rule.collect is None else rule.collect((None, y, None)))
        elif p is not None or q is not None:
            rule = both if p is not None and q is not None else left if p is not None else right
            saved = None if rule.collect is None else rule.collect((None, y, None))
            self.node = node = GradNode()
            node.rule = rule
            node.parents = (p, q) if p is not None and q is not None else q if p is None else p
            node.saved = saved
            node.seq = next_seq()
            node.extra = None
        return self

    return method


def flat(row, ufunc):
    """The function of a comparison: a tensor of booleans without history."""

    def fun(input, other):
        if type(input) in PLAIN_KINDS and input.dispatch_key != GENERAL and MODES.get() is None:
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
            return t
        return invoke(row, fun, (input, other), {})

    return fun


def total(row, prim, title):
    """The function of a reduction over all elements: `sum()` or `mean()`."""
    rule = NamedRule(prim.rule((0,), True), title)
    impl = prim.impl
    axes = [tuple(range(n)) for n in range(33)]
    row.at_level = level_lanes.reduction(row, prim, title, axes)

    def fun(*args, **named):
        input = args[0] if len(args) == 1 and not named else None
        if (type(input) is Tensor or type(input) is Parameter) and (not input.dispatch_key or input.dispatch_key == VIEW and is_current(input)) and MODES.get() is None:
            x = input.value
            over = axes[x.ndim]
            token = suppress_fp_warnings()
            v = impl(np, x, over, False)
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
        return invoke(row, fun, args, named)

    return fun
