"""Rewrite indexed and slice updates into operations without a copy of the array, which compiled loops have."""

import numpy as np

from ....core.facts import Operation
from ....core.ops.indexing.indexing import last_writer
from ...graph.equations import Var
from .rewrite import Constant, Op, rule

# Operations that only compiled loops have.
PUT_ROWS, ADD_ROWS, ASSEMBLE = Operation("put_rows"), Operation("add_rows"), Operation("assemble")


def _once(name):
    """A pattern of an operation whose result nothing else reads."""
    return Op(name).where(lambda v, at: at.readers[v] == 1)


def _put(m):
    """`put_rows[axis] x rows places`, where the row that comes last at a place stands."""
    writer = m.at.makers.get(m.w)
    if writer is None or writer.prim is not last_writer.prim or m.at.readers[m.w] != 2:
        return None
    x, axis = m.x.aval, m.picked.params[0]
    if x != m.out or x.weak or x.dtype != m.rows.aval.dtype:
        return None
    aligned = (1,) * axis + (x.shape[axis],) + (1,) * (x.ndim - axis - 1)
    fits = m.eq.inputs[0].aval.shape in (aligned, aligned[axis:])
    return m.write(PUT_ROWS, [m.x, m.rows, writer.inputs[0]], (axis,)) if fits else None


def _add(m):
    """`add_rows[axis] x rows places`, where `add` neither casts nor spreads what is added."""
    plain = m.x.aval == m.out == m.added.outputs[0].aval
    return m.write(ADD_ROWS, [m.x, *m.added.inputs], m.added.params[:1]) if plain else None


def _box(eq):
    """`((start, length), …)` of the box of an array to which an equation adds one of its dtype; None of another one.

    New axes, steps and broadcasting make no box.
    """
    index, added = eq.params[:2]
    (x, v), out = eq.inputs, eq.outputs[0].aval
    index = index if type(index) is tuple else (index,)
    if not added or any(type(i) not in (int, slice) for i in index) or type(v) is not Var or not (
            x.aval.dtype == v.aval.dtype == out.dtype):
        return None
    box, shape = [], []
    for k, n in enumerate(out.shape):
        i = index[k] if k < len(index) else slice(None)
        start, stop, step = i.indices(n) if type(i) is slice else (i % n, i % n + 1, 1)
        if step != 1 or stop <= start:
            return None
        box.append((start, stop - start))
        shape += [stop - start] if type(i) is slice else []
    return tuple(box) if v.aval.shape == tuple(shape) else None


def _assembled(m):
    """`assemble[boxes] v1 v2 …` is zeros with `v1` added at the first box, and so on."""
    boxes = [_box(m.eq)] if m.first.prim is ASSEMBLE else [_box(m.first), _box(m.eq)]
    if None in boxes or not m.at.apart.isdisjoint((id(m.eq), id(m.first))):
        return None
    before = (m.first.inputs, m.first.params) if m.first.prim is ASSEMBLE else ([m.first.inputs[1]], ())
    return m.write(ASSEMBLE, [*before[0], m.eq.inputs[1]], (*before[1], *boxes))


_ZERO = Constant("zero", lambda value: not np.any(value))
_HIT = _once("greater_equal")("w", _ZERO)
_PICKED = _once("take").named("picked")("rows", _once("maximum")("w", _ZERO))

ROWS = (  # as NumPy's x[places] = rows and scatter_add come down to
    rule(Op("where")(_HIT, _PICKED, "x"), _put),
    rule(Op("where")(_once("reshape")(_HIT), _PICKED, "x"), _put),
    rule(Op("add")("x", _once("scatter_add").named("added")), _add),
    rule(Op("add")(_once("scatter_add").named("added"), "x"), _add),
)
PARTS = (  # zeros.at[i].add(x).at[j].add(y), as reverse mode makes them of what was read in parts
    rule(Op("index_update")(_once("index_update").named("first")(_ZERO, "v"), "w"),
         _assembled),
    rule(Op("index_update")(_once("assemble").named("first"), "w"), _assembled),
)
