"""Lanes of writes in place by elements; tests/core/generate_lanes.py writes them from tests/compat/lanes.template."""

import numpy as np

from ..... import _engine
from ..graph import versions
from ..graph.node import GradNode
from ..inplace.write import KEEPERS
from ..modes.errstate import QUIET, enter_error_state, error_state, restore_fp_warnings
from ..modes.modes import IN_NO_GRAD, MODES
from ..native.functions import with_quick_write
from ..state.edges import accumulator, is_current, untangled
from ..types.number_cache import CONSTS, EXACT, constant
from ..types.parameter import PLAIN_KINDS, Parameter
from ..types.tensor_type import GENERAL, INFERENCE, VIEW, Tensor
from ..views.overlap import overlapping
from ..views.views import GETITEM
from . import bare_tensors, device_writes, level_writes, map_views
from .copy_slices import COPY_SLICES, CopySlices, can_write, hooked, idle, put_of, written as written_through

ndarray = np.ndarray
next_seq = _engine.next_seq
with_small_calls = _engine.with_small_calls
CLOSED = (np.add, np.subtract, np.multiply)  # of two integers they give one


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
    saves = both.collect is not None
    rules = left, right, both
    needs = left_keeps, right_keeps, keeps
    closed = ufunc in CLOSED
    quick = None
    general = slow

    def slow(self, other):
        return self if device_writes.updated(prim.name, self, other) else general(self, other)

    def method(self, other):
        if quick is not None:
            done = quick(self, other)
            if done is not None:
                return done
        m = MODES.get()
        if closed and type(self) is Tensor and self.dispatch_key == GENERAL and bare_tensors.update(ufunc, self, other):
            return self
        if m is not None and (m.packing is None or not hooked(m)):
            if m.quick is not None:
                done = level_writes.updated(self, other, m.quick, ufunc, rules, needs)
            elif m.mapped is not None:
                done = map_views.written(self, other, m, method)
            else:
                done = m.still and type(self) in PLAIN_KINDS and put(ufunc, self, other, m)
            return self if done else slow(self, other)
        if type(self) not in PLAIN_KINDS:
            return slow(self, other)
        if self.dispatch_key and not (self.dispatch_key == VIEW and can_write(self)):
            return self if idle(self) and idle(other) and put(ufunc, self, other, IN_NO_GRAD) else slow(self, other)
        x = self.value
        kind = type(other)
        q = None
        if kind is Tensor or kind is Parameter:
            y = other.value
            if y.dtype is not x.dtype or y is x or not (not other.dispatch_key or other.dispatch_key == VIEW and is_current(other)) or (
                    (y.base is not None or x.base is not None) and versions.root_of(x) is versions.root_of(y)):
                return slow(self, other)
            if m is not None and saves:
                return slow(self, other)  # the hooks are to see what is saved
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
        if self.wants_grad and p is None or not x.flags.writeable or versions.EXPOSED and versions.exposed(x):
            return slow(self, other)
        if (keeps if q is not None else left_keeps) if p is not None else q is not None and right_keeps:
            return slow(self, other)
        if (q is not None or p is not None) and y.shape != x.shape and (q is not None or y.ndim):
            return slow(self, other)
        if p is not None and (p.extra is not None and not (p.extra.quiet or p.extra.packed) or (
                p.rule is not None and p.rule.prim is not None and p.rule.prim.name in KEEPERS)):
            return slow(self, other)
        token = error_state()
        try:
            enter_error_state(QUIET)
            _ = ufunc(x, y, x)
        except ValueError:
            return slow(self, other)
        finally:
            restore_fp_warnings(token)
        _ = versions.note(x)
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

    things = {"CopySlices": CopySlices, "left_copies": COPY_SLICES[left.keeps], "both_copies": COPY_SLICES[both.keeps],
              "put_of": put_of, "GETITEM": GETITEM, "KEEPERS": KEEPERS}
    return with_small_calls(with_quick_write(method, prim, ufunc, rules, needs, things), True)


def put(ufunc, t, other, m):
    """`t += other` and related writes in no_grad or inference_mode; False for what this lane does not take."""
    key = t.dispatch_key
    if not (not t.dispatch_key or t.dispatch_key == INFERENCE or t.dispatch_key == VIEW and untangled(t)) or versions.EXPOSED and versions.exposed(t.value) or key == INFERENCE and not m.inference:
        return False
    x = t.value
    kind = type(other)
    if kind is Tensor or kind is Parameter:
        y = other.value
        if y.dtype is not x.dtype or not (not other.dispatch_key or other.dispatch_key == INFERENCE or other.dispatch_key == VIEW and untangled(other)) or y is not x and (
                (y.base is not None or x.base is not None) and versions.root_of(x) is versions.root_of(y)):
            return False
    elif kind is float or kind is int and -EXACT <= other <= EXACT:
        y = CONSTS[x.dtype].get(other)
        if y is None:
            y = constant(other, x.dtype)
    else:
        return False
    if not x.flags.writeable or key == VIEW and overlapping(x):
        return False
    p = t.node if key != VIEW else t.autograd_meta.base.node
    if p is not None and p.rule is not None and p.rule.prim is not None and p.rule.prim.name in KEEPERS:
        return False
    token = error_state()
    try:
        enter_error_state(QUIET)
        _ = ufunc(x, y, x)
    except ValueError:
        return False
    finally:
        restore_fp_warnings(token)
    if key != INFERENCE:  # as in torch, those have no version, since none can be saved
        _ = versions.note(x)
    return True
