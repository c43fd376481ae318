"""Writes in place to tensors of the innermost level of `func`, over plain ambient ones: the memory, then one node.

What `inplace` and `rebase` do there, as the lanes of the ambient level do it: the memory below has no history of its
own, so it is written as it is. Each function returns False for what it does not take.
"""

import numpy as np

from ..... import _engine, extend
from ..graph import versions
from ..graph.node import GradNode
from ..inplace.write import KEEPERS
from ..modes.errstate import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.edges import untangled
from ..state.levels import exact
from ..types.number_cache import FLOATS
from ..types.tensor_type import VIEW, Tensor, needs_grad
from ..views.overlap import overlapping
from ..views.views import GETITEM
from .basic_index import BASE, BOTH, NUMBER, VALUE, place, same
from .copy_slices import index_of, written
from .level_operands import operand

ndarray = np.ndarray
aval_of = extend.aval_of
next_seq = _engine.next_seq


def memory_below(t, trace):
    """The array of a tensor of a level over an ambient one without history and tangent; None for any other."""
    if type(t) is not Tensor or t.level_trace is not trace:
        return None
    b = t.value
    if b.level_trace is not None or b.node is not None or b.wants_grad or b.dispatch_key > VIEW:
        return None
    if b.dispatch_key and (not untangled(b) or needs_grad(b.autograd_meta.base)):
        return None
    array = b.value
    return array if array.flags.writeable and not (versions.EXPOSED and versions.exposed(array)) else None


def silent(node):
    """Tell whether a node has no hook that a write is to be told of, and kept nothing that a write spoils."""
    extra, rule = node.extra, node.rule
    return (extra is None or extra.quiet) and rule is not None and (
        rule.prim is None or rule.prim.name not in KEEPERS)


def base_of(t, x, trace):
    """What has the history of a tensor: itself, or the base of the view that it is; None where a write is no common
    one."""
    meta = t.autograd_meta
    if meta is None:
        return t if t.node is None and not t.wants_grad or t.node is not None and silent(t.node) else None
    if meta.tangent is not None or meta.forward_base is not None or meta.relaid or meta.creation is not None:
        return None
    base = meta.base
    if base is None:
        return t if t.node is None and not t.wants_grad or t.node is not None and silent(t.node) else None
    root = base.autograd_meta
    if t.wants_grad or base.node is None or not silent(base.node) or root is not None and (
            root.tangent is not None or root.relaid or root.forward_base is not None):
        return None
    if t.node is not None and t.node.extra is not None and not t.node.extra.quiet:
        return None
    whole = memory_below(base, trace)
    if whole is None or not (len(meta.steps) == 1 and meta.steps[0][0] is GETITEM or (
            whole.ndim > 0 and whole.flags.c_contiguous and not overlapping(x))):
        return None
    return base


def value_of(value, x, trace):
    """`(array, node)` of what is written beside the memory `x`: a number, or a tensor; None for anything else."""
    if type(value) is not Tensor:
        y = exact(value, x.dtype)
        return None if y is None else (y, None)
    y, q, tangent = operand(value, trace)
    if type(y) is not ndarray or y.dtype is not x.dtype or tangent is not None:
        return None
    return y, q


def updated(t, other, trace, ufunc, rules, keeps):
    """`t += other` and related writes.

    Args:
        rules: those of an operation whose `(left, right, both)` operands are recorded.
        keeps: for each whether it needs the old contents or the new ones.
    """
    x = memory_below(t, trace)
    found = x is not None and x.dtype in FLOATS and value_of(other, x, trace)
    if not found:
        return False
    y, q = found
    if type(other) is Tensor and (y is x or versions.root_of(x) is versions.root_of(y)):
        return False
    base = base_of(t, x, trace)
    if base is None:
        return False
    p = base.node
    which = (2 if q is not None else 0) if p is not None else 1
    if (p is not None or q is not None) and (keeps[which] or y.shape != x.shape and (q is not None or y.ndim)):
        return False
    token = error_state()
    try:
        suppress_fp_warnings()
        ufunc(x, y, x)
    except ValueError:
        return False
    finally:
        restore_fp_warnings(token)
    versions.bump(x)
    rule = rules[which]
    saved = None if rule.collect is None else rule.collect((None, y, None))
    if base is not t:
        written(t, rule, q, saved)
    elif p is not None or q is not None:
        recorded(t, rule, p if q is None else q if p is None else (p, q), saved)
    return True


def recorded(t, rule, parents, saved):
    """Give a tensor another node."""
    t.node = node = GradNode()
    node.rule = rule
    node.parents = parents
    node.saved = saved
    node.seq = next_seq()
    node.extra = None


def write(t, key, value, trace):
    """`t[key] = value` of a tensor that is no view, for a basic key."""
    x = memory_below(t, trace)
    if x is None or x.dtype not in FLOATS or t.autograd_meta is not None and t.autograd_meta.base is not None:
        return False
    index = place(key if type(key) is tuple else (key,), x.shape)
    if index is None or index[0] == (Ellipsis,) or base_of(t, x, trace) is None:
        return False
    found = value_of(value, x, trace)
    if not found:
        return False
    v, q = found
    spot = index[2]
    if v.ndim:
        part = x[spot]
        if part.shape != v.shape or versions.root_of(v) is versions.root_of(x) and not same(part, v):
            return False
    x[spot] = v
    versions.bump(x)
    p = t.node
    if p is not None or q is not None:
        aval = aval_of(v) if type(value) is Tensor else NUMBER
        recorded(t, VALUE if p is None else BASE if q is None else BOTH, p if q is None else q if p is None else (p, q),
                 (aval_of(x), aval, spot, False))
    return True


def assign(t, value, trace):
    """`t.copy_(value)`, `t.fill_(value)` for a view."""
    x = memory_below(t, trace)
    if x is None or x.dtype not in FLOATS:
        return False
    base = base_of(t, x, trace)
    if base is None or base is t:
        return False
    found = value_of(value, x, trace)
    if not found:
        return False
    v, q = found
    if type(value) is Tensor and (v.shape != x.shape or np.may_share_memory(v, x)):
        return False
    spot = index_of(t)
    x[...] = v
    versions.bump(x)
    p = base.node
    aval = aval_of(v) if type(value) is Tensor else NUMBER
    recorded(base, BASE if q is None else BOTH, p if q is None else (p, q),
             (aval_of(base.value.value), aval, spot, False))
    t.node = None
    t.autograd_meta.attr_version = -1
    return True
