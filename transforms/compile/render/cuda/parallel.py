"""Render parallel loop nests as CUDA: one thread an element, or several a reduction in a fixed order.

A thread takes elements a grid apart, so that neighbours in a block read neighbours in memory. What is chosen fills a
processor of 132 multiprocessors of 2048 threads.
"""

from math import prod

from .....core.types import Any
from ...loops.operations import Name
from ...loops.statements import Memory, Nest, Place, Value, compact_strides
from ...maths import FUNCTIONS
from ..c.nests import Rows
from ..c.text import TYPES
from .block_folds import LARGEST, Gather, folded

ALIKE = 16  # elements of a nest that every thread computes for itself
OWN = 64  # elements of memory that every thread has a copy of
SMALL = 2048  # elements of a nest that one block computes, if its steps are cheap
THREADS = 1 << 17  # that sums are shared among
_CHEAP = 400  # steps in a row
_FUNCTION = 30  # steps that an elementary function counts for
_EACH = 8  # elements of a sum that a thread adds up before others share them
_AHEAD = 4  # elements that a thread reads before it computes with the first: it waits for memory once
_READ = 16  # values that it has then, at most
_WRITTEN = 1400  # steps of all these elements, at most: more are larger than the memory of instructions
_WARP = 32


def block_for(threads):
    """Threads of a block for so many in all: small blocks lie on more multiprocessors."""
    return 64 if threads <= 1 << 14 else 128 if threads <= 1 << 15 else 256


def is_cheap(nest):
    """Tell whether one block computes a nest about as fast as many."""
    size = prod(nest.shape)
    return size <= SMALL and (1 + steps_of(nest)) * -(-size // LARGEST) <= _CHEAP


def steps_of(nest):
    """About how many operations an element takes."""
    return sum(_FUNCTION if step.name in FUNCTIONS else 1 for step in nest.steps)


def by_folded_axes(nest):
    """The nests, one after the other, that a nest comes to whose folds do not all keep the same axes."""
    found = {}
    for fold in nest.folds:
        found.setdefault(tuple([bool(s) for s in fold[2].strides]), []).append(fold)
    groups = list(found.values())
    return [Nest(nest.shape, nest.loads, nest.steps, [], folds) for folds in groups[:-1]] + [
        Nest(nest.shape, nest.loads, nest.steps, nest.stores, groups[-1])] if len(groups) > 1 else [nest]


class Shared:
    """A nest whose elements threads share: `threads` in blocks of `block`; `small` if one block does."""

    gathers: Any = ()
    least = 0  # threads that there must be

    def __init__(self, nest, small):
        self.statement = self.nest = nest
        self.threads = prod(nest.shape)
        self.block = min(LARGEST, power_above(max(self.threads, _WARP))) if small else block_for(self.threads)

    def rows(self, printer):
        """The `Rows` of the nest, with what is the same for all elements loaded."""
        rows = Rows(printer, self.nest)
        written = {p.memory for _, p in self.nest.stores} | {p.memory for *_, p in self.nest.folds}
        rows.held = {v: printer.load(p) for v, p in self.nest.loads if not any(p.strides) and p.memory not in written}
        return rows

    def elements(self, printer, part, rows, write):
        """The loop over the elements of a thread: `write(indices)` is called for one; several are loaded first."""
        text, size = printer.text, self.threads
        loads = [(v, p) for v, p in self.nest.loads if v not in rows.held]
        # A thread waits some hundred cycles for memory: with loads of several elements under way it waits once. More of
        # them take registers from other threads, and unrolled code beyond the cache of instructions is slower again.
        count = min(_AHEAD, _READ // max(len(loads), 1), _WRITTEN // (1 + steps_of(self.nest)),
                    -(-size // (part.grid * part.block))) if loads else 1
        count = 1 << max(count, 1).bit_length() - 1
        i, step = threads_loop(printer, size, part, count)
        if count == 1:
            write(_split(printer, i, self.nest.shape))
            text.close()
            return
        ahead = {v: text.new("a") for v, _ in loads}
        for v, name in ahead.items():
            text.emit(f"{TYPES[v.kind]} {name}[{count}];")

        def each():
            k = text.new("i")
            text.emit("#pragma unroll")
            text.open(f"for (int {k} = 0; {k} < {count}; {k}++)")
            return k, text.op(f"{i} + {k} * {step}", printer.index)

        # Loads beyond the end read the first element again: a branch would keep them from being issued together.
        k, j = each()
        indices = _split(printer, text.op(f"{j} < {size} ? {j} : {i}", printer.index), self.nest.shape)
        for v, p in loads:
            text.emit(f"{ahead[v]}[{k}] = {printer.load(p, rows.moves(p, dict(enumerate(indices))))};")
        text.close()
        k, j = each()
        text.open(f"if ({j} < {size})")
        held = rows.held
        rows.held = {**held, **{v: Name(f"{name}[{k}]", TYPES[v.kind]) for v, name in ahead.items()}}
        write(_split(printer, j, self.nest.shape))
        rows.held = held
        text.close()
        text.close()
        text.close()


class Each(Shared):
    """One thread an element."""

    def write(self, printer, part):
        rows = self.rows(printer)
        self.elements(printer, part, rows, lambda indices: rows.body(dict(enumerate(indices))))


class Total(Shared):
    """Folds over all elements: a value of each block, which a `Gather` folds, or the value itself if there is one."""

    def __init__(self, nest, small, part):
        super().__init__(nest, small)
        self.gathers = [Gather(name, Memory(p.kind, 1), part) for name, _, p in nest.folds]
        self.statement = Nest(nest.shape, nest.loads, nest.steps, nest.stores, [
            (name, value, Place(gather.partial, nest.shape, [0] * len(nest.shape)))
            for gather, (name, value, _) in zip(self.gathers, nest.folds)])

    def write(self, printer, part):
        text, nest = printer.text, self.nest
        rows = self.rows(printer)
        totals = {k: rows.start(k, 1) for k in range(len(nest.folds))}
        self.elements(printer, part, rows, lambda indices: rows.folded(
            totals, rows.body(dict(enumerate(indices)), False), ""))
        values = []
        for k, (name, value, place) in enumerate(nest.folds):
            x = rows.cast(Name(totals[k], TYPES[value.kind]), value.kind, place.kind)
            values.append((name, place.kind, x))
        values = folded(printer, values, part.block)
        if part.kind == "block":
            printer.values.update(zip([gather.out for gather in self.gathers], values))
            return
        text.open("if (threadIdx.x == 0)")
        for gather, x in zip(self.gathers, values):
            printer.store(x, Place(gather.partial, (part.grid,)), [("blockIdx.x", 1)])
        text.close()


class Lines(Shared):
    """Folds along the same axes: `lanes` threads of a block share each of the sums, or of `parts` that it is cut in."""

    def __init__(self, nest, small, fresh):
        super().__init__(nest, small)
        self.fresh = fresh
        axes = range(len(nest.shape))
        self.kept = [k for k in axes if nest.folds[0][2].strides[k]]
        self.folded = [k for k in axes if k not in self.kept]
        self.count = prod([nest.shape[k] for k in self.kept])
        self.inner = prod([nest.shape[k] for k in self.folded])
        self.beside = self.folded[-1] == axes[-1]  # neighbours in memory are those of one sum
        if not small:
            self.block = 256
        wanted = min(self.inner, (self.block if small else THREADS) // self.count)
        most = self.block if self.beside else self.block // min(_WARP, power_above(self.count))
        self.lanes = 1 << min(wanted, most).bit_length() - 1 if wanted >= 4 else 1
        each = -(-self.inner // self.lanes)
        self.parts = 1 if small else max(1, min(each // _EACH, THREADS // (self.count * self.lanes)))
        self.threads = self.count * self.lanes * self.parts
        self.partial: Any = None
        if self.parts > 1:
            self.partial = [Memory(p.kind, self.parts * self.count) for *_, p in nest.folds]

    def rest(self):
        """The nest that folds the parts."""
        shape = self.parts, *[self.nest.shape[k] for k in self.kept]
        rest = Nest(shape)
        for memory, (name, _, place) in zip(self.partial, self.nest.folds):
            value = Value(place.kind)
            rest.loads.append((value, Place(memory, shape)))
            rest.folds.append((name, value, place.laid(shape, (0, *[place.strides[k] for k in self.kept]))))
            if place in self.fresh:
                self.fresh.add(rest.folds[-1][2])
        return rest

    def write(self, printer, part):
        text, nest = printer.text, self.nest
        rows = self.rows(printer)
        across = part.block // self.lanes  # sums that a block works at
        blocks = -(-self.count // across)
        g = text.new("i")
        text.open(f"for (int32_t {g} = (int32_t)blockIdx.x; {g} < {blocks * self.parts}; {g} += (int32_t)gridDim.x)")
        lane, line, apart = ((f"threadIdx.x % {self.lanes}", f"threadIdx.x / {self.lanes}", 1) if self.beside else
                             (f"threadIdx.x / {across}", f"threadIdx.x % {across}", across))
        lane = text.op(f"({printer.index})({lane})" if self.lanes > 1 else "0", printer.index)
        here = g if self.parts == 1 else f"{g} % {blocks}"
        k = text.op(f"({printer.index})({here}) * {across} + ({printer.index})({line})", printer.index)
        at = text.op(f"({printer.index})({g} / {blocks})" if self.parts > 1 else "0", printer.index)
        indices = dict(zip(self.kept, _split(printer, k, [nest.shape[k] for k in self.kept])))
        totals = {f: rows.start(f, 1) for f in range(len(nest.folds))}
        text.open(f"if ({k} < {self.count})")
        r = printer.loop(f"{at} * {self.lanes} + {lane}", self.inner, self.parts * self.lanes)
        inner = dict(zip(self.folded, _split(printer, r, [nest.shape[k] for k in self.folded])))
        rows.folded(totals, rows.body({**indices, **inner}, False), "")
        text.close()
        text.close()
        found = []
        for f, (name, value, place) in enumerate(nest.folds):
            x = rows.cast(Name(totals[f], TYPES[value.kind]), value.kind, place.kind)
            found.append((name, place.kind, x))
        values = [x for *_, x in found]
        if self.lanes > 1:
            values = folded(printer, found, part.block, lane, self.lanes, apart)
        text.open(f"if ({lane} == 0 && {k} < {self.count})" if self.lanes > 1 else f"if ({k} < {self.count})")
        for f, x in enumerate(values):
            place = nest.folds[f][2]
            moves = rows.moves(place, indices)
            if self.partial is not None:
                printer.store(x, Place(self.partial[f], (self.parts, self.count)), [(at, self.count), (k, 1)])
            elif place in self.fresh:
                printer.store(x, place, moves)
            else:
                printer.store(rows.combined(f, place.kind, printer.load(place, moves), x), place, moves)
        text.close()
        text.close()


def power_above(count):
    """The least power of two that is no less."""
    return 1 << (count - 1).bit_length()


def threads_loop(printer, size, part, count):
    """Open the loop over what the threads of a part share, `count` of it a turn; returns its index and the step."""
    text, threads = printer.text, part.grid * part.block
    kind = "int32_t" if size < 2**30 else "int64_t"
    first = f"({kind})blockIdx.x * {part.block} + ({kind})threadIdx.x"
    if size <= threads:
        i = text.op(first, kind)
        text.open(f"if ({i} < {size})")
    else:
        i = text.new("i")
        text.open(f"for ({kind} {i} = {first}; {i} < {size}; {i} += {count * threads})")
    return i, threads


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
