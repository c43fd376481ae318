"""Atoms: lowerings of operations that are not elementwise, and the conditions under which each applies."""

import operator
from collections.abc import Callable
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from ...graph.equations import Literal, Var
from ..loops.operations import calls_ufunc
from ..loops.statements import FEW, KINDS, Const, Memory, Nest, Place, Step, Store, Value, start_of, zero
from ..loops.symbols import arranged, in_pairs, is_uniform, moved, rows_of, updated
from ..machine.blas import products_library
from ..machine.error_states import may_be_native
from .batch_layout import fold
from .buffer_reuse import add_zero_into, want, written_over
from .collectives import exchange
from .concat_by_update import assemble
from .convolution import conv, conv_input, conv_weight, convolve, is_short, overlap_add, slide, windows
from .elementwise import elementary
from .factorizations import (
    call_lapack,
    cholesky,
    is_factorized,
    is_substituted,
    is_system,
    lapack_of,
    qr,
    solve,
    substitute,
)
from .fourier import is_transform, transform
from .indexing import (
    add_rows,
    counted,
    fits,
    implant,
    last_writer,
    looped,
    pivot,
    put_rows,
    row_of,
    scatter_add,
    spread,
    take,
    through,
)
from .loops import branch, scan, while_loop
from .lowering import lowered, named
from .products import einsum, few_products, is_small, matmul, merged, sizes
from .searches import (
    is_product_of_integers,
    is_scattered,
    of_one_kind,
    product_of_integers,
    running_place,
    scattered_extreme,
    searchsorted,
)

# Lower cumulative sums and products along an axis.

_SHORT = 8  # elements behind the axis, below which it is the innermost loop


def running(name):
    """A rule that writes `out[k] = name(out[k - 1], x[k])` along one axis."""
    def rule(writer, eq):
        (v,), (axis,), out = eq.inputs, eq.params, eq.outputs[0]
        kind = KINDS[out.aval.dtype]
        x = writer.place(v)
        place = writer.values[out] = writer.result(out)
        if prod(x.shape[axis + 1 :]) < _SHORT:
            through(writer, [x, place], axis, lambda x, place: _columns(writer, name, kind, x, place))
        else:
            _row_by_row(writer, name, kind, x, place, axis)

    return rule


def _columns(writer, name, kind, x, place):
    last = len(x.shape) - 1
    if last:
        looped(writer, x.shape[last], lambda k: _columns(
            writer, name, kind, row_of(x, last, k), row_of(place, last, k)))
    else:
        _line(writer, name, kind, x, place)


def _line(writer, name, kind, x, place):
    total = Place(Memory(kind, 1, "cell"), ())  # in a register: memory would add its delay to each step
    writer.add(Store([Const(start_of(name, kind), kind)], total))

    def one(k):
        found = Value(kind)
        given = writer.cast([writer.loaded(x.row(k))[()]], kind)
        writer.add(Step(name, kind, [found], [[writer.loaded(total)[()]], given]))
        writer.add(Store([found], total))
        writer.add(Store([found], place.row(k)))

    looped(writer, x.shape[0], one)


def _row_by_row(writer, name, kind, x, place, axis):
    def at(p, index, k=None):
        p = p.laid(p.shape, p.strides, index * p.strides[axis])
        return row_of(p, axis, Const(0, "i64") if k is None else k)

    writer.copy(at(x, 0), at(place, 0))  # no row is before it

    def one(k):
        old, new, total = Value(kind), Value(kind), Value(kind)
        here = at(place, 1, k)
        writer.nest(Nest(here.shape, [(old, at(place, 0, k)), (new, at(x, 1, k))],
                         [Step(name, kind, [total], [[old], [new]])], [(total, here)]))

    if x.shape[axis] > 1:  # a loop has a turn at least
        looped(writer, x.shape[axis] - 1, one)


ndarray = np.ndarray


def _source(writer, eq):
    """The operand of a view: values are stored where the view has many elements that differ."""
    x = writer.value(eq.inputs[0])
    return writer.place(eq.inputs[0]) if type(x) is ndarray and not is_uniform(x) and not writer.few(
        eq.outputs[0].aval) else x


def _view(change):
    def rule(writer, eq):
        x = _source(writer, eq)
        writer.values[eq.outputs[0]] = (x.seen(lambda a: change(a, *eq.params)) if type(x) is Place else
                                        change(x, *eq.params))

    return rule


def _viewed(writer, eq):
    _view(lambda x, *params: eq.prim.impl(np, x, *params) if x.ndim else x)(writer, eq)  # NumPy gives an element


def _reshape(writer, eq):
    (shape,), x = eq.params, _source(writer, eq)
    writer.values[eq.outputs[0]] = merged(writer, x, shape) if type(x) is Place else x.reshape(shape)


def _part(x, index):
    """The view that a basic index takes, an array even of one element."""
    parts = index if type(index) is tuple else (index,)
    return x[parts if Ellipsis in parts else (*parts, Ellipsis)]


def _reduction(writer, eq):
    if fold(writer, eq):  # columns of examples fold them in the nest that makes them
        return
    (v,), (axes, keepdims), out = eq.inputs, eq.params, eq.outputs[0]
    name = eq.prim.reduces.__name__
    shape = v.aval.shape
    if type(v) is Literal or v.aval.size <= 1 or v not in writer.owner and writer.few(v.aval):
        x = writer.held(v)
        if x.size <= 256:  # more would be as much straight-line code
            writer.values[out] = _folded(writer, name, x, axes, out)
            return
    group = writer.owner.get(v)
    if group is None or v in group.folded:
        if v not in writer.rematerialized.steps:  # one that is made again joins the nest with its steps
            writer.settle(v)
        same = writer.groups.get(shape)
        group = same if same is not None and v not in same.folded else None
        if group is None:
            group = writer.waiting(shape)
    group.folds.append((name, v, axes, keepdims, out))
    group.folded.add(out)  # a later step that reads it cannot wait in this nest
    writer.owner[out] = group


def _folded(writer, name, x, axes, out):
    """A reduction of values, by pairs."""
    kind, size, rows = KINDS[out.aval.dtype], out.aval.size, rows_of(x, axes)
    while size == 1 and rows.shape[1] > 2:  # halves are vectors
        half = rows.shape[1] // 2
        pairs = writer.computed(name, kind, (1, half), [rows[:, :half], rows[:, half : 2 * half]], kind)
        rows = np.concatenate((pairs, rows[:, 2 * half :]), 1)
    return in_pairs(list(rows.T), lambda x, y: writer.computed(name, kind, (size,), [x, y], kind)).reshape(
        out.aval.shape)


def _joined(join):
    def rule(writer, eq):
        out = eq.outputs[0]
        if writer.few(out.aval):
            writer.values[out] = moved(eq, list(map(writer.held, eq.inputs)))
            return
        place = writer.result(out)
        axis, at, parts = eq.params[0], 0, []
        for v in eq.inputs:
            if join is np.stack:
                part = place.seen(lambda a, at=at: a[(slice(None),) * axis + (at, Ellipsis)])
                at += 1  # a stack has its parts at places of an axis of its own
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


def _fill_around(writer, place, part, index, kind):
    """Write zeros in a place where an index takes nothing: slabs beside the part, or everywhere."""
    index = index if type(index) is tuple else (index,)
    # One nest over all is cheaper than slabs.
    if 2 * part.size < place.size or not all(type(i) is slice for i in index):
        writer.fill(place, zero(kind))
        return
    inside = []
    for i, n in zip(index, place.shape):
        start, stop, step = i.indices(n)
        if step != 1:
            writer.fill(place, zero(kind))
            return
        inside.append((start, stop, n))
    ahead = []
    for start, stop, n in inside:
        for rest in (slice(0, start), slice(stop, n)):
            if rest.stop > rest.start:
                writer.fill(place.seen(lambda a, rest=rest: a[(*ahead, rest)]), zero(kind))
        ahead.append(slice(start, stop))


def _pad(writer, eq):
    (v,), out = eq.inputs, eq.outputs[0]
    kind = KINDS[out.aval.dtype]
    if writer.few(out.aval):
        writer.values[out] = moved(eq, [writer.held(v)], zero(kind))
        return
    where = tuple(slice(a, a + n) for n, (a, _) in zip(v.aval.shape, eq.params[0]))
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
        old, given = writer.held(x), writer.held(v)
        given = arranged(writer.cast(list(given.reshape(-1)), kind), given.shape)
        writer.values[out] = updated(eq, [old, given], lambda old, new: (
            writer.computed("add", kind, old.shape, [old, new], kind) if old.size else old))
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
        place = written_over(writer, x, eq)  # in place, where nothing reads the array again
        part = place.seen(lambda a: _part(a, index))
    if not part.size:
        return
    given = writer.value(v)
    rest = shape[max(0, len(shape) - len(part.shape)) :]
    if type(given) is Place and given.reshaped(rest) is None:
        given = writer.copied(given)
    given = given.reshaped(rest) if type(given) is Place else given.reshape(rest)
    nest = Nest(part.shape)
    if type(given) is ndarray and given.size == 1:  # one value needs no load
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
        old, total = zero(kind) if fresh else Value(kind), Value(kind)
        if not fresh:  # zeros are not read
            nest.loads.append((old, part))
        nest.steps.append(Step("add", kind, [total], [[old], [value]]))
        value = total
    nest.stores.append((value, part))
    writer.nest(nest)


# Where the atoms fit: operands and results are of kinds that native code has, and not empty.


def _is_basic(index):
    """Tell whether an index takes a view."""
    parts = index if type(index) is tuple else (index,)
    return all(i is None or i is Ellipsis or type(i) in (int, slice) for i in parts)


def _strong(eq, is_body=None):
    return not any(v.aval.weak for v in eq.inputs)


def _same_dtype(eq, is_body=None):
    return _strong(eq) and len({v.aval.dtype for v in (*eq.inputs, *eq.outputs)}) == 1


def _floats(eq, is_body=None):
    return _same_dtype(eq) and KINDS[eq.outputs[0].aval.dtype][0] == "f"


def _folds(eq, is_body):
    kind = KINDS[eq.outputs[0].aval.dtype]
    # A sum of booleans counts them, in another dtype.
    return _same_dtype(eq) and (kind == "b8" if eq.prim.reduces in _OF_TRUTHS else kind[0] in "fi")


def _adds(eq, is_body=None):
    """Tell whether numbers of one dtype, not booleans, are added."""
    return _strong(eq) and eq.inputs[0].aval.dtype == eq.outputs[0].aval.dtype and (
        eq.outputs[0].aval.dtype.kind in "fi")


def _updates(eq, is_body):
    out = eq.outputs[0].aval.dtype
    return _is_basic(eq.params[0]) and not any(v.aval.weak and type(v) is Var for v in eq.inputs) and (
        eq.inputs[0].aval.dtype == out and (not eq.params[1] or KINDS[out] != "b8"))


def _product(eq, is_body):
    if eq.outputs[0].aval.dtype.kind == "i":
        return is_product_of_integers(eq)
    return _floats(eq) and (is_small(*[v.aval for v in eq.inputs]) or products_library() is not None)


def _multiplied(writer, eq):
    (product_of_integers if eq.outputs[0].aval.dtype.kind == "i" else matmul)(writer, eq)


def _contraction(eq, is_body):
    return _floats(eq) and (few_products(*sizes(eq)) or products_library() is not None)


def _convolution(eq, is_body):
    return _floats(eq) and products_library() is not None  # for each example a product of any size


def _is_flag(v):
    return v.aval.dtype == np.bool_ and not v.aval.shape


def _closed(eq, is_body):
    return all(is_body(body.graph) for body in eq.bodies())


class Atom(NamedTuple):
    """An operation that loops have: `fits(eq, is_body)` tells where, `write(writer, eq)` writes it.

    `is_body` tells whether loops have all of a graph.
    """

    fits: Callable
    write: Callable
    foreign: Callable = lambda eq: False  # whether it runs a loop of a ufunc, which no text has


def _is_called(eq):
    """Tell whether LAPACK computes an equation: not what a few steps on numbers are."""
    return lapack_of(eq) is not None and lowered(eq, lambda part: True) is None


def _small(fits, write):
    """Loops over matrices of few rows; of others, LAPACK's."""
    return Atom(lambda eq, is_body: fits(eq, is_body) or _is_called(eq),
                lambda writer, eq: (write if fits(eq, None) else call_lapack)(writer, eq),
                lambda eq: not fits(eq, None))


_OF_TRUTHS = (np.bitwise_and, np.bitwise_or)
_ATOMS = {
    "reshape": Atom(_strong, _reshape), "broadcast_to": Atom(lambda eq, is_body: True, _view(np.broadcast_to)),
    "getitem": Atom(lambda eq, is_body: _strong(eq) and _is_basic(eq.params[0]), _view(_part)),
    "concatenate": Atom(_same_dtype, _joined(np.concatenate)), "stack": Atom(_same_dtype, _joined(np.stack)),
    "pad": Atom(_same_dtype, _pad), "index_update": Atom(_updates, _update),
    "assemble": Atom(lambda eq, is_body: eq.outputs[0].aval.size > FEW, assemble),
    "put_rows": Atom(lambda eq, is_body: True, put_rows), "add_rows": Atom(lambda eq, is_body: True, add_rows),
    "take": Atom(lambda eq, is_body: _strong(eq) and fits(eq.inputs[1], eq.inputs[0].aval.shape[eq.params[0]]), take),
    "scatter_add": Atom(lambda eq, is_body: _adds(eq) and fits(eq.inputs[1], eq.params[1]), scatter_add),
    "counted": Atom(lambda eq, is_body: fits(eq.inputs[0], eq.params[0]), counted),
    "last_writer": Atom(lambda eq, is_body: fits(eq.inputs[0], eq.params[0]), last_writer),
    "pivot": Atom(lambda eq, is_body: _floats(eq) and eq.outputs[0].aval.size == 1, pivot),
    "implant": Atom(_same_dtype, implant),
    "spread": Atom(lambda eq, is_body: _same_dtype(eq) and _adds(eq), spread),
    "cumsum": Atom(_same_dtype, running("add")), "cumprod": Atom(_same_dtype, running("multiply")),
    "searchsorted": Atom(of_one_kind, searchsorted),
    "scattered_extreme": Atom(is_scattered, scattered_extreme),
    "running_argmax": Atom(of_one_kind, running_place(operator.le)),
    "running_argmin": Atom(of_one_kind, running_place(operator.ge)),
    "qr": Atom(is_factorized, qr), "solve_triangular": Atom(is_substituted, substitute),
    "matmul": Atom(_product, _multiplied), "einsum": Atom(_contraction, einsum),
    "convolve": Atom(is_short, convolve), "slide": Atom(is_short, slide),
    "windows": Atom(_strong, windows), "overlap_add": Atom(_floats, overlap_add), "conv": Atom(_convolution, conv),
    "conv_input": Atom(_convolution, conv_input), "conv_weight": Atom(_convolution, conv_weight),
    "solve": _small(partial(is_system, rank=2), solve), "inv": _small(partial(is_system, rank=2), solve),
    "solve_vector": _small(partial(is_system, rank=1), solve), "cholesky": _small(is_factorized, cholesky),
    **dict.fromkeys(("dft_pairs", "rdft_pairs", "irdft_pairs"), Atom(is_transform, transform, lambda eq: True)),
}
_CONTROL = {
    # Loops that are written have at least one turn.
    "scan": Atom(lambda eq, is_body: eq.params[3] > 0 and _closed(eq, is_body), scan),
    "while": Atom(lambda eq, is_body: _closed(eq, is_body) and _is_flag(eq.params[0].graph.outputs[0]), while_loop),
    "branch": Atom(lambda eq, is_body: _is_flag(eq.inputs[0]) and _closed(eq, is_body), branch),
}
_FOLD, _VIEW, _EXCHANGE = Atom(_folds, _reduction), Atom(_strong, _viewed), Atom(lambda eq, is_body: False, exchange)
_LAPACK = Atom(lambda eq, is_body: _is_called(eq), call_lapack, lambda eq: True)
_SAME = Atom(lambda eq, is_body: _strong(eq) and eq.inputs[0].aval == eq.outputs[0].aval, _view(lambda x, *group: x))


def atom_of(prim):
    """The lowering of an operation to loops, or None: by its name, or by what its statement says it does."""
    if prim.name in _ATOMS:
        return _ATOMS[prim.name]
    if prim.control is not None:
        return _CONTROL[prim.control]
    return (_FOLD if prim.reduces is not None else _VIEW if prim.rearranges else _SAME if prim.identity else
            _EXCHANGE if prim.exchanges else _LAPACK if prim.lapack is not None else None)


# Legality: the equations that native code supports, as atoms or after expansion.

_READS = {"context"}  # which ended when rules were asked for
_FEW_STEPS = 1 << 13  # statements of a body, beyond which a loop is left to NumPy


def is_native(eq, known):
    """Tell whether native code has an equation; `known` notes of each what it comes down to, or whether there is a
    rule."""
    found = known.get(eq)
    if found is None:
        found = known[eq] = _looked_at(eq, known)  # bodies are asked about by each pass: noted once
    return found is not False


def _looked_at(eq, known):
    if eq.acts or eq.prim.effects - _READS or not eq.outputs or not may_be_native(eq):  # order and warnings are NumPy's
        return False
    if not all(_fits(v.aval) for v in (*eq.inputs, *eq.outputs)) or any(v.aval.weak for v in eq.outputs):
        return False
    atom = atom_of(eq.prim)
    if atom is not None and atom.fits(eq, partial(_is_body, known=known)):
        return True
    steps = elementary(eq)
    if steps is not None:
        return steps
    several = None if any(v.aval.weak for v in eq.inputs) else lowered(eq, lambda part: True)
    steps = several and named(eq, *several)
    return Expansion(steps) if steps and all(is_native(part, known) for part in steps) else False


def is_foreign(eq, known):
    """Tell whether an equation runs loops of ufuncs, which no text has."""
    if eq.bodies() or not is_native(eq, known):
        return False
    found = known[eq]
    if found is True:
        return atom_of(eq.prim).foreign(eq)
    return (any(calls_ufunc(name) for name, *_ in found) if type(found) is list else
            type(found) is Expansion and any(is_foreign(part, known) for part in found.equations))


class Expansion(NamedTuple):
    """The equations that one comes down to."""

    equations: list


def _fits(aval):
    # Loops have at least one turn: their ends are tested behind.
    return aval.dtype in KINDS and aval.size > 0 and aval.dtype.isnative


def _is_body(graph, known):
    """Tell whether all that a body does is native; its outputs are variables or numbers."""
    if graph is None:
        return False
    avals = [v.aval for v in (*graph.inputs, *graph.outputs)]
    return (all(_fits(a) for a in avals) and not any(v.aval.weak for v in graph.outputs)
            and len(graph.equations) < _FEW_STEPS and all(is_native(eq, known) for eq in graph.equations))


def culprit(eq, known):
    """The equation inside of one that has no form, or itself."""
    for graph in eq.graphs():
        for part in graph.equations:
            if not is_native(part, known):
                return culprit(part, known)
    return eq


def computes(eq):
    """Tell whether an equation does more than move elements."""
    return not (eq.prim.rearranges or eq.prim.identity)
