"""The sweep over elementwise operations on large arrays, a block of elements at a time.

One operation after the other reads and writes whole arrays in main memory, in fresh pages; a block of all of them stays
in the cache, and only what leaves the region is an array.
"""

from heapq import heappop, heappush

import numpy as np

from ..core.primitive import RAW
from ..core.tape import Node

ndarray = np.ndarray
BLOCK = 1 << 17  # bytes of one cotangent in a block: some eight of them fit the second cache


def sweep_region(root, ct, bound, masked):
    """Sweep from `root` through elementwise nodes alone; None where fewer than two are there to be joined.

    Args:
        root: the newest node of the sweep, its rule pointwise; `ct` is its whole cotangent.
        bound: the number of the newest other node that is pending: what is older waits for it. None if there is none.
        masked: whether rules use strong zeros.
    Returns:
        `[(node, ct), …]` of the nodes where the region ends.
    """
    steps, exits, slots = _plan(root, ct, bound, masked)
    if len(steps) < 2:
        return None
    size = ct.size
    shape, dtype = ct.shape, ct.dtype
    flat = _flat(ct)
    length = BLOCK // dtype.itemsize
    if flat is None:  # all elements are one
        one = np.broadcast_to(ct[(0,) * ct.ndim], (length,))
    answers = [None] * len(exits)
    for start in range(0, size, length):
        stop = min(start + length, size)
        part = slice(start, stop)
        cts = [None] * slots
        cts[0] = one[: stop - start] if flat is None else flat[part]
        for slot, back, saved, targets in steps:
            c = cts[slot]
            cts[slot] = None
            if c is None:
                continue
            if type(saved) is tuple:
                saved = tuple([v[part] if type(v) is ndarray and v.ndim else v for v in saved])
            elif type(saved) is ndarray and saved.ndim:
                saved = saved[part]
            c = back(c, saved)
            if type(targets) is int:
                cts[targets] = c if cts[targets] is None else cts[targets] + c
            else:
                for k, each in zip(targets, c):
                    cts[k] = each if cts[k] is None else cts[k] + each
        for k, (_, slot) in enumerate(exits):
            c = cts[slot]
            if c is not None:
                if answers[k] is None:
                    answers[k] = np.empty(size, dtype)
                answers[k][part] = c
    return [(node, answer.reshape(shape)) for (node, _), answer in zip(exits, answers) if answer is not None]


def _plan(root, ct, bound, masked):
    """The steps `(slot, back, saved, parents' slots)`, newest first; the exits `(node, slot)`; how many slots."""
    steps, exits = [], []
    shape = ct.shape
    if _flat(ct) is None and any(ct.strides):
        return steps, exits, 0
    waiting = {root.seq: (root, 0)}
    heap = [root.seq]
    count = 1
    while heap:
        seq = heappop(heap)
        node, slot = waiting[seq]
        rule = node.rule
        if bound is not None and seq >= bound or rule is None or type(node) is not Node or not rule.pointwise:
            exits.append((node, slot))
            if rule is not None and (bound is None or seq < bound):
                bound = seq
            continue
        saved = _sliceable(node.saved, shape)
        if saved is _NOT:
            exits.append((node, slot))
            bound = seq
            continue
        parents = node.parents
        targets = []
        for parent in parents if type(parents) is tuple else (parents,):
            found = waiting.get(parent.seq)
            if found is None:
                found = waiting[parent.seq] = (parent, count)
                count += 1
                heappush(heap, parent.seq)
            targets.append(found[1])
        back = rule.strong if masked else rule.back
        steps.append((slot, back, saved, targets if type(parents) is tuple else targets[0]))
    return steps, exits, count


_NOT = object()


def _sliceable(saved, shape):
    """What a node saved with its arrays flat; `_NOT` where blocks of the elements are not blocks of them."""
    if type(saved) is not tuple:
        return _item(saved, shape)
    items = [_item(v, shape) for v in saved]
    return _NOT if any(v is _NOT for v in items) else tuple(items)


def _item(value, shape):
    if type(value) is ndarray and value.ndim:
        flat = _flat(value) if value.shape == shape else None
        return _NOT if flat is None else flat
    return value if value is None or type(value) in RAW else _NOT


def _flat(array):
    """A view of the elements in a row, or None."""
    if array.ndim == 1:
        return array if array.strides[0] else None
    return array.reshape(-1) if array.flags.c_contiguous else None
