"""The fast road of `linear`: what `t`, `addmm` or `mm`, and two views around it give, nodes and all, in one step.

Compiled with linear_lane.pxd beside it.
"""

import functools

import numpy as np

from ..... import _primitives, extend
from ..dispatch.call import ROWS, invoke
from ..graph.node_names import NamedRule, in_order
from ..graph.recording import noted
from ..modes.modes import MODES
from ..modes.warnings import QUIET, enter_error_state, error_state, restore_fp_warnings
from ..state.makers import history, quiet, result, road, usable
from ..types.number_cache import FLOATS
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import shape_dtype
from ..views.rules import SHAPED, TURNED
from ..views.views import RESHAPE
from .level_lanes import here

ndarray = np.ndarray
aval_of = extend.aval_of
product, add = _primitives.product, quiet(np.add)
AFFINE, MATMUL = extend.REGISTRY["affine"], extend.REGISTRY["matmul"]
TRANSPOSED = TURNED["TBackward0"]
VIEWED = SHAPED["ViewBackward0"]
UNSAFE = NamedRule(RESHAPE.rule((0,), True), "UnsafeViewBackward0")


def _rules(prim, title, row, order):
    """For each set of differentiated operands, as bits, and whether the second matrix lies by columns: its rule, what
    collects what that saves, and whether avals of the matrices are among it."""
    call = row, (...,) * len(order), {}
    found = {}
    for bits in range(1, 1 << len(order)):
        active = tuple([i for i in range(len(order)) if bits >> i & 1])
        for turned in (False, True):
            rule = _primitives.column_rule(prim, active) if turned else prim.rule(active, True)
            rule = NamedRule(rule, title, in_order(active, order), call)
            found[bits << 1 | turned] = rule, rule.collect, not {"x_aval", "y_aval", "w_aval"}.isdisjoint(rule.names)
    return found


@functools.cache
def rules_of(biased):
    """The rules of `addmm` or `mm`, made when their rows are there."""
    if biased:
        return _rules(AFFINE, "AddmmBackward0", ROWS["addmm"], (2, 0, 1))
    return _rules(MATMUL, "MmBackward0", ROWS["mm"], (0, 1))


def linear_lane(row):
    """`linear` of plain tensors: with a bias it is `addmm`, as in PyTorch."""
    row.at_level = at_level

    def fun(*args, **named):
        way: int
        if 1 < len(args) < 4 and not named:
            m = MODES.get()
            way = road(m) if m is None or m.packing is None else 3
            answer = None
            if way != 3:
                answer = through(args[0], args[1], args[2] if len(args) == 3 else None, way)
            elif m is not None and m.quick is not None:
                answer = at_level(args, m.quick)
            if answer is not None:
                return answer
        return invoke(row, fun, args, named)

    return fun


def at_level(args, trace):
    """`linear` at a level of `func` or of dual tensors: the same operations, one by one; a vector is not made a row."""
    tensors = args[:2] if len(args) == 3 and args[2] is None else args
    if not 1 < len(tensors) < 4 or not here(tensors, trace):
        return None
    input, weight = tensors[:2]
    (*lead, k), w = shape_dtype(input)[0] or (-1,), shape_dtype(weight)[0]
    if len(w) != 2 or k != w[1] or len(lead) > 1 and not all((*lead, k)):
        return None
    columns = ROWS["t"].fun(weight)
    if not lead:
        out = ROWS["matmul"].at_level((input, columns), trace)
        return out if out is None or len(tensors) < 3 else out + tensors[2]
    rows = input if len(lead) == 1 else ROWS["reshape"].fun(input, (-1, k))
    if len(tensors) == 3:
        out = ROWS["addmm"].at_level((tensors[2], rows, columns), trace)
    else:
        out = ROWS["mm"].at_level((rows, columns), trace)
    return out if out is None or len(lead) == 1 else ROWS["reshape"].fun(out, (*lead, w[0]))


def through(input, weight, bias, way):
    """`input @ weight.T + bias`, or None for what the lane does not take."""
    if not (usable(input, way) and usable(weight, way) and (bias is None or usable(bias, way))):
        return None
    t: TensorSlots = input
    u: TensorSlots = weight
    x, w = t.value, u.value
    rank = x.ndim
    shape = w.shape
    if rank < 2 or len(shape) != 2 or x.dtype is not w.dtype or x.dtype not in FLOATS or x.shape[-1] != shape[1]:
        return None
    b = None
    if bias is not None:
        u = bias
        b = u.value
        if b.dtype is not x.dtype or b.shape != shape[:1]:
            return None
    if rank > 2 and not (x.size and x.flags.c_contiguous):
        return None
    rows = x if rank == 2 else x.reshape((-1, shape[1]))
    columns = w.T
    token = error_state()
    try:
        enter_error_state(QUIET)
        v = product(rows, columns)
    finally:
        restore_fp_warnings(token)
    if b is not None:
        add(v, b, v)
    out = v if rank == 2 else v.reshape((*x.shape[:-1], shape[0]))
    return result(out, None if way else record(t, weight, bias, rows, columns, v), way)


def record(t, weight, bias, rows, columns, v):
    """The nodes, as `t`, a view of rows, `addmm` and a view of its output give them; None without gradients."""
    q = history(weight)
    if q is not None:
        q = noted(TRANSPOSED, q, (1, 0))
    p = history(t)
    if p is not None and rows is not t.value:
        p = noted(VIEWED, p, aval_of(t.value))
    r = None if bias is None else history(bias)
    bits: int = (p is not None) | (q is not None) << 1 | (r is not None) << 2
    if not bits:
        return None
    parents = tuple([n for n in (p, q, r) if n is not None])
    rule, collect, whole = rules_of(bias is not None)[bits << 1 | columns.flags.f_contiguous]
    saved = None
    if collect is not None:
        avals = (aval_of(rows), aval_of(columns)) if whole else (None, None)
        if bias is None:
            saved = collect((rows, columns, v, *avals, None))
        else:
            saved = collect((rows, columns, bias.value, v, *avals, aval_of(bias.value), None))
    node = noted(rule, parents if len(parents) > 1 else parents[0], saved)
    if rows is t.value:
        return node
    return noted(VIEWED if bias is not None else UNSAFE, node, aval_of(v))
