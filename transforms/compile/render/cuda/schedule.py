"""Schedule the statements of a kernel into launches that run one after the other."""

from collections import deque
from math import prod

from .....core.types import Any
from ...loops import statements as ir
from ...loops.nests import changed, collapsed
from ..c.nests import Rows, print_nest
from .parallel import ALIKE, OWN, Each, Lines, Total, by_folded_axes, is_cheap, power_above

# Render loops over the states of many examples as CUDA, one thread an example, where none depends on another.

WIDE = 128  # elements of a nest, from which a loop of such has a thread an example


class Batched:
    """The split of the examples of a loop among threads: `count` of them, each with its copy of `own` memory."""

    gathers = ()
    block = 128

    def __init__(self, loop, count, own):
        self.statement = loop
        self.own = own
        self.threads = self.least = count

    def write(self, printer, part):
        """Print the loop for a thread's example."""
        text = printer.text
        b = text.op(f"({printer.index})(blockIdx.x * blockDim.x + threadIdx.x)", printer.index)
        text.open(f"if ({b} < {self.threads})")
        printer.print_nest = self.printed(b)
        printer.block([self.statement])
        printer.print_nest = print_nest
        text.close()

    def printed(self, b):
        """A printer of nests for example `b`."""
        def write(printer, nest):
            found = by_example(nest, self.threads)
            if found is None:
                print_nest(printer, nest)
            else:
                Rows(printer, found).rows(1, {0: b})

        return write


def batched(statement):
    """The `Batched` of a loop; None where its examples depend on each other, or it has none."""
    if type(statement) is not ir.Loop:
        return None
    nests = [s for s in ir.walk([statement]) if type(s) is ir.Nest]
    count = min([n.shape[0] for n in nests if n.shape and prod(n.shape) >= WIDE], default=0)
    if count < WIDE:
        return None
    turns = {s.counter: s.count for s in ir.walk([statement]) if type(s) is ir.Loop}
    shared, alone, written = {}, set(), set()  # memory -> how examples lie in it; what all threads touch alike
    for s in ir.walk([statement]):
        found = by_example(s, count) if type(s) is ir.Nest else None
        if found is None:
            if type(s) not in (ir.Nest, ir.Load, ir.Store, ir.Step, ir.Loop) or (
                    type(s) is ir.Nest and prod(s.shape) >= WIDE):
                return None
            alone.update(p.memory for p in ir.places(s))
            written.update(p.memory for p in places_written(s))
        else:
            for k, p in enumerate(ir.places(found)):
                shared.setdefault(p.memory, []).append(p)
                if k >= len(found.loads):
                    written.add(p.memory)
    for memory in written:
        if memory in alone and (memory in shared or memory.size > OWN or memory.role not in ("cell", "scratch")):
            return None
        if memory in shared and not _apart(shared[memory], count, turns):
            return None
    return Batched(statement, count, {m for m in written if m in alone})


def by_example(nest, count):
    """The nest with the examples along its first axis; None if it has no such axis."""
    shape = nest.shape
    axis = next((k for k, n in enumerate(shape) if n == count), None)
    if axis is None:
        if not shape or shape[0] % count:
            return None
        each = shape[0] // count
        return changed(nest, (count, each, *shape[1:]), lambda p: p.laid(
            (count, each, *shape[1:]), (p.strides[0] * each, *p.strides)))
    order = [axis, *[k for k in range(len(shape)) if k != axis]]
    rest = (1,) * (len(shape) == 1)
    return changed(nest, (*[shape[k] for k in order], *rest), lambda p: p.laid(
        (*[shape[k] for k in order], *rest), (*[p.strides[k] for k in order], *[0] * len(rest))))


def _apart(found, count, turns):
    """Tell whether no element at such places belongs to two examples.

    With `s` between an example and the next, element `a` belongs to example `a // s` modulo `count`.
    """
    s = found[0].strides[0]
    if s <= 0 or any(p.strides[0] != s for p in found):
        return False
    whole = s * count
    for p in found:
        low = high = p.offset % whole
        for n, step in (*zip(p.shape[1:], p.strides[1:]), *[(turns.get(c, 1 << 40), step) for c, step in p.moving]):
            if step % whole:
                low, high = low + min(0, (n - 1) * step), high + max(0, (n - 1) * step)
        if low < 0 or high >= s:
            return False
    return True


BLOCKS = 1056  # at most, of threads that take several elements: 8 for each multiprocessor
_GATHERING = 256  # threads of a block that folds what others left: several folds have room in its shared memory
_FOLDING = 528  # of threads that fold elements, or what blocks left
_SHARED = Batched, Each, Lines, Total


class Part:
    """The work of one launch: `gathers` first, then `items`, statements and what threads share, in order.

    `kind` is "alike" while every thread does the same, "block" where the threads of one block share something, "grid"
    where those of many do, so that nothing that these make is there before the next part, and "alone" for one thread.
    """

    def __init__(self, gathers=()):
        self.gathers = list(gathers)
        self.items = []
        self.kind = "alike"
        self.grid = self.block = 1
        self.reads, self.writes = set(), set()
        self.places = []  # that are written
        self.gives = set()  # what threads make together
        self.mixed = False  # whether something here reads what was shared here
        self.left = []  # gathers for the next part

    def add(self, item):
        """Add a statement, or what threads share."""
        reads, writes = touched(statement_of(item))
        self.mixed |= not self.gives.isdisjoint(reads | writes)
        self.items.append(item)
        self.reads |= reads
        self.writes |= writes
        self.places += [p for s in ir.walk([statement_of(item)]) for p in places_written(s)]
        if type(item) in _SHARED:
            self.gives.update(writes, [gather.out for gather in item.gathers])
            self.left += item.gathers

    def settle(self):
        """Choose the threads."""
        shared = [item for item in self.items if type(item) in _SHARED]
        self.block = max([item.block for item in shared], default=1)
        if self.kind == "grid":
            # More blocks than the device holds at once only wait. Where each leaves a partial fold for the next launch
            # to gather, fewer of them make that gathering shorter.
            most = _FOLDING if self.gathers or self.left else BLOCKS
            self.grid = min(-(-max(item.threads for item in shared) // self.block), most)
            self.grid = max(self.grid, *[-(-item.least // self.block) for item in shared])
        if self.gathers:
            count = max(gather.part.grid for gather in self.gathers)
            self.block = max(self.block, min(max(32, power_above(count)), _GATHERING))
        for gather in self.left:
            gather.partial.size = self.grid


class Schedule:
    """Cuts statements into `parts`; `own` is the memory that each thread has a copy of."""

    def __init__(self, statements):
        self.parts = []
        self.part = Part()
        self.waiting = Part()  # what every thread does alike as soon as threads have made what it reads
        self.fresh = set()  # the places of folds that hold nothing before
        self.loops = {}
        statements = self.without_fills(statements)
        self.own = self.owned(statements)
        queue = deque(statements)
        # A statement may come apart into several, which take its place: at the head of the queue, in their order.
        while queue:
            queue.extendleft(reversed(self.placed(queue.popleft())))
        # Blocks of one launch run in any order, and none sees what another made: what is left to gather, or waits for
        # what threads share, needs one launch more.
        while self.part.left or self.waiting.items:
            self.open()
        self.open()
        for part in self.parts:
            part.settle()

    def without_fills(self, statements):
        """Statements without those that fill what the next one to touch it folds into."""
        filled, kept = {}, list(statements)  # memory -> the number of the statement that filled all of it
        for at, s in enumerate(statements):
            if type(s) is ir.Nest:
                for name, _, place in s.folds:
                    found = filled.get(place.memory)
                    # A fold into what was just filled with its neutral element may begin with its first element.
                    if found is not None and statements[found].stores[0][0].value == ir.start_of(name, place.kind) and (
                            covers(place) and sum(p.memory is place.memory for p in ir.places(s)) == 1):
                        kept[found] = None
                        self.fresh.add(place)
            for memory in touched(s)[0] | touched(s)[1]:
                filled.pop(memory, None)
            if type(s) is ir.Nest and not (s.loads or s.steps or s.folds) and len(s.stores) == 1 and (
                    type(s.stores[0][0]) is ir.Const and covers(s.stores[0][1])):
                filled[s.stores[0][1].memory] = at
        return [s for s in kept if s is not None]

    def owned(self, statements):
        """Small memory that threads do not make together."""
        # What all threads compute alike from the same values may stand in each: a copy costs less than a barrier. What
        # they make together cannot, and a loop over examples needs copies of its whole state. Without one such loop
        # more memory is made together, so this is asked until nothing changes.
        self.loops = {s: found for s in statements if (found := batched(s)) is not None}
        while True:
            small, together = set(), set()
            for s in statements:
                memory = {m for part in touched(s) for m in part if type(m) is ir.Memory and m.size <= OWN}
                small |= {m for m in memory if m.role not in ("input", "constant")}
                if s in self.loops:
                    together |= (touched(s)[1] & memory) - self.loops[s].own
                elif type(s) is ir.Nest and prod(s.shape) > ALIKE:
                    together |= {p.memory for p in places_written(s) if any(p.strides)} | {
                        p.memory for _, p in s.stores}
            own = small - together
            wrong = [s for s, found in self.loops.items() if not found.own <= own]
            if not wrong:
                return own
            del self.loops[wrong[0]]

    def placed(self, s):
        """Put a statement into a part; returns statements to put next, first."""
        if s in self.loops:
            self.share(s, False, lambda part: self.loops[s])
            return []
        kind = type(s)
        own = self.own.issuperset([p.memory for p in places_written(s)])
        if kind in (ir.Load, ir.Step) or own and (kind is ir.Store or kind is ir.Nest and prod(s.shape) <= ALIKE):
            self.alike(s)
            return []
        if kind is ir.Store:
            return [_as_nest(x, s.place, k) for k, x in enumerate(s.values)]
        if kind is not ir.Nest:  # loops, branches and products go in order, so one thread runs them
            self.alone(s)
            return []
        # Threads share the axes that are kept, or those that are folded: folds over other axes are other nests.
        nests = by_folded_axes(s)
        if len(nests) > 1:
            return [self.merged(nest) for nest in nests]
        small, folds = is_cheap(s), [p for *_, p in s.folds]
        if not folds or all(folds[0].strides):
            self.share(s, small, lambda part: Each(s, part.kind == "block"))
            return []
        if any(folds[0].strides):
            found = self.share(s, small, lambda part: Lines(s, part.kind == "block", self.fresh))
            return [found.rest()] if found.partial else []
        # One element from all: each block folds its part, and the next launch, or barrier, folds what blocks left.
        found = self.share(s, small, lambda part: Total(s, part.kind == "block", part))
        return [rest for gather, (name, _, place) in zip(found.gathers, s.folds)
                for rest in _into(name, gather.out, place, place in self.fresh)]

    def merged(self, nest):
        """A nest with neighbouring axes merged where that is possible now."""
        found = collapsed(nest)
        self.fresh.update([new for (*_, new), (*_, old) in zip(found.folds, nest.folds) if old in self.fresh])
        return found

    def alike(self, s):
        """Put a statement that every thread runs."""
        reads, writes = touched(s)
        wait = self.waiting
        # In a grid no barrier reaches all threads: what needs the results of others waits for the next launch, and so
        # does what would overwrite something that a waiting statement still reads.
        if self.part.kind == "grid" and not (
                (reads | writes).isdisjoint(self.part.gives | wait.writes) and writes.isdisjoint(wait.reads)):
            wait.add(s)
        else:
            self.part.add(s)

    def alone(self, s):
        """Put a statement that one thread runs."""
        if self.part.kind not in ("alike", "alone"):
            self.open()
        self.part.kind = "alone"
        self.part.add(s)

    def share(self, s, small, made):
        """Put what `made(part)` makes of a statement that threads share; returns that."""
        part = self.part
        free = self.is_free(s)
        # What began in one block becomes a grid where something large joins it and nothing in it relies on barriers:
        # one launch in place of two.
        if part.kind == "block" and not small and free and not part.mixed and not part.left:
            items = [_again(item) for item in part.items]
            if not any(type(item) is Lines and item.partial for item in items):
                part.items, part.kind = items, "grid"
        if part.kind == "alone" or part.kind == "block" and not small or part.kind == "grid" and not free:
            self.open()
            part = self.part
        if part.kind == "alike":
            part.kind = "block" if small else "grid"
        found = made(part)
        part.add(found)
        return found

    def is_free(self, s):
        """Tell whether a statement may run at any time while the part does."""
        reads, writes = touched(s)
        part, wait = self.part, self.waiting
        written = [p for each in ir.walk([s]) for p in places_written(each)]
        theirs = writes - self.own
        # Threads of the part may be anywhere in it: nothing may be read that they make, nor written that they read, and
        # writes of both must go to other elements.
        return (reads.isdisjoint(part.gives | wait.writes) and writes.isdisjoint(wait.reads | wait.writes) and
                theirs.isdisjoint(part.reads) and (
                    theirs.isdisjoint(part.writes) or are_apart(written, part.places)))

    def open(self):
        """End the part, and begin the next one with what waits for it."""
        part = self.part
        if part.items or part.gathers:
            self.parts.append(part)
        self.part = Part(part.left)
        if part.kind == "block":  # a barrier was enough, and the folds are done
            self.part.gathers = []
        for s in self.waiting.items:
            self.part.add(s)
        self.waiting = Part()


def statement_of(item):
    """The statement of what threads share, or the statement itself."""
    return item.statement if type(item) in _SHARED else item


def _again(item):
    """The work that threads share, for many blocks."""
    if type(item) is Lines:
        return Lines(item.nest, False, item.fresh)
    return Each(item.nest, False) if type(item) is Each else item


def covers(place):
    """Tell whether a place has all elements of its memory."""
    kept = [(n, s) for n, s in zip(place.shape, place.strides) if s]
    shape = [n for n, _ in sorted(kept, key=lambda axis: -axis[1])]
    return not place.moving and place.offset == 0 and prod(shape) == place.memory.size and (
        sorted([s for _, s in kept], reverse=True) == list(ir.compact_strides(shape)))


def _as_nest(x, place, k):
    """A nest that stores the k-th value of a `Store`."""
    steps, value = [], x
    if x.kind != place.kind:
        value = ir.Value(place.kind)
        steps = [ir.Step("cast", place.kind, [value], [[x]])]
    return ir.Nest((1,), [], steps, [(value, place.laid((1,), (1,), k))])


def _into(name, x, place, fresh):
    """Statements that fold a value into the one element of a place."""
    place = place.laid((), ())
    if fresh:
        return [ir.Store([x], place)]
    old, new = ir.Value(place.kind), ir.Value(place.kind)
    return [ir.Load([old], place), ir.Step(name, place.kind, [new], [[old], [x]]), ir.Store([new], place)]


# Read and write sets of statements: memory, and values that several statements share.


def touched(statement):
    """`(reads, writes)` of a statement and its bodies, as sets of `Memory` and `Value`."""
    reads, writes = in_order([statement])
    return set(reads), set(writes)


def in_order(statements):
    """The same of several statements, as lists in the order of the text."""
    reads: list[Any] = []
    writes: list[Any] = []
    for s in ir.walk(statements):
        _add(s, reads, writes)
    return reads, writes


def places_written(statement):
    """The places that a statement itself writes."""
    kind = type(statement)
    if kind is ir.Store:
        return [statement.place]
    if kind is ir.Nest:
        return [p for _, p in statement.stores] + [p for *_, p in statement.folds]
    return [statement.out] if kind is ir.Product else []


def _add(statement, reads, writes):
    kind = type(statement)
    written = places_written(statement)
    writes += [p.memory for p in written]
    reads += [p.memory for p in ir.places(statement) if p not in written]
    if kind is ir.Nest:
        reads += [p.memory for *_, p in statement.folds]
    if kind in (ir.Load, ir.Step):
        writes += statement.outs
    reads += ir.values(statement)


def are_apart(places, others):
    """Tell whether no element lies in both of two lists of places, as far as the bounds of these tell."""
    return not any(p.memory is q.memory and _meet(p, q) for p in places for q in others)


def _meet(p, q):
    (low, high), (start, stop) = _bounds(p), _bounds(q)
    return bool(p.moving or q.moving) or low <= stop and start <= high


def _bounds(place):
    steps = [(n - 1) * s for n, s in zip(place.shape, place.strides)]
    return place.offset + sum(s for s in steps if s < 0), place.offset + sum(s for s in steps if s > 0)
