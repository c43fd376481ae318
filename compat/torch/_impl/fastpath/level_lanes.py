"""The fast paths of operations at the innermost running level of `func`: computed one level down, with one node.

What `call.compute` and the level's `process` do, without the boxes in between. `modes.quick` names the level where
nothing else is in force. The ambient level has the same lanes (`trace` None) while dual tensors are about. A lane
returns None for what it does not take.
"""

import operator

import numpy as np

from ..... import _primitives, extend
from ..dispatch.call import general
from ..dispatch.call_source import DUPLICATE
from ..dispatch.lowering import lifted
from ..graph.node_names import NamedRule, in_order
from ..graph.recording import noted
from ..graph.versions import root_of
from ..state.levels import DUAL, exact
from ..state.makers import above, made, quieted
from ..state.plain import OPEN
from ..types.arrays import ARRAYS
from ..types.number_cache import FLOATS
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import GENERAL, Record, Tensor
from ..values.core_values import lift
from ..values.tangents import set_tangent
from ..views.views import shape_dtype
from .level_operands import NOT_HERE, operand

ndarray = np.ndarray
Tracer = extend.Tracer
aval_of = extend.aval_of
broadcast_to = extend.REGISTRY["broadcast_to"].fun
_SIDES = (0,), (1,), (0, 1)


def lives(x, trace):
    """Tell whether an object is a tensor of a level; of the ambient one, whether it may be a dual tensor."""
    if type(x) is not Tensor or not OPEN[0]:
        return False
    t: TensorSlots = x
    return t.level_trace is trace and (trace is not None or t.dispatch_key == GENERAL)


def raised(trace, v):
    """The tensor of a level over a core value of floats one level down."""
    if type(v) is not ndarray and (isinstance(v, Tracer) or type(v) in ARRAYS):
        below = lift(v)
    else:
        below = made(v if type(v) is ndarray else np.asarray(v), None)
    return below if trace is None else above(trace, below)


def pushed(out, trace, dv, v, tangents):
    """Give a new tensor its tangent, a core value one level down, in memory that is none of the operands' tangents'."""
    t: TensorSlots = out
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
    @quieted
    def push(dx, record):
        return fn(dx, *[record[k] for k in places])

    return push


plus = quieted(operator.add)


def unary(prim, op):
    """The operation of one tensor at a level, as a function of the tensor and the level; `op` is that of arrays."""
    rule = prim.rule((0,), True)
    fun = quieted(prim.fun)
    collect = rule.collect
    push = pushes(prim)

    def at(args, trace):
        if len(args) != 1 or not lives(args[0], trace):
            return None
        x, p, dx = operand(args[0], trace)
        if x is NOT_HERE[0] or x.dtype not in FLOATS or dx is not None and push is None:
            return None
        v = op(x) if type(x) is ndarray else fun(x)
        out: TensorSlots = raised(trace, v)
        if p is not None:
            out.node = noted(rule, p, None if collect is None else collect((x, v)))
        elif dx is not None:
            pushed(out, trace, push[0](dx, (x, v)), v, (dx,))
        return out

    return at


def binary(row, prim, op):
    """The operation of two tensors, or of a tensor and a number, at a level; `op` is that of arrays."""
    rules = {(active, fixes): prim.rule(active, True, fixes) for active in _SIDES
             for fixes in ((), (0,), (1,), (0, 1)) if set(fixes) <= set(active)}
    fun = quieted(prim.fun)
    push = pushes(prim)
    layout = row.layout

    def at(args, trace):
        input, other = args
        if not lives(input, trace) and not lives(other, trace):
            return None
        x = y = p = q = dx = dy = None
        if type(other) is Tensor:
            y, q, dy = operand(other, trace)
            if y is NOT_HERE[0]:
                return None
        if type(input) is Tensor:
            x, p, dx = operand(input, trace)
            if x is NOT_HERE[0] or y is not None and x.dtype != y.dtype:
                return None
        dtype = y.dtype if x is None else x.dtype
        if dtype not in FLOATS:
            return None
        if y is None:
            y = exact(other, dtype)
        elif x is None:
            x = exact(input, dtype)
        if x is None or y is None or (dx is not None or dy is not None) and (
                push is None or p is not None or q is not None):
            return None  # a node that keeps tangents is for the general path
        try:
            v = op(x, y) if type(x) is ndarray and type(y) is ndarray else fun(x, y)
            dv = None if dx is None else push[0](dx, (x, y, v))
            if dy is not None:
                part = push[1](dy, (x, y, v))
                dv = part if dv is None else plus(dv, part)
        except ValueError:
            return None  # shapes that do not fit: the general path says how
        if layout is not None and type(v) is ndarray and v.ndim > 1:
            v = layout(v, [t for t in (input, other) if type(t) is Tensor])
        out: TensorSlots = raised(trace, v)
        if p is not None or q is not None:
            shape = v.shape
            active = _SIDES[1 if p is None else 0 if q is None else 2]
            fixes = tuple([i for i in active if (y if i else x).shape != shape])
            rule = rules[active, fixes]
            saved = None
            if rule.collect is not None:
                saved = rule.collect((x, y, v, aval_of(x), aval_of(y)) if fixes else (x, y, v))
            out.node = noted(rule, (p, q) if len(active) == 2 else p if q is None else q, saved)
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
    fun, tangent = quieted(prim.fun), quieted(prim.tangent)
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
        v = fun(*values, *params)
        dv = tangent(tangents, (*values, *params), v) if tangents else None
        if layout is not None and type(v) is ndarray and v.ndim > 1:
            v = layout(v, tensors)
        out: TensorSlots = above(trace, lifted(v, title, tensors)) if isinstance(v, Tracer) else raised(trace, v)
        if active:
            turned = tuple([i for i in active if i < 2 and by_columns(values[i])]) if matrices else ()
            rule = rules.get((active, turned))
            if rule is None:
                rule = _primitives.column_rule(prim, active, turned) if turned else prim.rule(active, plain)
                rule = rules[active, turned] = NamedRule(rule, title, *(
                    () if order is None else (in_order(active, order), (row, (...,) * len(order), {}))))
            saved = None
            if rule.collect is not None:
                saved = rule.collect((*values, *params, v, *[aval_of(x) for x in values], None))
            parents = tuple([found[i][1] for i in active])
            out.node = noted(rule, parents if len(parents) > 1 else parents[0], saved)
        elif dv is not None:
            pushed(out, trace, dv, v, tangents.values())
        return out

    return at


def reduction(row, prim, title, axes):
    """A reduction over all elements at a level."""
    at_all = several(row, prim, title, plain=True)

    def at(args, trace):
        if len(args) != 1 or not lives(args[0], trace):
            return None
        return at_all(args, (axes[args[0].ndim], False), trace)

    return at


def by_columns(x):
    """Tell whether a matrix lies column by column; traced ones as their examples do."""
    array = extend.unwrap(x) if isinstance(x, Tracer) else x
    if type(array) not in ARRAYS or x.ndim != 2:
        return False
    down, along = array.strides[-2:]
    return down == array.itemsize and along == down * array.shape[-2]


def of_tensors(name, title, fits, order, matrices=False):
    """A lane maker for an operation that is one primitive of all its tensors: `invoke`, and quick at a level.

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
        found = found or lives(t, trace)
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
        if type(x) is not Tensor or type(y) is not Tensor or not (lives(x, trace) or lives(y, trace)):
            return None
        a, b = shape_dtype(x)[0], shape_dtype(y)[0]
        of = of_ranks.get((len(a), len(b)))
        return None if of is None or a[-1] != b[0] else of(args, (), trace)

    row.at_level = at
    return general(row)
