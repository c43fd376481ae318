"""Rows of an array that are set, or added to, in place where nothing reads the array as it was."""

from types import SimpleNamespace

import numpy as np

from ...graph.equations import Equation, Literal, Var

_PUT, _ADD = SimpleNamespace(name="put_rows", handlers=None), SimpleNamespace(name="add_rows", handlers=None)


def with_rows(equations, outputs):
    """Equations of a block with `put_rows` and `add_rows` in place of what these are written as.

    `put_rows[axis] x rows index` is `where(hit, take(rows, max(writer, 0)), x)`, where `writer = last_writer(index)`
    says which row comes last at each place and `hit` whether there is one; `add_rows` is
    `x + scatter_add(rows, index)`.
    """
    if not any(eq.prim.name in ("last_writer", "scatter_add") for eq in equations):
        return equations
    maker = {out: eq for eq in equations for out in eq.outputs}
    count = dict.fromkeys(maker, 0)
    for v in [*[v for eq in equations for v in eq.inputs], *outputs]:
        if type(v) is Var and v in count:
            count[v] += 1
    found, gone = {}, set()
    for eq in equations:
        match = _added(eq, maker, count) or _put(eq, maker, count)
        if match is not None:
            found[id(eq)], parts = match
            gone.update(map(id, parts))
    return [found.get(id(eq), eq) for eq in equations if id(eq) not in gone]


def _made(v, name, maker, count, uses=1):
    """The equation of that name that made a variable, which is read so many times; else None."""
    eq = maker.get(v) if type(v) is Var else None
    return eq if eq is not None and eq.prim.name == name and count[v] == uses else None


def _added(eq, maker, count):
    if eq.prim.name != "add":
        return None
    for x, other in (eq.inputs, eq.inputs[::-1]):
        scatter = _made(other, "scatter_add", maker, count)
        if scatter is not None and x.aval == other.aval == eq.outputs[0].aval:
            return Equation(_ADD, [x, *scatter.inputs], scatter.params[:1], eq.outputs, eq.quiet, eq.place), [scatter]
    return None


def _put(eq, maker, count):
    if eq.prim.name != "where":
        return None
    hit, picked, x = eq.inputs
    parts = [_made(picked, "take", maker, count)]
    if parts[0] is None:
        return None
    rows, index = parts[0].inputs
    turned = _made(hit, "reshape", maker, count)
    if turned is not None:
        parts.append(turned)
        hit = turned.inputs[0]
    test, top = _made(hit, "greater_equal", maker, count), _made(index, "maximum", maker, count)
    if test is None or top is None or not all(_is_zero(e.inputs[1]) for e in (test, top)):
        return None
    writer = _made(top.inputs[0], "last_writer", maker, count, 2)
    if writer is None or test.inputs[0] is not top.inputs[0]:
        return None
    if x.aval != eq.outputs[0].aval or x.aval.weak or x.aval.dtype != rows.aval.dtype:
        return None
    axis = parts[0].params[0]
    aligned = (1,) * axis + (x.aval.shape[axis],) + (1,) * (x.aval.ndim - axis - 1)
    if eq.inputs[0].aval.shape not in (aligned, aligned[axis:]):
        return None
    places = writer.inputs[0]
    return Equation(_PUT, [x, rows, places], (axis,), eq.outputs, eq.quiet, eq.place), [*parts, test, top, writer]


def _is_zero(v):
    return type(v) is Literal and not np.any(v.value)
