"""Columns that lie beside each other in rows: rows are loaded and stored in pieces, and turned in registers.

Element by element, a column takes as many loads or stores as it has elements. `C` neighbouring columns of `W` rows,
both powers of two, are `C` vectors in `log2 C` rounds of shuffles.
"""

from ...loops.kinds import BYTES
from .simd import TYPES, Name


def chunks(places, width):
    """Lists of numbers of `places`, which lie in neighbouring columns: 2, 4, … up to `width` of them."""
    rows = {}
    for k, p in enumerate(places):
        if p.shape and p.strides[-1] > 1 and p.kind != "b8":
            rows.setdefault((p.memory, p.kind, p.strides, p.moving), {}).setdefault(p.offset, k)
    found = []
    for (*_, strides, _), columns in rows.items():
        run: list[int] = []
        for offset in sorted(columns):
            if offset - 1 not in columns or len(run) == strides[-1]:
                found += _powers(run, width)
                run = []
            run.append(columns[offset])
        found += _powers(run, width)
    return found


def _powers(run, width):
    """A run in pieces whose lengths are powers of two, without those of one."""
    found = []
    while len(run) > 1 and width > 1:
        count = min(1 << (len(run).bit_length() - 1), width)
        found.append(run[:count])
        run = run[count:]
    return found


def load_columns(printer, first, kind, count, stride, width):
    """`count` neighbouring columns of `width` rows; `first` is the address of the first element of the first row."""
    if stride == count:
        vectors = [printer.load(printer.moved(first, kind, str(k * width), 1), kind, width) for k in range(count)]
    else:
        step = width // count
        vectors = []
        for k in range(0, width, step):
            parts = [printer.load(printer.moved(first, kind, str(row), stride), kind, count)
                     for row in range(k, k + step)]
            while len(parts) > 1:
                parts = [_shuffled(printer, a, b, kind, range(2 * _lanes(a))) for a, b in zip(parts[::2], parts[1::2])]
            vectors.append(parts[0])
    half = count // 2
    even, odd = range(0, 2 * width, 2), range(1, 2 * width, 2)
    for _ in range(count.bit_length() - 1):
        pairs = list(zip(vectors[::2], vectors[1::2]))
        vectors = [_shuffled(printer, a, b, kind, order) for order in (even, odd) for a, b in pairs]
        assert len(vectors) == 2 * half
    return vectors


def store_columns(printer, vectors, first, kind, stride):
    """Write neighbouring columns of as many rows as each vector has elements."""
    width, count = _lanes(vectors[0]), len(vectors)
    half = count // 2
    low = [lane for k in range(width // 2) for lane in (k, width + k)]
    high = [lane + width // 2 for lane in low]
    for _ in range(count.bit_length() - 1):
        vectors = [_shuffled(printer, a, b, kind, order)
                   for a, b in zip(vectors[:half], vectors[half:]) for order in (low, high)]
    step = width // count
    for k, x in enumerate(vectors):
        if stride == count:
            printer.store(x, first, kind, str(k * width), 1, width)
            continue
        for part in range(step):
            piece = x if step == 1 else _shuffled(printer, x, "poison", kind, range(part * count, (part + 1) * count))
            at = printer.moved(first, kind, str(k * step + part), stride)
            printer.text.emit(f"store {piece.type} {piece}, ptr {at}, align {BYTES[kind]}")


def _lanes(x):
    """The number of elements in a vector."""
    return int(x.type.split()[0][1:])


def _shuffled(printer, a, b, kind, order):
    """A vector of elements of two vectors, of which the second may be poison."""
    order = list(order)
    mask = ", ".join([f"i32 {k}" for k in order])
    out = f"<{len(order)} x {TYPES[kind]}>"
    return Name(printer.text.op(f"shufflevector {a.type} {a}, {a.type} {b}, <{len(order)} x i32> <{mask}>", out), out)
