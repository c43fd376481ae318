"""Nests as CUDA text: one thread an element, sums in parts that further launches add up, in a fixed order."""

from ..native.ir.nests import collapsed
from ..native.ir.statements import BYTES, Memory, Nest, Place, Value, compact_strides
from .nests import Rows
from .text import TYPES, Name

WIDE = 128  # elements of a nest, from which threads share it
BLOCK = 256  # threads of a block
BLOCKS = 1024  # at most
_THREADS = 1 << 14  # that a sum is shared among
_EACH = 32  # elements that one thread adds up, at least


def size_of(shape):
    """How many elements an array of a shape has."""
    size = 1
    for n in shape:
        size *= n
    return size


def launches_of(nest, scratch):
    """The launches that a nest comes to, as `(threads, print)` pairs; `scratch(memory)` gives memory a place."""
    groups = {}
    for fold in nest.folds:
        kept = tuple([k for k in range(len(nest.shape)) if fold[2].strides[k]])
        groups.setdefault(kept, []).append(fold)
    if not groups:
        return [(size_of(nest.shape), lambda printer: _each(printer, nest))]
    found = []
    for at, folds in enumerate(groups.values()):
        last = at == len(groups) - 1  # the other sums must read what was there before
        part = collapsed(Nest(nest.shape, nest.loads, nest.steps, nest.stores if last else [], folds))
        found += _sums(part, tuple([k for k in range(len(part.shape)) if part.folds[0][2].strides[k]]), scratch)
    return found


def _sums(nest, kept, scratch):
    """Launches for a nest whose folds all keep the same axes."""
    shape = tuple([nest.shape[k] for k in kept])
    folded = [k for k in range(len(nest.shape)) if k not in kept]
    count, inner = size_of(shape), size_of([nest.shape[k] for k in folded])
    parts = max(1, min(inner // _EACH, _THREADS // count)) if inner >= 2 * _EACH else 1
    if parts == 1:
        return [(count, lambda printer: _part(printer, nest, kept, folded, 1, None))]
    partial = [Memory(p.kind, parts * count, "scratch") for *_, p in nest.folds]
    for memory in partial:
        scratch(memory)
    found = [(parts * count, lambda printer: _part(printer, nest, kept, folded, parts, partial))]
    rest = Nest((parts, *shape))
    for memory, (name, _, place) in zip(partial, nest.folds):
        value = Value(place.kind)
        rest.loads.append((value, Place(memory, rest.shape)))
        rest.folds.append((name, value, Place(place.memory, rest.shape, (0, *[place.strides[k] for k in kept]),
                                              place.offset, place.moving)))
    return found + _sums(rest, tuple(range(1, len(rest.shape))), scratch)


def _each(printer, nest):
    """One thread an element."""
    i = threads_loop(printer, size_of(nest.shape))
    Rows(printer, nest).body(dict(enumerate(_split(printer, i, nest.shape))))
    printer.text.close()


def _part(printer, nest, kept, folded, parts, partial):
    """One thread a part of a sum, or the whole of it."""
    text = printer.text
    shape = [nest.shape[k] for k in kept]
    rows = Rows(printer, nest)
    count, inner = size_of(shape), [nest.shape[k] for k in folded]
    t = threads_loop(printer, parts * count)
    beside = folded and folded[-1] == len(nest.shape) - 1  # neighbours in memory are those of one sum
    part, k = (f"{t} % {parts}", f"{t} / {parts}") if beside else (f"{t} / {count}", f"{t} % {count}")
    part = "0" if parts == 1 else t if count == 1 else _index(printer, part)
    k = "0" if count == 1 else t if parts == 1 else _index(printer, k)
    indices = dict(zip(kept, _split(printer, k, shape)))
    totals = {at: rows.start(at, 1) for at in range(len(nest.folds))}
    r = printer.loop(part, size_of(inner), parts)
    found = rows.body({**indices, **dict(zip(folded, _split(printer, r, inner)))}, False)
    rows.folded(totals, found, "")
    text.close()
    for at, total in totals.items():
        value, place = nest.folds[at][1:]
        x = Name(total, TYPES[value.kind])
        if partial is None:
            rows.fold_into(at, x, indices)
        else:
            x = rows.cast(x, value.kind, place.kind)
            printer.store(x, Place(partial[at], (parts, count)), [(part, count), (k, 1)])
    text.close()


def threads_loop(printer, size):
    """Open the loop over all that the threads of a launch share; returns the name of its index."""
    i = printer.text.new("i")
    kind = "int32_t" if size < 2**30 else "int64_t"
    first, step = (f"({kind})({what})" for what in ("blockIdx.x * blockDim.x + threadIdx.x", "gridDim.x * blockDim.x"))
    printer.text.open(f"for ({kind} {i} = {first}; {i} < {size}; {i} += {step})")
    return i


def _split(printer, i, shape):
    """The indices along the axes of a shape that one number stands for."""
    if len(shape) == 1:
        return [i]
    found = []
    strides = compact_strides(shape)
    for axis, (n, s) in enumerate(zip(shape, strides)):
        text = i if s == 1 else f"{i} / {s}"
        found.append("0" if n == 1 else _index(printer, text if axis == 0 else (
            f"{text} % {n}" if s == 1 else f"({text}) % {n}")))
    return found


def _index(printer, expression):
    """The name of an index."""
    return printer.text.op(f"({printer.index})({expression})", printer.index)


def grid(threads):
    """`(blocks, threads of a block)` of a launch."""
    if threads == 1:
        return 1, 1
    return min(-(-threads // BLOCK), BLOCKS), BLOCK


def bytes_of(memory):
    """The bytes of memory, up to the next line."""
    return -(-memory.size * BYTES[memory.kind] // 64) * 64


