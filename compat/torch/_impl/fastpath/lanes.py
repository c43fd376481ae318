"""The fast road of elementwise operations and sums: what `invoke` gives of plain tensors, with the same node.

Compiled with lanes.pxd beside it. At a level of `func` and in a vmap they ask level_lanes.py and map_lanes.py.
"""

import numbers

import numpy as np

from ..... import extend
from ..dispatch.call import invoke
from ..dispatch.call_source import pack
from ..dispatch.layouts import laid_out
from ..graph.node_names import NamedRule
from ..graph.recording import noted
from ..modes.modes import MODES
from ..state.makers import history, made, number, of_floats, quiet, quieted, result, road, tensor_of, usable
from ..types.number_cache import EXACT
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import GENERAL, INFERRED, Tensor
from . import bare_tensors, level_lanes, map_lanes

ndarray = np.ndarray
aval_of = extend.aval_of
get_modes = MODES.get
OPERANDS = (Tensor, numbers.Number, np.bool_)  # of operators; NumPy takes its arrays itself


def otherwise(row, fun, args, m):
    """An operation on another road than that of plain tensors."""
    if m is not None:
        out = None
        if m.quick is not None:
            out = row.at_level(args, m.quick)
        elif m.mapped is not None:
            out = row.at_map(args, m)
        if out is not None:
            return out
    return invoke(row, fun, args, {})


def unary(row, prim, op):
    """The function of an operation of one tensor, computed by `op`, which gives no warnings."""
    rule = prim.rule((0,), True)
    want: int = {(): 0, (prim.operands[0],): 1, ("ans",): 2}.get(rule.names, 3)  # saved: nothing, the operand, …
    collect = rule.collect
    row.at_level = level_lanes.unary(prim, op)
    row.at_map = map_lanes.unary(row, op)

    def fun(input=None, *, out=None, x=None):
        way: int
        if out is not None or x is not None:
            named = {k: v for k, v in (("out", out), ("x", x)) if v is not None}
            return invoke(row, fun, () if input is None and x is not None else (input,), named)
        m = get_modes()
        way = road(m)
        if way == 3 or not usable(input, way):
            return otherwise(row, fun, (input,), m)
        t: TensorSlots = input
        xv = t.value
        v = op(xv)
        if type(v) is not ndarray:
            v = np.asarray(v)
        node = None if way else history(t)
        if node is not None:
            node = noted(rule, node, None if want == 0 else xv if want == 1 else v if want == 2 else collect((xv, v)))
            if m is not None:
                pack(node, m.packing, ())
        return result(v, node, way)

    return fun


def binary(row, prim, op, operator=False):
    """The function of an operation of two tensors, or a tensor and a number.

    As the method of an `operator` it gives NotImplemented where the other operand is neither: NumPy takes its arrays
    then.
    """
    # What is recorded of the left, the right and both; then the same where operands were broadcast.
    same = [_saver(prim, active, ()) for active in ((0,), (1,), (0, 1))]
    wide = [[_saver(prim, active, broad) for broad in ((0,), (1,), (0, 1))] for active in ((0,), (1,), (0, 1))]
    op = quiet(op)
    row.at_level = level_lanes.binary(row, prim, op)
    row.at_map = map_lanes.binary(row, op)
    arithmetic: bool = prim.name in bare_tensors.ARITHMETIC

    def fun(input, other):
        way: int
        active: int
        m = get_modes()
        way = road(m)
        kind = type(other)
        if way != 3 and usable(input, way):
            t: TensorSlots = input
            u: TensorSlots = None
            x = t.value
            y = v = None
            if kind is float or kind is int and -EXACT <= other <= EXACT:
                y = number(other, x.dtype)
            elif usable(other, way):
                u = other
                y = u.value
                if x.dtype is not y.dtype:
                    y = None
            if y is not None:
                try:
                    v = op(x, y)
                except ValueError:
                    v = None
            if v is not None:
                if type(v) is not ndarray:
                    v = np.asarray(v)
                elif v.ndim > 1 and v.strides != x.strides:
                    v = laid_out(v, x, y)
                if way:
                    return result(v, None, way)
                q = None if u is None else history(u)
                p = history(t)
                if p is None and q is None:
                    return made(v, None)
                active = 1 if p is None else 0 if q is None else 2
                if u is None or x.shape == y.shape:
                    rule, what, collect = same[active]
                else:
                    shape = v.shape
                    rule, what, collect = wide[active][1 if x.shape == shape else 0 if y.shape == shape else 2]
                node = noted(rule, q if p is None else p if q is None else (p, q),
                             None if what == 0 else (x, y) if what == 1 else collect((x, y, v)) if what == 2 else
                             collect((x, y, v, aval_of(x), aval_of(y))))
                if m is not None:
                    pack(node, m.packing, (1,) if u is None else ())
                return made(v, node)
        elif arithmetic and way != 3 and type(input) is Tensor:
            t = input
            if t.dispatch_key == GENERAL and t.value.dtype in bare_tensors.OTHERS and (
                    kind is float or kind is int or kind is Tensor and not of_floats(other)):
                v = bare_tensors.combined(prim.fun, input, other)
                if v is not None:
                    return v
        if operator and not isinstance(other, OPERANDS) and not hasattr(other, "__torch_function__"):
            return NotImplemented
        return otherwise(row, fun, (input, other), m)

    return fun


def _saver(prim, active, broad):
    """A rule of operands some of which were broadcast, and what it saves: 0 nothing, 1 the operands, 2 what is made of
    them and the output, 3 of their avals, too."""
    rule = prim.rule(active, True, tuple([i for i in active if i in broad]))
    avals = any(f"{name}_aval" in rule.names for name in prim.operands)
    return rule, 0 if rule.collect is None else 3 if avals else 1 if rule.names == prim.operands else 2, rule.collect


def flat(row, ufunc):
    """The function of a comparison: a tensor of booleans without history."""

    def fun(input, other):
        way: int
        m = get_modes()
        way = road(m)
        kind = type(other)
        if way == 3 or m is not None and not way or not of_floats(input):
            return invoke(row, fun, (input, other), {})
        t: TensorSlots = input
        x = t.value
        y = other
        if kind is not float and kind is not int:
            if not of_floats(other):
                return invoke(row, fun, (input, other), {})
            t = other
            y = t.value
            if x.dtype is not y.dtype:
                return invoke(row, fun, (input, other), {})
        try:
            v = ufunc(x, y)
        except ValueError:
            return invoke(row, fun, (input, other), {})
        return tensor_of(v if type(v) is ndarray else np.asarray(v), None, INFERRED if way == 2 else None, None,
                         GENERAL)

    return fun


def total(row, prim, title):
    """The function of a reduction over all elements: `sum()` or `mean()`."""
    rule = NamedRule(prim.rule((0,), True), title)
    collect = rule.collect
    impl = quieted(prim.impl)
    axes = [tuple(range(n)) for n in range(33)]
    row.at_level = level_lanes.reduction(row, prim, title, axes)
    row.at_map = map_lanes.total(row)

    def fun(*args, **named):
        way: int
        if len(args) != 1 or named:
            return invoke(row, fun, args, named)
        m = get_modes()
        way = road(m)
        if way == 3 or not usable(args[0], way):
            return otherwise(row, fun, args, m)
        t: TensorSlots = args[0]
        x = t.value
        over = axes[x.ndim]
        v = impl(np, x, over, False)
        node = None if way else history(t)
        if node is not None:
            node = noted(rule, node, collect((x, over, False, v, aval_of(x))))
        return result(v, node, way)

    return fun
