"""The fast paths of sums, means and matrix products of ambient float tensors; all else goes to `invoke`."""

import numpy as np

from ..... import extend
from ..dispatch.call import invoke
from ..graph.node import GradNode, NamedRule
from ..modes.errstate import restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import MODES
from ..state.state import accumulator, new
from ..types.tensor_type import FAST, VIEW, Tensor
from ..views.views import fresh, shape_dtype
from . import level_lanes
from .level_lanes import dual

ndarray = np.ndarray
next_seq = extend.next_seq
aval_of = extend.aval_of
reduce = np.add.reduce
AFFINE = extend.REGISTRY["affine"]
MATMUL = extend.REGISTRY["matmul"]
ACTIVE = [tuple(i for i in range(3) if bits >> i & 1) for bits in range(8)]


def plain(t):
    """Whether a tensor is an ambient one of floats with its history up to date; the modes are the caller's to ask."""
    return type(t) is Tensor and (not t.dispatch_key or t.dispatch_key == VIEW and fresh(t))


def parent(t):
    """The node of a plain tensor as an operand, or None."""
    p = t.node
    return accumulator(t) if p is None and t.wants_grad else p


def tensor(v):
    """A new ambient tensor of floats without history."""
    t = new(Tensor)
    t.value = v if type(v) is ndarray else np.asarray(v)
    t.node = t.autograd_meta = t.level_trace = None
    t.wants_grad = False
    t.dispatch_key = FAST
    return t


def recorded(v, rule, parents, saved):
    """A new ambient tensor of floats and its node."""
    t = tensor(v)
    t.node = node = GradNode()
    node.rule = rule
    node.parents = parents
    node.saved = saved
    node.seq = next_seq()
    node.extra = None
    return t


def total(row, prim, title):
    """`sum()` or `mean()` over all elements."""
    rule = NamedRule(prim.rule((0,), True), title)
    impl = prim.impl
    axes = [tuple(range(n)) for n in range(33)]
    at = level_lanes.several(row, prim, title, plain=True)

    def fun(input, dim=None, keepdim=False, *, dtype=None, out=None, **named):
        if dim is None and dtype is None and out is None and not keepdim and not named and plain(input) \
                and MODES.get() is None:
            x = input.value
            over = axes[x.ndim]
            token = suppress_fp_warnings()
            v = impl(np, x, over, False)
            restore_fp_warnings(token)
            p = input.node
            if p is None:
                if not input.wants_grad:
                    return tensor(v)
                p = accumulator(input)
            return recorded(v, rule, p, rule.collect((x, over, False, v, aval_of(x))))
        if dim is None and dtype is None and out is None and not keepdim and not named and type(input) is Tensor:
            m = MODES.get()
            if m.quick is input.level_trace is not None if m is not None else dual(input):
                found = at((input,), (axes[input.ndim], False), input.level_trace)
                if found is not None:
                    return found
        if out is not None:
            named["out"] = out
        if dtype is not None:
            named["dtype"] = dtype
        if dim is None and named:
            args, named = (input,), named | ({} if keepdim is False else {"keepdim": keepdim})
        elif keepdim is False:
            args = (input,) if dim is None else (input, dim)
        else:
            args = (input, dim, keepdim)
        return invoke(row, fun, args, named)

    return fun


def product(row, vectors=False):
    """Products of two matrices, at a level of `vectors`, too; other ranks go to `invoke`."""
    rules = {a: NamedRule(MATMUL.rule(a, True), "MmBackward0") for a in ((0,), (1,), (0, 1))}
    at = level_lanes.several(row, MATMUL, "MmBackward0", plain=True)
    at_vectors = level_lanes.several(row, MATMUL, row.node, plain=True) if vectors else None

    def fun(*args, out=None, **named):
        if out is not None or named or len(args) != 2:
            return invoke(row, fun, args, named if out is None else named | {"out": out})
        input, other = args
        if plain(input) and plain(other) and MODES.get() is None:
            x, y = input.value, other.value
            if x.ndim == 2 == y.ndim and x.dtype is y.dtype and x.shape[1] == y.shape[0]:
                v = x @ y
                q, p = parent(other), parent(input)
                if p is None and q is None:
                    return tensor(v)
                rule = rules[(0, 1) if p is not None and q is not None else (0,) if p is not None else (1,)]
                parents = (p, q) if p is not None and q is not None else q if p is None else p
                return recorded(v, rule, parents, rule.collect((x, y, v, None, None)))
        if type(input) is Tensor and type(other) is Tensor:
            m = MODES.get()
            if dual(input) or dual(other) if m is None else m.quick is not None and (
                    input.level_trace is m.quick or other.level_trace is m.quick):
                a, b = shape_dtype(input)[0], shape_dtype(other)[0]
                of = at if len(a) == 2 == len(b) else at_vectors if 0 < len(a) < 3 > len(b) > 0 else None
                if of is not None and a[-1] == b[0]:
                    found = of((input, other), (), None if m is None else m.quick)
                    if found is not None:
                        return found
        return invoke(row, fun, args, {})

    return fun


def affine_rules(title, order):
    """The rules of `affine` for each set of differentiated operands.

    `order` lists affine's operands as torch's arguments have them.
    """
    def shows(node):
        parents = node.parents if type(node.parents) is tuple else (node.parents,)
        found = dict(zip(node.rule.active, parents))
        return [found.get(i) for i in order]

    return {a: NamedRule(AFFINE.rule(a, True), title, shows) for a in ACTIVE if a}


def affine(x, w, b, rules):
    """`x @ w + b` of plain tensors whose shapes fit, or None."""
    xv, wv, bv = x.value, w.value, b.value
    if not (xv.ndim == 2 == wv.ndim and xv.dtype is wv.dtype and bv.dtype is xv.dtype and xv.shape[1] == wv.shape[0]
            and bv.ndim <= 2):
        return None
    shape = (xv.shape[0], wv.shape[1])
    if bv.shape != shape[2 - bv.ndim :]:
        return None
    v = xv @ wv
    v += bv
    q, p, r = parent(w), parent(x), parent(b)
    active = ACTIVE[(p is not None) + 2 * (q is not None) + 4 * (r is not None)]
    if not active:
        return tensor(v)
    rule = rules[active]
    parents = tuple([n for n in (p, q, r) if n is not None])
    saved = None if rule.collect is None else rule.collect((xv, wv, bv, v, None, None, aval_of(bv)))
    return recorded(v, rule, parents if len(parents) > 1 else parents[0], saved)


def pair_to_scalar(prim, title):
    """A function of two plain tensors of one shape and dtype that gives a number, as one node."""
    rules = {a: NamedRule(prim.rule(a, True), title) for a in ((0,), (1,), (0, 1))}
    impl = prim.impl

    def fun(input, target):
        x, y = input.value, target.value
        token = suppress_fp_warnings()
        v = impl(np, x, y)
        restore_fp_warnings(token)
        q, p = parent(target), parent(input)
        if p is None and q is None:
            return tensor(v)
        rule = rules[(0, 1) if p is not None and q is not None else (0,) if p is not None else (1,)]
        parents = (p, q) if p is not None and q is not None else q if p is None else p
        return recorded(v, rule, parents, rule.collect((x, y, v, aval_of(x), None)))

    return fun
