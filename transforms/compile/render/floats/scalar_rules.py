"""Lower non-elementwise operations to Python floats: moves, sums, products and loops."""

import math
from functools import reduce

import numpy as np

from .....core.arrays.avals import make_aval
from ....graph.equations import Equation, Var
from ...analysis.cost import FLOATS, TURNS, converted
from ...loops.symbols import arranged, moved, rows_of, updated
from .scalar_statements import MANY, Given, If, Rows, Unfit, While, each

ndarray = np.ndarray
_ZEROS = {"f": "0.0", "i": "0", "b": "False"}
_SHORT = 32  # elements of an array that is written out to read one of them


def _moved(scalars, eq, body):
    if len({v.aval.dtype for v in eq.inputs}) > 1:
        raise Unfit
    zero = _ZEROS.get(eq.inputs[0].aval.dtype.kind)
    scalars.values[eq.outputs[0]] = moved(eq, list(map(scalars.value, eq.inputs)), zero)


def _getitem(scalars, eq, body):
    x, (index,) = eq.inputs[0], eq.params
    rows = scalars.values.get(x) if type(x) is Var else None
    if type(rows) is Rows and type(index) is int:
        row = scalars.emit(body, f"{rows.name}[{index}]")
        aval = eq.outputs[0].aval
        scalars.values[eq.outputs[0]] = arranged(
            [row if rows.single else scalars.emit(body, f"{row}[{k}]") for k in range(aval.size)], aval.shape)
        return
    _moved(scalars, eq, body)


def _sum(scalars, eq, body):
    axes, keepdims = eq.params
    found = scalars.values.get(eq.inputs[0]) if type(eq.inputs[0]) is Var else None
    if type(found) is Rows or eq.inputs[0].aval.size > MANY:
        _sum_of_rows(scalars, eq, body)
        return
    x = scalars.value(eq.inputs[0])
    aval = eq.outputs[0].aval
    if aval.dtype != np.float64 or eq.inputs[0].aval.dtype != np.float64:
        raise Unfit
    scalars.values[eq.outputs[0]] = arranged([scalars.total(body, list(row)) for row in rows_of(x, axes)], aval.shape)


def _sum_of_rows(scalars, eq, body):
    """A sum that a loop over the first axis adds up."""
    (x,), (axes, keepdims), out = eq.inputs, eq.params, eq.outputs[0].aval
    if 0 not in axes or keepdims or x.aval.dtype != np.float64:
        raise Unfit
    steps = x.aval.shape[0]
    row = Var(make_aval(x.aval.shape[1:], x.aval.dtype))
    scalars.values[row] = scalars.array(row.aval)
    read = scalars.read(scalars.values[row], x, steps)
    part = Var(out)
    lines = []
    before, scalars.repeat = scalars.repeat, scalars.repeat * steps
    _sum(scalars, Equation(eq.prim, [row], (tuple(a - 1 for a in axes if a), False), [part]), lines)
    names = list(scalars.array(out, "c").reshape(-1))
    nexts = [f"{c}+{t}" for c, t in zip(names, scalars.values[part].reshape(-1))]
    scalars.repeat = before
    scalars.loop(body, steps, [read], lines, (names, ["0.0"] * len(names), nexts))
    scalars.values[eq.outputs[0]] = arranged(names, out.shape)


def _extreme(sign):
    def rule(scalars, eq, body):
        x = scalars.value(eq.inputs[0])
        if not x.size:  # of no elements there is none: an error of NumPy's
            raise Unfit

        def best(x, y):
            return scalars.emit(body, f"{x} if {x}{sign}{y} or {x}!={x} else {y}")

        scalars.values[eq.outputs[0]] = arranged(
            [reduce(best, row) for row in rows_of(x, eq.params[0])], eq.outputs[0].aval.shape)

    return rule


def _logical(word):
    """Tell whether any or all of booleans hold."""
    def rule(scalars, eq, body):
        x = scalars.value(eq.inputs[0])
        if eq.inputs[0].aval.dtype != np.bool_:
            raise Unfit
        texts = [f" {word} ".join(row) or str(word == "and") for row in rows_of(x, eq.params[0])]
        scalars.values[eq.outputs[0]] = arranged([scalars.emit(body, s) for s in texts], eq.outputs[0].aval.shape)

    return rule


def _matmul(scalars, eq, body):
    x, y = map(scalars.value, eq.inputs)
    aval = eq.outputs[0].aval
    if aval.dtype != np.float64 or not x.size or not y.size:
        raise Unfit
    left = x if x.ndim > 1 else x[None]
    right = y if y.ndim > 1 else y[:, None]
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    count = math.prod(batch)  # -1 says nothing where another length is 0
    left, right = (np.broadcast_to(v, (*batch, *v.shape[-2:])).reshape(count, *v.shape[-2:]) for v in (left, right))
    out = np.empty((left.shape[0], left.shape[1], right.shape[2]), object)
    for k, i, j in np.ndindex(out.shape):
        terms = [_product(a, b) for a, b in zip(left[k, i], right[k, :, j])]
        scalars.cost += scalars.repeat * FLOATS["term"] * len(terms)
        out[k, i, j] = scalars.emit(body, "+".join(terms) or "0.0")
    scalars.values[eq.outputs[0]] = out.reshape(aval.shape)


def _product(a, b):
    """The text of a product; a factor of 1 changes nothing."""
    return b if a == "1.0" else a if b == "1.0" else f"{a}*{b}"


def _outer(scalars, eq, body):
    x, y = map(scalars.value, eq.inputs)
    if x.ndim > 1 or y.ndim > 1:
        raise Unfit
    terms = [scalars.emit(body, f"{a}*{b}") for a in x.reshape(-1) for b in y.reshape(-1)]
    scalars.values[eq.outputs[0]] = arranged(terms, eq.outputs[0].aval.shape)


def _update(scalars, eq, body):
    given = list(map(scalars.value, eq.inputs))
    if {w.aval.dtype for w in eq.inputs} != {eq.outputs[0].aval.dtype}:
        if not (eq.inputs[1].aval.weak and eq.outputs[0].aval.dtype == np.float64 == eq.inputs[0].aval.dtype):
            raise Unfit
    scalars.values[eq.outputs[0]] = updated(eq, given, lambda old, new: [
        scalars.emit(body, f"{x}+{y}") for x, y in zip(old, new)])


def _cast(scalars, eq, body):
    source, target = eq.inputs[0].aval.dtype, eq.outputs[0].aval.dtype
    x = scalars.value(eq.inputs[0])
    if source != target:
        if target != np.float64 or source.kind not in "bi":
            raise Unfit
        x = each(x, lambda text: scalars.emit(body, f"float({text})", "call"))
    scalars.values[eq.outputs[0]] = x


def _scan(scalars, eq, body):
    inner, consts, n, steps, reverse = eq.params
    graph = inner.graph
    if graph is None or not steps:
        raise Unfit
    for v, given in zip(graph.inputs[:consts], eq.inputs):
        scalars.values[v] = scalars.value(given)
    carried, starts = [], []
    for v, given in zip(graph.inputs[consts : consts + n], eq.inputs[consts:]):
        names = scalars.array(v.aval, "c")
        scalars.values[v] = names
        carried += list(names.reshape(-1))
        starts += list(scalars.value(given).reshape(-1))
    reads = []
    for v, given in zip(graph.inputs[consts + n :], eq.inputs[consts + n :]):
        names = scalars.array(v.aval)
        scalars.values[v] = names
        reads.append(scalars.read(names, given, steps))
    lines = []
    before = scalars.repeat
    scalars.repeat *= steps
    scalars.block(graph.equations, lines)
    scalars.repeat = before
    nexts = [t for v in graph.outputs[:n] for t in scalars.value(v).reshape(-1)]
    if not all(v.aval.size for v in eq.outputs[n:]):
        raise Unfit
    scalars.loop(body, steps, reads, lines, (carried, starts, nexts), [
        (v, scalars.value(out)) for v, out in zip(eq.outputs[n:], graph.outputs[n:])], reverse)
    k = 0
    for v in eq.outputs[:n]:
        scalars.values[v] = arranged(carried[k : k + v.aval.size], v.aval.shape)
        k += v.aval.size


def _while(scalars, eq, body):
    test, inner, consts = eq.params
    if test.graph is None or inner.graph is None or not eq.outputs:
        raise Unfit
    heads = [scalars.values[v] if type(v) is Var else scalars.value(v) for v in eq.inputs[:consts]]
    states = [scalars.array(v.aval, "c") for v in eq.outputs]
    starts = [t for v in eq.inputs[consts:] for t in scalars.value(v).reshape(-1)]
    before, scalars.repeat = scalars.repeat, scalars.repeat * TURNS
    lines = []
    for graph in (test.graph, inner.graph):
        scalars.values.update(zip(graph.inputs, [*heads, *states]))
        lines.append([])
        scalars.block(graph.equations, lines[-1])
    scalars.cost += scalars.repeat * FLOATS["turn"]
    scalars.repeat = before
    carried = [name for state in states for name in state.reshape(-1)]
    nexts = [t for v in inner.graph.outputs for t in scalars.value(v).reshape(-1)]
    flag = scalars.value(test.graph.outputs[0])[()]
    body.append(("loop", While(carried, starts, nexts, lines[0], flag, lines[1])))
    scalars.values.update(zip(eq.outputs, states))


def _cond(scalars, eq, body):
    if any(side.graph is None for side in eq.bodies()):
        raise Unfit
    flag = scalars.value(eq.inputs[0])[()]
    given = [scalars.values[v] if type(v) is Var else scalars.value(v) for v in eq.inputs[1:]]
    results = [scalars.array(v.aval, "v") for v in eq.outputs]
    sides = []
    for side in eq.bodies():
        scalars.values.update(zip(side.graph.inputs, given))
        lines = []
        scalars.block(side.graph.equations, lines)
        sides.append((lines, [t for v in side.graph.outputs for t in scalars.value(v).reshape(-1)]))
    body.append(("loop", If(flag, [name for names in results for name in names.reshape(-1)], sides)))
    scalars.values.update(zip(eq.outputs, results))


def _take(scalars, eq, body):
    """An element of a vector, or a row of a matrix, at a place that is computed; one outside raises in Python, too."""
    x, index = eq.inputs
    if eq.params != (0,) or index.aval.shape or index.aval.dtype != np.int64 or x.aval.ndim > 2 or not x.aval.size:
        raise Unfit
    found = scalars.values.get(x) if type(x) is Var else None
    place = scalars.value(index)[()]
    if type(found) is Given:
        scalars.kind(x.aval)
        whole = scalars.new("x")
        scalars.head.append(([whole], f"{whole} = {found.name}.tolist()"))
        scalars.cost += converted(x.aval, "in")
    elif type(found) is Rows and found.aval.ndim == x.aval.ndim:
        whole = found.name
    else:
        if x.aval.size > _SHORT:
            raise Unfit
        rows = [row if type(row) is str else f"({', '.join(row)},)" for row in scalars.value(x)]
        whole = f"({', '.join(rows)},)"
        scalars.cost += scalars.repeat * 0.01 * x.aval.size
    row = scalars.emit(body, f"{whole}[{place}]")
    aval = eq.outputs[0].aval
    names = [scalars.emit(body, f"{row}[{k}]") for k in range(aval.size)] if aval.ndim else [row]
    scalars.values[eq.outputs[0]] = arranged(names, aval.shape)


_FOLDS = {np.add: _sum, np.maximum: _extreme(">"), np.minimum: _extreme("<"), np.bitwise_or: _logical("or"),
          np.bitwise_and: _logical("and")}
_CONTROL = {"scan": _scan, "while": _while, "branch": _cond}
_RULES = {
    "getitem": _getitem, "matmul": _matmul, "outer": _outer, "index_update": _update,
    "concatenate": _moved, "stack": _moved, "pad": _moved, "cast": _cast, "cast_flat": _cast,
    "take": _take,
}


def rule_of(prim):
    """The scalar rule of an operation that is not elementwise; None of another one."""
    told = _moved if prim.rearranges else _FOLDS.get(prim.reduces) or _CONTROL.get(prim.control)
    return _RULES.get(prim.name, told)
