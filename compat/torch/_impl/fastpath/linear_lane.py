"""The lane of `linear`: what `t`, `addmm` or `mm`, and two views around it give, nodes and all, in one step."""

import functools

import numpy as np

from ..... import _engine, extend
from ..dispatch.call import ROWS, invoke
from ..graph.node_names import NamedRule, in_order
from ..modes.errstate import error_state, restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import MODES
from ..native import functions as native
from ..state.edges import accumulator, is_current, untangled
from ..types.number_cache import FLOATS
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import INFERENCE, VIEW
from ..types.tensor_value import shape_dtype
from ..views.views import RESHAPE
from . import makers
from .basic_index import SHAPED, TURNED
from .level_lanes import here

ndarray = np.ndarray
aval_of = extend.aval_of
product = _engine.product
AFFINE, MATMUL = extend.REGISTRY["affine"], extend.REGISTRY["matmul"]
TRANSPOSED = TURNED["TBackward0"]
VIEWED = SHAPED["ViewBackward0"]
UNSAFE = NamedRule(RESHAPE.rule((0,), True), "UnsafeViewBackward0")
ACTIVE = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))


def _rules(prim, title, row, order):
    """`{(active, whether the second matrix lies by columns): rule}`."""
    call = row, (...,) * len(order), {}
    found = {}
    for active in ACTIVE:
        if active[-1] < len(order):
            for turned in (False, True):
                rule = _engine.column_rule(prim, active) if turned else prim.rule(active, True)
                found[active, turned] = NamedRule(rule, title, in_order(active, order), call)
    return found


@functools.cache
def rules_of(biased):
    """The rules of `addmm` or `mm`, made when their rows are there."""
    if biased:
        return _rules(AFFINE, "AddmmBackward0", ROWS["addmm"], (2, 0, 1))
    return _rules(MATMUL, "MmBackward0", ROWS["mm"], (0, 1))


def usable(t, m):
    """Tell whether a tensor is a plain one whose history, if it counts, is up to date."""
    if type(t) not in PLAIN_KINDS:
        return False
    key = t.dispatch_key
    return not key or (key == VIEW and (is_current(t) if m is None else untangled(t))) or (
        key == INFERENCE and m is not None)


def linear_lane(row):
    """`linear` of plain tensors: with a bias it is `addmm`, as in PyTorch."""
    quick = None
    row.at_level = at_level

    def fun(*args, **named):
        if quick is not None and not named and len(args) == 3:
            answer = quick(*args)
            if answer is not None:
                return answer
        m = MODES.get()
        if 1 < len(args) < 4 and not named and (m is None or m.still):
            bias = args[2] if len(args) == 3 else None
            answer = through(args[0], args[1], bias, m)
            if answer is not None:
                return answer
        return invoke(row, fun, args, named)

    return native.with_quick_linear(fun, quiet_product, shifted, record, _engine.FILLED)


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


def quiet_product(x, y):
    """The product of matrices, without warnings."""
    token = error_state()
    try:
        suppress_fp_warnings()
        return product(x, y)
    finally:
        restore_fp_warnings(token)


def shifted(x, bias):
    """A matrix, with a vector added to its rows in place, without warnings."""
    token = error_state()
    try:
        suppress_fp_warnings()
        x += bias
        return x
    finally:
        restore_fp_warnings(token)


def through(input, weight, bias, m):
    """`input @ weight.T + bias`, or None for what the lane does not take."""
    if not (usable(input, m) and usable(weight, m) and (bias is None or usable(bias, m))):
        return None
    x, w = input.value, weight.value
    rank = x.ndim
    if rank < 2 or w.ndim != 2 or x.dtype is not w.dtype or x.dtype not in FLOATS or x.shape[-1] != w.shape[1]:
        return None
    if bias is not None and (bias.value.dtype is not w.dtype or bias.value.shape != w.shape[:1]):
        return None
    if rank > 2 and not (x.size and x.flags.c_contiguous):
        return None
    rows = x if rank == 2 else x.reshape((-1, x.shape[-1]))
    columns = w.T
    token = error_state()
    try:
        suppress_fp_warnings()
        v = product(rows, columns) if bias is None else AFFINE.impl(np, rows, columns, bias.value)
    finally:
        restore_fp_warnings(token)
    out = v if rank == 2 else v.reshape((*x.shape[:-1], w.shape[0]))
    if m is None:
        return makers.made(out, record(input, weight, bias, rows, columns, v))
    return makers.inferred(out) if m.inference else makers.made(out, None)


def record(input, weight, bias, rows, columns, v):
    """The nodes, as `t`, a view of rows, `addmm` and a view of its output give them; None without gradients."""
    q = weight.node
    if q is not None or weight.wants_grad:
        q = makers.noted(TRANSPOSED, q or accumulator(weight), (1, 0))
    p = input.node
    if p is None and input.wants_grad:
        p = accumulator(input)
    if p is not None and rows is not input.value:
        p = makers.noted(VIEWED, p, aval_of(input.value))
    r = None if bias is None else bias.node
    if r is None and bias is not None and bias.wants_grad:
        r = accumulator(bias)
    if p is None and q is None and r is None:
        return None
    if p is None:
        active, parents = ((1,), q) if r is None else ((2,), r) if q is None else ((1, 2), (q, r))
    elif q is None:
        active, parents = ((0,), p) if r is None else ((0, 2), (p, r))
    else:
        active, parents = ((0, 1), (p, q)) if r is None else ((0, 1, 2), (p, q, r))
    rule = rules_of(bias is not None)[active, columns.flags.f_contiguous]
    collect = rule.collect
    if collect is None:
        saved = None
    elif bias is None:
        saved = collect((rows, columns, v, aval_of(rows), aval_of(columns), None))
    else:
        b = bias.value
        saved = collect((rows, columns, b, v, aval_of(rows), aval_of(columns), aval_of(b), None))
    node = makers.noted(rule, parents, saved)
    if rows is input.value:
        return node
    return makers.noted(VIEWED if bias is not None else UNSAFE, node, aval_of(v))
