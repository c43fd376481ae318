"""Render loops over the states of many examples as CUDA, one thread an example, where none depends on another."""

from math import prod

from ...loops.nests import changed
from ...loops.statements import Load, Loop, Nest, Step, Store, places, walk
from ..c.nests import Rows, print_nest
from .parallel import OWN

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
    if type(statement) is not Loop:
        return None
    nests = [s for s in walk([statement]) if type(s) is Nest]
    count = min([n.shape[0] for n in nests if n.shape and prod(n.shape) >= WIDE], default=0)
    if count < WIDE:
        return None
    turns = {s.counter: s.count for s in walk([statement]) if type(s) is Loop}
    shared, alone, written = {}, set(), set()  # memory -> how examples lie in it; what all threads touch alike
    for s in walk([statement]):
        found = by_example(s, count) if type(s) is Nest else None
        if found is None:
            if type(s) not in (Nest, Load, Store, Step, Loop) or type(s) is Nest and prod(s.shape) >= WIDE:
                return None
            alone.update(p.memory for p in places(s))
            written.update(p.memory for p in places(s)[len(s.loads) if type(s) is Nest else 0 :] if type(s) is not Load)
        else:
            for k, p in enumerate(places(found)):
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
