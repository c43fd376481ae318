"""Liveness and allocation of the temporaries of a kernel, which share bytes where lifetimes are disjoint."""

from bisect import bisect
from heapq import heappop, heappush

from ....core.types import Any
from .statements import BYTES, inner, places

_LINE = 64
_END = 1 << 62  # of all memory


def place_scratch(kernel):
    """Give every scratch `Memory` of a kernel its offset, and the kernel its number of bytes."""
    spans: dict[Any, tuple[int, int]] = {}
    loops: list[tuple[int, int]] = []
    _touch(kernel.statements, spans, loops, [0])
    for memory, (first, last) in spans.items():
        for start, stop in loops:  # what lives on outside of a loop lives through all of it
            if first <= stop and last >= start and not (start < first and last < stop):
                first, last = min(first, start), max(last, stop)
        spans[memory] = first, last
    kernel.scratch = placed(spans)


def placed(spans):
    """Give memory that is in use from one time to another, both included, its offset; returns the number of bytes."""
    gaps, live = [(0, _END)], []  # bytes that are free, in order; a heap of (end, start byte, stop byte)
    total = 0
    for memory, (first, last) in sorted(spans.items(), key=lambda item: item[1][0]):
        while live and live[0][0] < first:
            _free(gaps, *heappop(live)[1:])
        size = -(-memory.size * BYTES[memory.kind] // _LINE) * _LINE
        at = next(k for k, (start, stop) in enumerate(gaps) if stop - start >= size)
        start, stop = gaps[at]
        gaps[at : at + 1] = [(start + size, stop)] if stop - start > size else []
        memory.index = start
        heappush(live, (last, start, start + size))
        total = max(total, start + size)
    return total


def _free(gaps, start, stop):
    """Add bytes to the gaps, and join them with their neighbours."""
    at = bisect(gaps, (start, stop))
    if at < len(gaps) and gaps[at][0] == stop:
        stop = gaps.pop(at)[1]
    if at and gaps[at - 1][1] == start:
        at -= 1
        start = gaps.pop(at)[0]
    gaps.insert(at, (start, stop))


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
