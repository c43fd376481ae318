"""The sweep over elementwise operations on large arrays, a block of elements at a time.

One operation after the other reads and writes whole arrays in main memory, in fresh pages; a block of all of them stays
in the cache, and only what leaves the region is an array.
"""

from heapq import heappop, heappush

import numpy as np

from ...core.primitive.primitive import RAW
from ...core.tape.scatter import Scatter, accumulate
from ...core.tape.tape import Node
from .block_programs import Constant, Program, Unfit, program_of

ndarray = np.ndarray
BLOCK = 1 << 17  # bytes of one cotangent in a block: some eight of them fit the second cache


def sweep_region(root, ct, pending, heap, masked):
    """Sweep from `root` through elementwise nodes alone, up to those that others wait for.

    Args:
        root: the newest node of the sweep, its rule pointwise; `ct` is its whole cotangent.
        pending, heap: those of the sweep, where the cotangents of the nodes at which the region ends are filed.
        masked: whether rules use strong zeros.
    Returns:
        whether it was done; not where fewer than two nodes are there to be joined.
    """
    steps, exits = _plan(root, ct, heap[0] if heap else None)
    if len(steps) < 2:
        return False
    dtype = ct.dtype
    program = Program(ct.shape, dtype, BLOCK // dtype.itemsize)
    cts = {root.seq: _reference(program, ct)}
    earlier = set()
    for node in exits:  # what is there comes first in a sum
        entry = pending.get(node.seq)
        known = None if entry is None else entry[1].dense() if type(entry[1]) is Scatter else entry[1]
        if type(known) is ndarray and known.dtype is dtype and known.shape == ct.shape:
            cts[node.seq] = _reference(program, known)
            earlier.add(node.seq)
    for node, saved in steps:
        parents = node.parents if type(node.parents) is tuple else (node.parents,)
        found = _pulled(program, node.rule, cts.pop(node.seq), saved, len(parents), masked)
        if len(parents) == 2 and parents[0] is parents[1]:  # the order of sums is that of the sweep
            parents, found = parents[:1], [program.op(np.add, *found)]
        for parent, c in zip(reversed(parents), reversed(found)):
            known = cts.get(parent.seq)
            cts[parent.seq] = c if known is None else program.op(np.add, known, c)
    try:
        answers = program.run([cts[node.seq] for node in exits])
    except Unfit:
        return False
    for node, answer in zip(exits, answers):
        seq = node.seq
        entry = pending.get(seq)
        if entry is None:
            pending[seq] = [node, answer, True]
            if node.rule is not None or type(node) is not Node:
                heappush(heap, seq)
        elif seq in earlier:
            entry[1], entry[2] = answer, True
        else:
            entry[1], entry[2] = accumulate(entry[1], answer), False
    return True


def _reference(program, ct):
    """The reference to a cotangent: to a number where all of its elements are one."""
    if not any(ct.strides):
        return program.number(ct[(0,) * ct.ndim])
    flat = _flat(ct)
    return program.array(np.ascontiguousarray(ct).reshape(-1) if flat is None else flat)


def _pulled(program, rule, ct, saved, count, masked):
    """References to the cotangents of the parents, the rule written down or called as it is."""
    if not masked or rule.strong is rule.back:
        found = program_of(rule, program.is_number(ct), saved, program.dtype)
        if found is not None:
            steps, places = found
            inputs = [program.array(v) if type(v) is ndarray and v.ndim else program.number(v) for v in saved]
            refs = program.append(steps, (ct, *inputs))
            return [refs[k] for k in places]
    items = [program.array(v) if type(v) is ndarray and v.ndim else Constant(v) for v in saved]
    return program.call(rule.strong if masked else rule.back, ct, items, count)


def _plan(root, ct, bound):
    """The steps `(node, what it saved)` of the region, newest first, and the nodes where it ends."""
    steps, exits = [], []
    shape = ct.shape
    if _flat(ct) is None and any(ct.strides):
        return steps, exits
    waiting = {root.seq: root}
    heap = [root.seq]
    while heap:
        seq = heappop(heap)
        node = waiting[seq]
        rule = node.rule
        if bound is not None and seq >= bound or rule is None or type(node) is not Node or not rule.pointwise:
            exits.append(node)
            if rule is not None and (bound is None or seq < bound):
                bound = seq
            continue
        saved = _sliceable(node.saved, shape)
        if saved is _NOT:
            exits.append(node)
            bound = seq
            continue
        for parent in node.parents if type(node.parents) is tuple else (node.parents,):
            if parent.seq not in waiting:
                waiting[parent.seq] = parent
                heappush(heap, parent.seq)
        steps.append((node, saved))
    return steps, exits


_NOT = object()


def _sliceable(saved, shape):
    """What a node saved as a list, its arrays flat; `_NOT` where blocks of the elements are not blocks of them."""
    if saved is None:
        return ()
    items = [_item(v, shape) for v in (saved if type(saved) is tuple else (saved,))]
    return _NOT if any(v is _NOT for v in items) else items


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
