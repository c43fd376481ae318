"""Nests as LLVM text: the last axis in vectors, what is left of it in narrower ones, sums in registers."""

from math import prod

import numpy as np

from ...loops.nests import given, pattern
from ...loops.operations import CASTS, Name, is_costly
from ...loops.statements import BYTES, Const, places, start_of
from .simd import TYPES
from .values import pieces

_INLINE = 24  # costly steps of a nest that are written in place
_WORTH = 256  # elements of a nest, from which they are
_MANY = 64  # steps of a nest, above which registers are short, and what is left of the last axis runs one by one
_DEEP = 512  # elements of a nest with costly steps, from which a step is two registers: one works while one waits
_CONTRACTED = {"add": "fadd contract", "subtract": "fsub contract", "multiply": "fmul contract"}
_QUICK = {("exp", "f32"): "exp_quick"}  # what a function is where products and sums may be rounded once
_OFTEN = 3  # nests that are alike, from which they are one function
_APART = 12  # steps of a nest, up to which sums have several registers


def print_nest(printer, nest):
    """Write the loops of a nest; of many that are alike in a long kernel, as a call of one function."""
    if printer.alike and printer.alike[pattern(nest)] >= _OFTEN:
        _SharedNest(printer, nest).call()
    else:
        _Nest(printer, nest).write()


class _Nest:
    def __init__(self, printer, nest):
        self.printer = printer
        self.nest = nest
        kinds = {p.kind for _, p in (*nest.loads, *nest.stores)} | {s.kind for s in nest.steps} | {
            v.kind for _, v, _ in nest.folds}
        widest = max([BYTES[k] for k in kinds if k != "b8"], default=1)
        self.width = min(printer.vector // widest, 32)
        self.costly = costly = sum(is_costly(s.name) for s in nest.steps)
        size = prod(nest.shape)
        self.inline = costly <= _INLINE and size >= _WORTH
        self.masked = bool(printer.short) and nest.shape == (printer.extent,)
        if costly and size >= _DEEP and len(nest.steps) <= _MANY and not self.masked:
            self.width *= 2
        self.folded = [not nest.shape or not p.strides[-1] for *_, p in nest.folds]  # in registers along the last axis
        self.summed = None if self.masked or printer.extent else summed_axis(self)

    def write(self):
        self.text = self.printer.text
        self.rows(0, {})

    def rows(self, axis, indices):
        """The loops over all axes but the last."""
        shape = self.nest.shape
        if axis == self.summed:
            print_row_sums(self, axis, indices)
            return
        if axis >= len(shape) - 1:
            self.row(indices)
            return
        self.printer.counted(shape[axis], lambda i: self.rows(axis + 1, {**indices, axis: i}))

    def pointer(self, place, indices):
        """The address of the first element of a row."""
        return self.printer.address(place, [(indices[k], place.strides[k]) for k in indices])

    def begin(self, indices):
        """The addresses of a row, and what all its elements share."""
        nest = self.nest
        self.inner = [p.strides[-1] if nest.shape else 0 for _, p in nest.loads]
        self.sources = [self.pointer(p, indices) for _, p in nest.loads]
        self.targets = [self.pointer(p, indices) for _, p in nest.stores]
        self.totals = [self.pointer(p, indices) for *_, p in nest.folds]
        self.single = {}
        for (value, p), inner, source in zip(nest.loads, self.inner, self.sources):
            if not inner:
                self.single[value] = self.printer.load(source, p.kind)

    def row(self, indices):
        """Everything for one row: vectors, then what is left."""
        nest = self.nest
        n = nest.shape[-1] if nest.shape else 1
        self.begin(indices)
        partial = [[] for _ in nest.folds]  # what registers hold of a fold, wide or narrow
        if self.printer.extent and nest.shape == (self.printer.extent,):
            self.row_of_any_length(partial)
        else:
            self.row_of_known_length(n, partial)
        for k, (name, value, p) in enumerate(nest.folds):
            if self.folded[k]:
                self.fold_into(name, value.kind, p, self.totals[k], partial[k])

    def row_of_any_length(self, partial):
        """Vectors while something follows, and one that ends with the last element: folds leave out its others."""
        # The row is longer than a vector, and nothing is stored where something is loaded; where it may be shorter,
        # what is beyond its end is neither loaded nor stored.
        assert all(self.folded)
        text, width = self.text, self.width
        if self.masked:
            count = text.op(f"udiv i64 {text.op(f'add i64 %extent, {width - 1}', 'i64')}, {width}", "i64")
            self.loop(width, 1, count, 0, partial)
            return
        rest = text.op("sub i64 %extent, 1", "i64")
        count = text.op(f"udiv i64 {rest}, {width}", "i64")
        self.loop(width, 1, count, 0, partial)
        last = text.op(f"sub i64 %extent, {width}", "i64")
        done = text.op(f"sub i64 {text.op(f'mul i64 {count}, {width}', 'i64')}, {last}", "i64")
        lanes = f"<{width} x i64>"
        order = "<" + ", ".join([f"i64 {k}" for k in range(width)]) + ">"
        left = text.op(f"icmp uge {lanes} {order}, {self.printer.splat(done, 'i64', width)}", f"<{width} x i1>")
        for k, x in enumerate(self.body(width, last)):
            name, value, _ = self.nest.folds[k]
            partial[k].append((width, self.counted(left, name, value, x, width)))

    def counted(self, mask, name, value, x, width):
        """The operand of a reduction for a vector: its neutral element outside of a mask."""
        start = self.text.builder(value.kind, width).constant(start_of(name, value.kind), value.kind)
        return self.text.op(f"select <{width} x i1> {mask}, {x.type} {x}, {x.type} {start}", x.type)

    def mask(self, width, at):
        """A mask of the vector elements from an index on that lie within the row."""
        text = self.text
        rest = text.op(f"trunc i64 {text.op(f'sub i64 %extent, {at}', 'i64')} to i32", "i32")
        order = "<" + ", ".join([f"i32 {k}" for k in range(width)]) + ">"
        rest = self.printer.splat(rest, "i32", width)
        return text.op(f"icmp slt <{width} x i32> {order}, {rest}", f"<{width} x i1>")

    def row_of_known_length(self, n, partial):
        """Vectors, then what is left."""
        nest, width, done = self.nest, self.width, 0
        if n >= width > 1:
            apart = 4 if any(self.folded) and len(nest.steps) <= _APART and n >= 8 * width else 1
            count = n // (width * apart)
            self.loop(width, apart, count, 0, partial)
            done = count * width * apart
            if apart > 1 and (n - done) // width:
                self.loop(width, 1, (n - done) // width, done, partial)
                done += (n - done) // width * width
        if done < n and len(nest.steps) > _MANY:
            self.loop(1, 1, n - done, done, partial)
            done = n
        for at, part in pieces(n - done, width):
            self.loop(part, 1, 1, done + at, partial)

    def loop(self, width, apart, count, start, partial):
        """`count` turns of `apart` vectors each; costly steps are written once, and the registers of folds rotate."""
        text, nest = self.text, self.nest
        each, turns = (1, count * apart) if self.costly and type(count) is int else (apart, count)
        folds = [k for k, flag in enumerate(self.folded) if flag]
        lanes = {k: text.builder(nest.folds[k][1].kind, width) for k in folds}

        def turn(i, *totals):
            at = text.op(f"mul nuw nsw i64 {i}, {width * each}", "i64") if width * each > 1 else i
            at = text.op(f"add nuw nsw i64 {at}, {start}", "i64") if start else at
            found, before = [], iter(totals)
            for part in range(each):
                values = self.body(width, at if not part else text.op(f"add nuw nsw i64 {at}, {part * width}", "i64"))
                found += [lanes[k].run(nest.folds[k][0], [next(before), values[k]]) for k in folds]
            return [*before, *found]

        if count == 1:
            found = [values[k] for part in range(apart) for values in [self.body(width, str(start + part * width))]
                     for k in folds]
        else:
            first = [b.constant(start_of(nest.folds[k][0], b.kind), b.kind) for k, b in lanes.items()] * apart
            found = text.loop(*self.printer.labels("n"), turns, turn, carried=first)
        for k, x in zip(folds * apart, found):
            partial[k].append((width, x))

    def body(self, width, at):
        """The steps for `width` elements from index `at` on; returns what each fold takes."""
        nest, printer = self.nest, self.printer
        mask = self.mask(width, at) if self.masked else None
        known = {}
        for chunk in chunks([p for _, p in nest.loads], width):
            p = nest.loads[chunk[0]][1]
            first = printer.moved(self.sources[chunk[0]], p.kind, at, p.strides[-1])
            found = load_columns(printer, first, p.kind, len(chunk), p.strides[-1], width)
            known.update((nest.loads[k][0], x) for k, x in zip(chunk, found))
        for (value, p), inner, source in zip(nest.loads, self.inner, self.sources):
            if value in known:
                continue
            if value in self.single:
                known[value] = printer.splat(self.single[value], p.kind, width)
            elif inner == 1:
                known[value] = printer.load(printer.moved(source, p.kind, at, 1), p.kind, width, within(mask, p))
            else:
                known[value] = printer.gathered(source, p.kind, at, inner, width)

        def read(value, kind):
            if type(value) is Const:
                return self.text.builder(kind, width).constant(value.value, value.kind)
            found = known.get(value)
            if found is None:
                found = known[value] = printer.splat(printer.scalar(value), value.kind, width)
            return found

        for step in nest.steps:
            builder = self.text.builder(step.kind, width, self.inline)
            args = [read(a[0], step.kind) for a in step.args]
            if step.name in CASTS:
                known[step.outs[0]] = builder.cast(args[0], step.args[0][0].kind, step.kind)
            elif self.printer.contracts and step.kind[0] == "f" and step.name in _CONTRACTED:
                known[step.outs[0]] = builder.binary(_CONTRACTED[step.name], *args)
            else:
                quick = _QUICK.get((step.name, step.kind)) if self.printer.contracts else None
                known[step.outs[0]] = builder.run(quick or step.name, args)
        stored = set()
        for chunk in chunks([p for _, p in nest.stores], width):
            p = nest.stores[chunk[0]][1]
            first = printer.moved(self.targets[chunk[0]], p.kind, at, p.strides[-1])
            store_columns(printer, [read(nest.stores[k][0], p.kind) for k in chunk], first, p.kind, p.strides[-1])
            stored.update(chunk)
        for k, ((value, p), target) in enumerate(zip(nest.stores, self.targets)):
            if k in stored:
                continue
            inner = p.strides[-1] if nest.shape else 1
            printer.store(read(value, p.kind), target, p.kind, at, inner, width, within(mask, p))
        found = []
        for k, (name, value, p) in enumerate(nest.folds):
            x = read(value, value.kind)
            if not self.folded[k]:
                x = self.text.builder(p.kind, width).cast(x, value.kind, p.kind)
                inner = p.strides[-1]
                old = (printer.load(printer.moved(self.totals[k], p.kind, at, 1), p.kind, width) if inner == 1 else
                       printer.gathered(self.totals[k], p.kind, at, inner, width))
                x = self.text.builder(p.kind, width).run(name, [old, x])
                printer.store(x, self.totals[k], p.kind, at, inner, width)
            found.append(x if mask is None else self.counted(mask, name, value, x, width))
        return found

    def fold_into(self, name, kind, place, target, partial):
        """Fold what registers hold, of one kind, into memory, of that kind or a wider one."""
        printer = self.printer
        one = self.text.builder(place.kind, 1)
        total = printer.load(target, place.kind)
        wide = {}
        for width, x in partial:
            wide[width] = x if width not in wide else self.text.builder(kind, width).run(name, [wide[width], x])
        for x in printer.across(name, wide, kind):
            total = one.run(name, [total, one.cast(x, kind, place.kind)])
        printer.store(total, target, place.kind, "0", 1, 1)


class _SharedNest(_Nest):
    """A nest as a function of its addresses and of the values that it takes from outside."""

    # The time that LLVM takes grows faster than the length of a function, and the steps of a loop that Python has
    # unrolled are the same nests at other addresses.

    def __init__(self, printer, nest):
        super().__init__(printer, nest)
        self.parameters = {id(p): f"%p{k}" for k, p in enumerate(places(nest))}

    def pointer(self, place, indices):
        start = self.parameters[id(place)]
        for k, index in indices.items():
            if place.strides[k]:
                start = self.printer.moved(start, place.kind, index, place.strides[k])
        return start

    def call(self):
        """Write the call, and the function unless there is one."""
        printer = self.printer
        arguments = [f"ptr {printer.address(p)}" for p in places(self.nest)]
        parameters = [f"ptr {name}" for name in self.parameters.values()]
        names = {}
        for k, value in enumerate(given([self.nest])):
            names[value] = Name(f"%g{k}", TYPES[value.kind])
            arguments.append(f"{TYPES[value.kind]} {printer.scalar(value)}")
            parameters.append(f"{TYPES[value.kind]} {names[value]}")
        body = "\n".join([f"({', '.join(parameters)}) {{", "entry:", *printer.function(names, self.write), "  ret void",
                          "}"])
        name = printer.nests.get(body)
        if name is None:
            name = printer.nests[body] = f"@nest{len(printer.nests)}"
            printer.module.functions[name] = f"define internal void {name}{body}"
        printer.text.emit(f"call void {name}({', '.join(arguments)})")


def within(mask, place):
    """The mask that a row needs: memory of our own is long enough for whole vectors."""
    return None if place.memory.role == "scratch" else mask


# Columns that lie beside each other in rows: rows are loaded and stored in pieces, and turned in registers.
#
# Element by element, a column takes as many loads or stores as it has elements. `C` neighbouring columns of `W` rows,
# both powers of two, are `C` vectors in `log2 C` rounds of shuffles.


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
                parts = [printer.text.shuffled(a, b, range(2 * _lanes(a))) for a, b in zip(parts[::2], parts[1::2])]
            vectors.append(parts[0])
    half = count // 2
    even, odd = range(0, 2 * width, 2), range(1, 2 * width, 2)
    for _ in range(count.bit_length() - 1):
        pairs = list(zip(vectors[::2], vectors[1::2]))
        vectors = [printer.text.shuffled(a, b, order) for order in (even, odd) for a, b in pairs]
        assert len(vectors) == 2 * half
    return vectors


def store_columns(printer, vectors, first, kind, stride):
    """Write neighbouring columns of as many rows as each vector has elements."""
    width, count = _lanes(vectors[0]), len(vectors)
    half = count // 2
    low = [lane for k in range(width // 2) for lane in (k, width + k)]
    high = [lane + width // 2 for lane in low]
    for _ in range(count.bit_length() - 1):
        vectors = [printer.text.shuffled(a, b, order)
                   for a, b in zip(vectors[:half], vectors[half:]) for order in (low, high)]
    step = width // count
    for k, x in enumerate(vectors):
        if stride == count:
            printer.store(x, first, kind, str(k * width), 1, width)
            continue
        for part in range(step):
            piece = x if step == 1 else printer.text.shuffled(x, "poison", range(part * count, (part + 1) * count))
            at = printer.moved(first, kind, str(k * step + part), stride)
            printer.text.emit(f"store {piece.type} {piece}, ptr {at}, align {BYTES[kind]}")


def _lanes(x):
    """The number of elements in a vector."""
    return int(x.type.split()[0][1:])


# Sums over rows as LLVM text: where all that a row is added to fits in registers, it stays there from row to row.

_LEAST = 2  # rows that are added up so
_WRITTEN_OUT = 4  # rows, up to which there is no loop
_STEPS = 128  # of such a row, at most


def summed_axis(rows):
    """The axis over which all folds of a nest go that are not of the elements of a row; None if registers are too few.

    Args:
        rows: the `_Nest` that prints it.
    """
    nest, shape = rows.nest, rows.nest.shape
    sums = [p for (*_, p), within in zip(nest.folds, rows.folded) if not within]
    if not sums or len(shape) < 2 or any(p.strides[-1] != 1 for p in sums):
        return None
    count = len(list(pieces(shape[-1], rows.width)))
    for axis in range(len(shape) - 2, -1, -1):
        steps = count * len(nest.steps) * (shape[axis] if shape[axis] <= _WRITTEN_OUT else 1)
        if count * len(sums) > rows.printer.vector // 4 or steps > _STEPS:
            return None
        if shape[axis] >= _LEAST and not any(p.strides[axis] for p in sums):
            return axis
        if not all(p.strides[axis] for p in sums):
            return None
        count *= shape[axis]
    return None


def print_row_sums(rows, axis, indices):
    """Write the loop over rows along an axis, and what lies behind that axis side by side."""
    nest, printer = rows.nest, rows.printer
    parts = []  # (where it lies on the axes behind, width, start)
    for inner in np.ndindex(nest.shape[axis + 1 : -1]):
        behind = {axis + 1 + k: str(i) for k, i in enumerate(inner)}
        parts += [(behind, width, start) for start, width in pieces(nest.shape[-1], rows.width)]
    totals, targets = {}, {}  # (number of a fold, number of a part) -> its value, and its address
    for k, (*_, p) in enumerate(nest.folds):
        for j, (behind, width, start) in enumerate([] if rows.folded[k] else parts):
            targets[k, j] = printer.moved(rows.pointer(p, {**indices, **behind}), p.kind, str(start), 1)
            totals[k, j] = printer.load(targets[k, j], p.kind, width)
    count = nest.shape[axis]
    if count <= _WRITTEN_OUT:
        for i in range(count):
            totals = _turn(rows, {**indices, axis: str(i)}, parts, totals)
    else:
        totals = dict(zip(totals, rows.text.loop(*printer.labels("n"), count, lambda i, *now: list(_turn(
            rows, {**indices, axis: i}, parts, dict(zip(totals, now))).values()), carried=list(totals.values()))))
    for (k, j), x in totals.items():
        printer.store(x, targets[k, j], nest.folds[k][2].kind, "0", 1, parts[j][1])


def _turn(rows, indices, parts, totals):
    """The totals with one row added; folds of the elements of a row go to memory."""
    found, folded = dict(totals), rows.folded  # in their order
    partial = {}
    for j, (behind, width, start) in enumerate(parts):
        if not start:
            rows.begin({**indices, **behind})
            partial = {k: [] for k, within in enumerate(folded) if within}
        rows.folded = [True] * len(folded)
        values = rows.body(width, str(start))
        rows.folded = folded
        for k, (name, value, p) in enumerate(rows.nest.folds):
            if not folded[k]:
                b = rows.text.builder(p.kind, width)
                found[k, j] = b.run(name, [totals[k, j], b.cast(values[k], value.kind, p.kind)])
                continue
            partial[k].append((width, values[k]))
            if start + width == rows.nest.shape[-1]:
                rows.fold_into(name, value.kind, p, rows.totals[k], partial[k])
    return found
