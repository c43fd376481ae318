"""The fast paths of operations at the innermost running level of `func`: computed one level down, with one node.

What `call.compute` and the level's `process` do, without the boxes in between. `modes.quick` names the level where
nothing else is in force. The ambient level has the same lanes (`trace` None) while dual tensors are about. A lane
returns None for what it does not take.
"""

import numpy as np

from ..... import _engine, extend
from ..dispatch.call import general
from ..dispatch.lowering import lifted
from ..dispatch.output_aliasing import DUPLICATE
from ..graph.node import GradNode
from ..graph.node_names import NamedRule, in_order
from ..graph.versions import root_of
from ..modes.errstate import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.levels import DUAL, exact
from ..types.arrays import ARRAYS
from ..types.number_cache import FLOATS
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import FAST, GENERAL, Record, Tensor, new
from ..values.core_values import lift
from ..values.tangents import set_tangent
from ..views.views import shape_dtype
from .level_operands import NOT_HERE, operand

ndarray = np.ndarray
Tracer = extend.Tracer
next_seq = _engine.next_seq
aval_of = extend.aval_of
broadcast_to = extend.REGISTRY["broadcast_to"].fun


def dual(t):
    """Tell whether a tensor may be a dual one of the ambient level."""
    return type(t) is Tensor and t.dispatch_key == GENERAL and t.level_trace is None


def raised(trace, v):
    """The tensor of a level over a core value of floats one level down."""
    if type(v) is not ndarray and (isinstance(v, Tracer) or type(v) in ARRAYS):
        below = lift(v)
        if trace is None:
            return below
    else:
        below = new(Tensor)
        below.value = v if type(v) is ndarray else np.asarray(v)
        below.node = below.autograd_meta = below.level_trace = None
        below.wants_grad = False
        below.dispatch_key = FAST
        if trace is None:
            return below
    t = new(Tensor)
    t.value = below
    t.node = t.autograd_meta = None
    t.level_trace = trace
    t.wants_grad = False
    t.dispatch_key = GENERAL
    return t


def recorded(t, rule, parents, saved):
    """Give a new tensor its node."""
    t.node = node = GradNode()
    node.rule = rule
    node.parents = parents
    node.saved = saved
    node.seq = next_seq()
    node.extra = None


def pushed(t, trace, dv, v, tangents):
    """Give a new tensor its tangent, a core value one level down, in memory that is none of the operands' tangents'."""
    if dv.shape != v.shape:
        dv = broadcast_to(dv, v.shape)
    array = extend.unwrap(dv)
    if type(array) is ndarray:
        for d in tangents:
            other = extend.unwrap(d)
            if other is array or array.base is not None and type(other) is ndarray and (
                    root_of(other) is root_of(array)):
                dv = DUPLICATE.fun(dv)
                break
    dv = lift(dv)
    if trace is None and (dv.value.base is not None or dv.value.strides != t.value.strides):
        set_tangent(t, dv)
        return
    t.autograd_meta = meta = Record()
    meta.tangent = DUAL.get() if trace is None else trace, dv, False
    t.dispatch_key = GENERAL


def pushes(prim):
    """For each operand its part of the tangent, as a function of `(dx, (*operands, ans))`; None if one needs more."""
    slots = {name: i for i, name in enumerate((*prim.operands, "ans"))}
    found = []
    for i in range(len(prim.operands)):
        formula = prim.jvp.real.get(i)
        if formula is None or any(n not in slots for n in formula.names):
            return None
        found.append(_push(formula.fn, [slots[n] for n in formula.names]))
    return found


def _push(fn, places):
    if not places:
        return lambda dx, record: fn(dx)
    if len(places) == 1:
        (a,) = places
        return lambda dx, record: fn(dx, record[a])
    return lambda dx, record: fn(dx, *[record[k] for k in places])


def unary(prim):
    """The operation of one tensor at a level, as a function of the tensor and the level."""
    rule = prim.rule((0,), True)
    fun = prim.fun
    collect = rule.collect
    push = pushes(prim)

    def at(args, trace):
        if len(args) != 1:
            return None
        (t,) = args
        if type(t) is not Tensor or t.level_trace is not trace or trace is None and t.dispatch_key != GENERAL:
            return None
        x, p, dx = operand(t, trace)
        if x is NOT_HERE[0] or x.dtype not in FLOATS or dx is not None and push is None:
            return None
        token = error_state()
        try:
            suppress_fp_warnings()
            v = fun(x)
            dv = None if dx is None else push[0](dx, (x, v))
        finally:
            restore_fp_warnings(token)
        out = raised(trace, v)
        if p is not None:
            recorded(out, rule, p, None if collect is None else collect((x, v)))
        elif dv is not None:
            pushed(out, trace, dv, v, (dx,))
        return out

    return at


def binary(row, prim):
    """The operation of two tensors, or of a tensor and a number, at a level."""
    rules = {(active, fixes): prim.rule(active, True, fixes) for active in ((0,), (1,), (0, 1))
             for fixes in ((), (0,), (1,), (0, 1)) if set(fixes) <= set(active)}
    fun = prim.fun
    push = pushes(prim)
    layout = row.layout

    def at(args, trace):
        input, other = args
        kind = type(other)
        if not (dual(input) or dual(other) if trace is None else kind is Tensor and other.level_trace is trace
                or type(input) is Tensor and input.level_trace is trace):
            return None
        if kind is Tensor:
            y, q, dy = operand(other, trace)
            if y is NOT_HERE[0]:
                return None
            dtype = y.dtype
        if type(input) is Tensor:
            x, p, dx = operand(input, trace)
            if x is NOT_HERE[0] or kind is Tensor and x.dtype != dtype:
                return None
            dtype = x.dtype
        if dtype not in FLOATS:
            return None
        if kind is not Tensor:
            y = exact(other, dtype)
            q = dy = None
            if y is None:
                return None
        elif type(input) is not Tensor:
            x = exact(input, dtype)
            p = dx = None
            if x is None:
                return None
        if (dx is not None or dy is not None) and (push is None or p is not None or q is not None):
            return None  # a node that keeps tangents is for the general path
        token = error_state()
        try:
            suppress_fp_warnings()
            v = fun(x, y)
            dv = None
            if dx is not None:
                dv = push[0](dx, (x, y, v))
            if dy is not None:
                part = push[1](dy, (x, y, v))
                dv = part if dv is None else dv + part
        except ValueError:
            return None  # shapes that do not fit: the general path says how
        finally:
            restore_fp_warnings(token)
        if layout is not None and type(v) is ndarray and v.ndim > 1:
            v = layout(v, [t for t in (input, other) if type(t) is Tensor])
        out = raised(trace, v)
        if p is not None or q is not None:
            shape = v.shape
            active = (1,) if p is None else (0,) if q is None else (0, 1)
            fixes = tuple([i for i in active if (y if i else x).shape != shape])
            rule = rules[active, fixes]
            saved = None
            if rule.collect is not None:
                saved = rule.collect((x, y, v, aval_of(x), aval_of(y)) if fixes else (x, y, v))
            recorded(out, rule, (p, q) if len(active) == 2 else p if q is None else q, saved)
        elif dv is not None:
            pushed(out, trace, dv, v, [d for d in (dx, dy) if d is not None])
        return out

    return at


def several(row, prim, title, plain=False, order=None, matrices=False):
    """An operation of several tensors by one primitive at a level; its node has torch's title.

    Args:
        plain: whether its plain rule holds for floats of one dtype in all shapes that come here.
        order: the places of the primitive's operands in torch's order, in which the node shows them.
        matrices: whether it is a product; cotangents of matrices that lie column by column do so, too.
    """
    fun = prim.fun
    layout = row.layout
    rules = {}

    def at(tensors, params, trace):
        found = [operand(t, trace) for t in tensors]
        values = [f[0] for f in found]
        dtype = None
        for x in values:
            if x is NOT_HERE[0] or x.dtype not in FLOATS or dtype is not None and x.dtype != dtype:
                return None
            dtype = x.dtype
        active = tuple([i for i, f in enumerate(found) if f[1] is not None])
        tangents = {i: f[2] for i, f in enumerate(found) if f[2] is not None}
        if active and tangents:
            return None
        token = error_state()
        try:
            suppress_fp_warnings()
            v = fun(*values, *params)
            dv = prim.tangent(tangents, (*values, *params), v) if tangents else None
        finally:
            restore_fp_warnings(token)
        if layout is not None and type(v) is ndarray and v.ndim > 1:
            v = layout(v, tensors)
        if isinstance(v, Tracer):
            out = new(Tensor)
            out.value = lifted(v, title, tensors)
            out.node = out.autograd_meta = None
            out.level_trace = trace
            out.wants_grad = False
            out.dispatch_key = GENERAL
        else:
            out = raised(trace, v)
        if active:
            turned = tuple([i for i in active if i < 2 and by_columns(values[i])]) if matrices else ()
            rule = rules.get((active, turned))
            if rule is None:
                rule = _engine.column_rule(prim, active, turned) if turned else prim.rule(active, plain)
                rule = rules[active, turned] = NamedRule(rule, title, *(
                    () if order is None else (in_order(active, order), (row, (...,) * len(order), {}))))
            saved = None
            if rule.collect is not None:
                saved = rule.collect((*values, *params, v, *[aval_of(x) for x in values], None))
            parents = tuple([found[i][1] for i in active])
            recorded(out, rule, parents if len(parents) > 1 else parents[0], saved)
        elif dv is not None:
            pushed(out, trace, dv, v, tangents.values())
        return out

    return at


def reduction(row, prim, title, axes):
    """A reduction over all elements at a level."""
    at_all = several(row, prim, title, plain=True)

    def at(args, trace):
        if len(args) != 1:
            return None
        (t,) = args
        if type(t) is not Tensor or t.level_trace is not trace or trace is None and t.dispatch_key != GENERAL:
            return None
        return at_all(args, (axes[t.ndim], False), trace)

    return at


def by_columns(x):
    """Tell whether a matrix lies column by column; traced ones as their examples do."""
    array = extend.unwrap(x) if isinstance(x, Tracer) else x
    if type(array) not in ARRAYS or x.ndim != 2:
        return False
    down, along = array.strides[-2:]
    return down == array.itemsize and along == down * array.shape[-2]


def of_tensors(name, title, fits, order, matrices=False):
    """What makes the function of an operation that is one primitive of all its tensors: `invoke`, and quick at a level.

    Args:
        name, title: the primitive, and torch's name of the node.
        fits: whether the shapes of the tensors are those that the primitive takes.
        order, matrices: see `several`.
    """

    def lane(row):
        of = several(row, extend.REGISTRY[name], title, True, order, matrices)
        places = sorted(range(len(order)), key=order.__getitem__)

        def at(args, trace):
            if len(args) != len(order) or not here(args, trace) or not fits(*[shape_dtype(t)[0] for t in args]):
                return None
            return of([args[k] for k in places], (), trace)

        row.at_level = at
        return general(row)

    return lane


def here(tensors, trace):
    """Tell whether all are tensors, and one of them at a level."""
    found = False
    for t in tensors:
        if type(t) not in PLAIN_KINDS:
            return False
        found = found or (dual(t) if trace is None else t.level_trace is trace)
    return found


_PRODUCTS = {(2, 2): "MmBackward0", (1, 2): "SqueezeBackward4", (2, 1): "MvBackward0", (1, 1): "DotBackward0"}


def product(row):
    """The function of a product of matrices (and vectors, where it has them): `invoke`, and quick at a level."""
    prim = extend.REGISTRY["matmul"]
    of_ranks = {ranks: several(row, prim, title, plain=True, matrices=True) for ranks, title in _PRODUCTS.items()
                if ranks == (2, 2) or type(row.node) is dict}

    def at(args, trace):
        if len(args) != 2:
            return None
        x, y = args
        if type(x) is not Tensor or type(y) is not Tensor or not (
                dual(x) or dual(y) if trace is None else x.level_trace is trace or y.level_trace is trace):
            return None
        a, b = shape_dtype(x)[0], shape_dtype(y)[0]
        of = of_ranks.get((len(a), len(b)))
        return None if of is None or a[-1] != b[0] else of(args, (), trace)

    row.at_level = at
    return general(row)
