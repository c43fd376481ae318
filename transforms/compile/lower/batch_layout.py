"""Batch layout: vectorize over the examples of small arrays made by `vmap`, one vector an element.

Slices, stacks and sums within an example then move no memory, and what is computed of one example is one nest.
"""

from math import prod

import numpy as np

from ....core.arrays.avals import make_aval
from ....core.ops.indexing.indexing import getitem, index_update
from ....core.ops.shaping import broadcast_to, concatenate, flip, reshape, stack, transpose
from ...graph.equations import Literal, Var
from ..loops.statements import KINDS, Place, constant
from ..loops.symbols import arranged, in_pairs, moved, rows_of, updated
from .buffer_reuse import want

_EXAMPLES = 64  # from which they fill vectors
_ELEMENTS = 32  # of one example, up to which they are apart
_SHORT = 8  # elements of one example, below which whole arrays fill no vectors
_WORTH = 2  # how much more must be saved than columns take to load and store


class Columns:
    """The columns of a block."""

    __slots__ = ("of", "parents", "aimed", "together", "positive")

    def __init__(self):
        self.of = {}  # variable -> an array of the variables and numbers that are its columns
        self.parents = {}  # column -> the variables that it is one of
        self.aimed = {}  # variable -> the Place that its columns are written to
        self.together = set()  # variables whose columns are there
        self.positive = set()  # columns whose zeros are positive: to add 0 changes nothing


def columnar(equations, outputs, known):
    """`{id: equation}` of those that are written column by column."""
    found = {}
    leading = {v.aval.shape[0] for eq in equations for v in eq.outputs if v.aval.ndim > 1}
    for n in sorted(leading):
        if n >= _EXAMPLES:
            # The longest axis comes last, and takes what is left.
            mine = [eq for eq in equations if id(eq) not in found and _is_rowwise(eq, n, known)]
            for cluster in _connected(mine, n):
                if _pays(cluster, n, equations, outputs):
                    found.update((id(eq), eq) for eq in cluster)
    return found


def _rows(aval, n):
    """Tell whether an array is a small one for each of `n` examples."""
    return aval.ndim > 0 and aval.shape[0] == n and prod(aval.shape[1:]) <= _ELEMENTS


def _is_rowwise(eq, n, known):
    """Tell whether an equation does the same for each example."""
    if len(eq.outputs) != 1 or not _rows(eq.outputs[0].aval, n):
        return False
    prim, out = eq.prim, eq.outputs[0].aval
    steps = known.get(eq)
    if type(steps) is list:
        return all(step[2].aval.shape == out.shape for step in steps) and any(
            _rows(v.aval, n) for v in eq.inputs) and all(_broadcasts(v.aval, out) for v in eq.inputs)
    if _rule(prim) is None or not all(_rows(v.aval, n) for v in eq.inputs):
        return False
    if prim in _JOINS:
        return eq.params[0] > 0  # along the examples, a join is a move of memory
    if prim.reduces is not None or prim is flip.prim:
        return 0 not in eq.params[0]  # over the examples it mixes them; `fold` has sums of that kind
    if prim is getitem.prim:
        return _keeps_rows(eq.params[0], n)
    if prim.updates:
        return _keeps_rows(eq.params[0], n) and len({v.aval.dtype for v in (*eq.inputs, *eq.outputs)}) == 1
    if prim is broadcast_to.prim:
        return eq.inputs[0].aval.ndim == out.ndim
    return prim is not transpose.prim or eq.params[0][0] == 0


def _broadcasts(aval, out):
    """Tell whether the axis of examples of an operand is that of the result, or it has none and few elements."""
    if aval.ndim == out.ndim and aval.shape[0] == out.shape[0]:
        return prod(aval.shape[1:]) <= _ELEMENTS
    return aval.size <= _ELEMENTS and (aval.ndim < out.ndim or aval.shape[0] == 1)


def _keeps_rows(index, n):
    first = index[0] if type(index) is tuple and index else index
    if first is Ellipsis:
        return type(index) is tuple and len(index) > 1 and None not in index
    return type(first) is slice and first.indices(n) == (0, n, 1)


def _connected(equations, n):
    """Equations in groups, each of which passes examples on within itself."""
    group_of, groups = {}, []
    for eq in equations:
        given = [v for v in eq.inputs if type(v) is Var and v.aval.ndim and v.aval.shape[0] == n]
        met = {id(g): g for v in given if (g := group_of.get(v)) is not None}
        mine = [e for g in met.values() for e in g] + [eq]
        groups = [g for g in groups if id(g) not in met]
        groups.append(mine)
        for e in mine:
            group_of.update(dict.fromkeys(e.outputs, mine))
        group_of.update(dict.fromkeys(given, mine))
    order = {id(eq): k for k, eq in enumerate(equations)}
    return [sorted(g, key=lambda eq: order[id(eq)]) for g in groups]


def _pays(cluster, n, equations, outputs):
    """Tell whether a group moves, or computes in short rows, more elements than columns are loaded and stored."""
    mine = set(map(id, cluster))  # equations are compared by themselves, not by what they say
    made = {v for eq in cluster for v in eq.outputs}
    saved, read = 0, {}
    for eq in cluster:
        sizes = [prod(v.aval.shape[1:]) for v in (*eq.inputs, *eq.outputs) if _rows(v.aval, n)]
        prim = eq.prim
        if prim.reduces is not None or prim in _JOINS or prim.updates:
            saved += max(sizes)
        elif not prim.rearranges and 1 < sizes[-1] < _SHORT:
            saved += sizes[-1]
        for v in eq.inputs:
            if type(v) is Var and v not in made and _rows(v.aval, n):
                part = sizes[-1] if prim is getitem.prim else prod(v.aval.shape[1:])
                read[v] = min(read.get(v, 0) + part, prod(v.aval.shape[1:]))
    left = {v for v in outputs if v in made} | {
        v for eq in equations if id(eq) not in mine and not folds_examples(eq) for v in eq.inputs if v in made}
    sizes = [*read.values(), *[prod(v.aval.shape[1:]) for v in left]]
    return saved >= _WORTH * sum(k for k in sizes if k > 1) and saved > 0  # a row of one element is a column as it lies


def write(writer, eq):
    """Write an equation column by column."""
    out = eq.outputs[0]
    steps = writer.known.get(eq)
    if type(steps) is list:
        _stepwise(writer, out, steps)
    else:
        _keep(writer, out, _rule(eq.prim)(writer, eq, [_columns(writer, v) for v in eq.inputs]))


def folds_examples(eq):
    """Tell whether an equation is a reduction over the examples."""
    return eq.prim.reduces is not None and 0 in eq.params[0]


def fold(writer, eq):
    """Let the nest that makes columns fold them over the examples; whether there are columns that are in no array."""
    (v,), (_, keepdims), out = eq.inputs, eq.params, eq.outputs[0]
    here = writer.columns
    if v not in here.of or v in here.together or v in here.aimed or not folds_examples(eq):
        return False
    columns = _folded(writer, eq, here.of[v], out.aval.shape[1:] if keepdims else out.aval.shape)
    # Numbers have no nest to fold them.
    if not all(type(column) is Var and column.aval.ndim == 1 for column in columns.flat):
        return False
    place = writer.values[out] = writer.result(out)
    group = writer.waiting(v.aval.shape[:1])
    for index in np.ndindex(columns.shape):
        total = Var(make_aval((), out.aval.dtype))
        writer.targets[total] = place.element((0, *index) if keepdims else index)
        group.folds.append((eq.prim.reduces.__name__, columns[index], (0,), False, total))
        group.folded.add(total)
    group.folded.add(out)
    writer.owner[out] = group
    return True


def aim(writer, v):
    """Say where the columns of a variable are to be written."""
    here = writer.columns
    if v in here.of and v not in here.aimed and v not in here.together:
        place = here.aimed[v] = writer.result(v)  # one array, of which the nests of columns write their parts
        writer.nonfinite.split(place)  # it leaves the program in parts, of which each is looked at by its own nest
        for column, part in _parts(writer, v, place):
            want(writer, column, part)


def put_together(writer, v):
    """Write the columns of a variable to memory, if they are not there."""
    here = writer.columns
    if v in here.of and v not in here.together:
        aim(writer, v)
        place = here.aimed[v]
        for column, part in _parts(writer, v, place):
            writer.copy(column, part)
        writer.values[v] = place
        here.together.add(v)  # columns that are there once are views from then on


def _parts(writer, v, place):
    columns = writer.columns.of[v]
    return [(columns[index], place.seen(lambda a, index=index: a[(slice(None), *index)]))
            for index in np.ndindex(columns.shape)]


def _keep(writer, out, columns):
    writer.columns.of[out] = columns
    for column in columns.flat:
        if type(column) is Var:
            writer.columns.parents.setdefault(column, []).append(out)


def _columns(writer, v):
    """The columns of an array of examples: variables over these, or numbers."""
    known = writer.columns.of.get(v) if type(v) is Var else None
    if known is not None:
        return known
    rest = v.aval.shape[1:]
    if type(v) is Var and not rest:  # an array of one axis is its own column
        return arranged([v], ())
    found = constant(v) if type(v) is Literal else writer.value(v)
    if type(found) is Place:
        items = [_given(writer, v, found.seen(lambda a, i=i: a[(slice(None), *i)])) for i in np.ndindex(rest)]
    elif type(v) is Literal:
        items = [Literal(np.asarray(v.value).reshape(-1)[0])] * prod(rest)  # a literal as values is one number for all
    else:
        items = [_given(writer, v, found[(slice(None), *i)]) for i in np.ndindex(rest)]
    columns = arranged(items, rest)
    if type(v) is Var:
        _keep(writer, v, columns)
        writer.columns.together.add(v)  # they were there before: views of memory
    return columns


def _given(writer, v, value):
    """A variable for a column that is there."""
    column = Var(make_aval(value.shape, v.aval.dtype))
    writer.values[column] = value
    return column


def _operand(writer, v, out, local):
    """The columns of an operand, broadcast to those of the result."""
    rest = out.aval.shape[1:]
    if v in local:
        return local[v]
    if v.aval.ndim == out.aval.ndim and v.aval.shape[0] == out.aval.shape[0]:
        return np.broadcast_to(_columns(writer, v), rest)
    if v.aval.size == 1:
        return np.broadcast_to(arranged([v], ()), rest)
    if type(v) is Literal:
        items = [Literal(x) for x in np.asarray(v.value).reshape(-1)]
    else:
        items = [_given(writer, v, x) for x in np.split(writer.held(v).reshape(-1), v.aval.size)]
    shape = v.aval.shape[1:] if v.aval.ndim == out.aval.ndim else v.aval.shape
    return np.broadcast_to(arranged(items, shape), rest)


def _stepwise(writer, out, steps):
    """An elementwise equation: its steps, for each column."""
    local, rest = {}, out.aval.shape[1:]
    for name, kind, made, inputs in steps:
        operands = [_operand(writer, v, out, local) for v in inputs]
        if not rest:
            writer.read_by(made, inputs if made is not out else ())
            writer.step(name, kind, made, [x[()] for x in operands])
            local[made] = arranged([made], ())
            continue
        local[made] = arranged([_step(writer, name, kind, made, [x[i] for x in operands])
                              for i in np.ndindex(rest)], rest)
    if rest:
        _keep(writer, out, local[out])


def _step(writer, name, kind, like, inputs):
    column = Var(make_aval(like.aval.shape[:1], like.aval.dtype))
    writer.step(name, kind, column, inputs)
    return column


def _moved(writer, eq, columns):
    found = moved(eq, [x[None] for x in columns])
    return found.reshape(found.shape[1:])


def _updated(writer, eq, columns):
    out, kind = eq.outputs[0], KINDS[eq.outputs[0].aval.dtype]
    return updated(eq, [x[None] for x in columns], lambda old, new: [
        _added(writer, kind, out, *pair) for pair in zip(old, new)]).reshape(columns[0].shape)


def _added(writer, kind, out, x, y):
    """A sum of two columns, of which the first may be zero; one that is never -0 is itself."""
    positive = writer.columns.positive
    zero = type(x) is Literal and not np.any(x.value) and not np.signbit(x.value)
    if zero and y in positive:  # 0 + y is y, but for y = -0, which becomes 0
        return y
    total = _step(writer, "add", kind, out, (x, y))
    if zero or x in positive or y in positive:
        positive.add(total)
    return total


def _reduced(writer, eq, columns):
    """A reduction within the examples, by pairs."""
    return _folded(writer, eq, columns[0], eq.outputs[0].aval.shape[1:])


def _folded(writer, eq, x, shape):
    (like,), name, kind = eq.inputs, eq.prim.reduces.__name__, KINDS[eq.outputs[0].aval.dtype]
    return arranged([in_pairs(list(row), lambda x, y: _step(writer, name, kind, like, (x, y)))
                     for row in rows_of(x, [k - 1 for k in eq.params[0] if k])], shape)


_JOINS = concatenate.prim, stack.prim
_RULES = {
    reshape.prim: lambda writer, eq, columns: columns[0].reshape(eq.outputs[0].aval.shape[1:]),
    broadcast_to.prim: lambda writer, eq, columns: np.broadcast_to(columns[0], eq.outputs[0].aval.shape[1:]),
    index_update.prim: _updated, **dict.fromkeys(_JOINS, _moved),
}


def _rule(prim):
    """The column-by-column rule of an operation, or None."""
    if prim in _RULES:
        return _RULES[prim]
    if prim.identity and not prim.effects:
        return lambda writer, eq, columns: columns[0]
    return _moved if prim.rearranges else _reduced if prim.reduces is not None else None
