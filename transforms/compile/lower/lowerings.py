"""Lowering of equations that are not element by element: moves, sums, products and loops."""

import numpy as np

from ...graph.equations import Literal
from ...graph.layout import VIEWS
from ..loops.kinds import KINDS
from ..loops.statements import Const, Nest, Place, Step, Value, is_uniform
from .batch_layout import fold
from .buffer_reuse import add_zero_into, want, written_over
from .collectives import METHODS, exchange
from .concat_by_update import assemble
from .convolution import conv, conv_input, conv_weight, overlap_add, windows
from .indexing import add_rows, counted, implant, last_writer, pick, put_rows, scatter_add, spread, take
from .loops import branch, scan, while_loop
from .products import einsum, matmul, outer
from .running import running
from .structure import REDUCERS

ndarray = np.ndarray


def _view(change):
    def rule(writer, eq):
        (v,), out = eq.inputs, eq.outputs[0]
        x = writer.value(v)
        if type(x) is ndarray and not is_uniform(x) and not writer.few(out.aval):
            x = writer.place(v)
        if type(x) is Place:
            writer.values[out] = x.seen(lambda a: change(a, *eq.params))
        else:
            writer.values[out] = change(x, *eq.params)

    return rule


def _reshape(writer, eq):
    (v,), (shape,), out = eq.inputs, eq.params, eq.outputs[0]
    x = writer.value(v)
    if type(x) is ndarray and not is_uniform(x) and not writer.few(out.aval):
        x = writer.place(v)
    if type(x) is Place:
        found = x.reshaped(shape)
        if found is None:
            place = writer.new(x.shape, x.kind)
            writer.copy(x, place)
            found = place.reshaped(shape)
        writer.values[out] = found
    else:
        writer.values[out] = x.reshape(shape)


def _part(x, index):
    """The view that a basic index takes, an array even of one element."""
    parts = index if type(index) is tuple else (index,)
    return x[parts if Ellipsis in parts else (*parts, Ellipsis)]


def _reduction(writer, eq):
    if fold(writer, eq):
        return
    (v,), (axes, keepdims), out = eq.inputs, eq.params, eq.outputs[0]
    name = REDUCERS[eq.prim.name]
    shape = v.aval.shape
    if type(v) is Literal or v.aval.size <= 1 or v not in writer.owner and writer.few(v.aval):
        x = writer.held(v)
        if x.size <= 256:
            writer.values[out] = _folded(writer, name, x, axes, out)
            return
    group = writer.owner.get(v)
    if group is None or v in group.folded:
        if v not in writer.rematerialized.steps:
            writer.settle(v)
        same = writer.groups.get(shape)
        group = same if same is not None and v not in same.folded else None
        if group is None:
            group = writer.waiting(shape)
    group.folds.append((name, v, axes, keepdims, out))
    group.folded.add(out)
    writer.owner[out] = group


def _folded(writer, name, x, axes, out):
    """A reduction of values, by pairs."""
    kind = KINDS[out.aval.dtype]
    rest = [k for k in range(x.ndim) if k not in axes]
    size = out.aval.size
    rows = x.transpose((*rest, *axes)).reshape((size, x.size // size))
    while size == 1 and rows.shape[1] > 2:  # halves are vectors
        half = rows.shape[1] // 2
        pairs = writer.computed(name, kind, (1, half), [rows[:, :half], rows[:, half : 2 * half]], kind)
        rows = np.concatenate((pairs, rows[:, 2 * half :]), 1)
    columns = [rows[:, k] for k in range(rows.shape[1])]
    while len(columns) > 1:
        pairs = [writer.computed(name, kind, (size,), list(pair), kind) for pair in zip(columns[::2], columns[1::2])]
        columns = pairs + columns[2 * len(pairs) :]
    return columns[0].reshape(out.aval.shape)


def _joined(join):
    def rule(writer, eq):
        out = eq.outputs[0]
        if writer.few(out.aval):
            writer.values[out] = join([writer.held(v) for v in eq.inputs], *eq.params)
            return
        place = writer.result(out)
        axis, at, parts = eq.params[0], 0, []
        for v in eq.inputs:
            if join is np.stack:
                part = place.seen(lambda a, at=at: a[(slice(None),) * axis + (at, Ellipsis)])
                at += 1
            else:
                n = v.aval.shape[axis]
                part = place.seen(lambda a, at=at, n=n: a[(slice(None),) * axis + (slice(at, at + n),)])
                at += n
            parts.append(part)
            want(writer, v, part)
        for v, part in zip(eq.inputs, parts):
            writer.copy(v, part)
        writer.values[out] = place

    return rule


def _zero(kind):
    return Const({"f": 0.0, "i": 0, "b": False}[kind[0]], kind)


def _fill_around(writer, place, part, index, kind):
    """Write zeros in a place where an index takes nothing: slabs beside the part, or everywhere."""
    index = index if type(index) is tuple else (index,)
    if 2 * part.size < place.size or not all(type(i) is slice for i in index):
        writer.fill(place, _zero(kind))
        return
    inside = []
    for i, n in zip(index, place.shape):
        start, stop, step = i.indices(n)
        if step != 1:
            writer.fill(place, _zero(kind))
            return
        inside.append((start, stop, n))
    ahead = []
    for start, stop, n in inside:
        for rest in (slice(0, start), slice(stop, n)):
            if rest.stop > rest.start:
                writer.fill(place.seen(lambda a, rest=rest: a[(*ahead, rest)]), _zero(kind))
        ahead.append(slice(start, stop))


def _pad(writer, eq):
    (v,), out = eq.inputs, eq.outputs[0]
    kind = KINDS[out.aval.dtype]
    where = tuple(slice(a, a + n) for n, (a, _) in zip(v.aval.shape, eq.params[0]))
    if writer.few(out.aval):
        found = np.empty(out.aval.shape, object)
        found[...] = _zero(kind)
        found[where] = writer.held(v)
        writer.values[out] = found
        return
    place = writer.result(out)
    part = place.seen(lambda a: a[where])
    _fill_around(writer, place, part, where, kind)
    want(writer, v, part)
    writer.copy(v, part)
    writer.values[out] = place


def _update(writer, eq):
    (x, v), (index, add, _), out = eq.inputs, eq.params, eq.outputs[0]
    kind = KINDS[out.aval.dtype]
    shape = v.aval.shape
    if writer.few(out.aval):
        found = writer.held(x).copy()
        part = _part(found, index)
        writer.values[out] = found
        if not part.size:
            return
        given = writer.held(v)
        given = np.broadcast_to(given.reshape(shape[max(0, len(shape) - part.ndim) :]), part.shape)
        values = np.empty(part.size, object)
        values[:] = writer.cast(list(given.reshape(-1)), kind)
        values = values.reshape(part.shape)
        part[...] = writer.computed("add", kind, part.shape, [part.copy(), values], kind) if add else values
        return
    fresh = add and type(x) is Literal and not np.any(x.value)  # a sum with zeros is not read from memory
    if fresh:
        place = writer.values[out] = writer.result(out)
        part = place.seen(lambda a: _part(a, index))
        _fill_around(writer, place, part, index, kind)
        total = add_zero_into(writer, eq, v, part) if kind[0] == "f" and v.aval.shape == part.shape else None
        if total is not None:
            writer.settle(total)
            return
    else:
        writer.settle(v)
        place = written_over(writer, x, eq)
        part = place.seen(lambda a: _part(a, index))
    if not part.size:
        return
    given = writer.value(v)
    rest = shape[max(0, len(shape) - len(part.shape)) :]
    if type(given) is Place and given.reshaped(rest) is None:
        copied = writer.new(given.shape, given.kind)
        writer.copy(v, copied)
        given = copied
    given = given.reshaped(rest) if type(given) is Place else given.reshape(rest)
    nest = Nest(part.shape)
    if type(given) is ndarray and given.size == 1:
        value = given.flat[0]
    else:
        given = given if type(given) is Place else writer.stored(given)
        value = Value(given.kind)
        nest.loads.append((value, given.spread(part.shape)))
    if value.kind != kind:
        cast = Value(kind)
        nest.steps.append(Step("cast", kind, [cast], [[value]]))
        value = cast
    if add:
        old, total = _zero(kind) if fresh else Value(kind), Value(kind)
        if not fresh:
            nest.loads.append((old, part))
        nest.steps.append(Step("add", kind, [total], [[old], [value]]))
        value = total
    nest.stores.append((value, part))
    writer.nest(nest)


RULES = {
    **{name: _view(change) for name, change in VIEWS.items()},
    "reshape": _reshape,
    "getitem": _view(_part),
    **dict.fromkeys(("stop_gradient", "real", "conjugate", "duplicate"), _view(lambda x: x)),
    **dict.fromkeys(REDUCERS, _reduction),
    "concatenate": _joined(np.concatenate), "stack": _joined(np.stack), "pad": _pad, "index_update": _update,
    "assemble": assemble,
    "take": take, "scatter_add": scatter_add, "counted": counted, "last_writer": last_writer, "pick": pick,
    "spread": spread, "implant": implant, "put_rows": put_rows, "add_rows": add_rows,
    "cumsum": running("add"), "cumprod": running("multiply"),
    "windows": windows, "overlap_add": overlap_add, "conv": conv, "conv_input": conv_input, "conv_weight": conv_weight,
    "matmul": matmul, "outer": outer, "einsum": einsum, "scan": scan, "while": while_loop, "cond": branch,
    **dict.fromkeys(METHODS, exchange), "rank_vary": _view(lambda x, group: x),
}
