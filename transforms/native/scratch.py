"""Scratch memory: where the temporaries of a kernel lie; those that are not needed at one time share bytes."""

from .statements import BYTES, inner, places

_LINE = 64


def place_scratch(kernel):
    """Give every scratch `Memory` of a kernel its offset, and the kernel its number of bytes."""
    spans, loops = {}, []
    _touch(kernel.statements, spans, loops, [0])
    for memory, (first, last) in spans.items():
        for start, stop in loops:  # what lives on outside of a loop lives through all of it
            if first <= stop and last >= start and not (start < first and last < stop):
                first, last = min(first, start), max(last, stop)
        spans[memory] = first, last
    live = []  # (end, start byte, stop byte)
    total = 0
    for memory, (first, last) in sorted(spans.items(), key=lambda item: item[1][0]):
        live = [entry for entry in live if entry[0] >= first]
        size = -(-memory.size * BYTES[memory.kind] // _LINE) * _LINE
        at = 0
        for _, start, stop in sorted(live, key=lambda entry: entry[1]):
            if start - at >= size:
                break
            at = max(at, stop)
        memory.index = at
        live.append((last, at, at + size))
        total = max(total, at + size)
    kernel.scratch = total


def _touch(statements, spans, loops, clock):
    """Note for each memory the first and the last statement that touches it, and where loops begin and end."""
    for statement in statements:
        clock[0] += 1
        start = clock[0]
        for p in places(statement):
            memory = p.memory
            if memory.role == "scratch":
                spans[memory] = (spans.get(memory, (start,))[0], start)
        parts = inner(statement)
        if parts:
            for part in parts:
                _touch(part, spans, loops, clock)
            clock[0] += 1
            loops.append((start, clock[0]))
