"""The backward sweep that every driver of reverse mode uses. Compiled with sweep.pxd beside it."""
# mypy: disable-error-code="assignment"
# None lets go of what a local held.

from heapq import heappop, heappush

import numpy as np

from ...core.slots import Node
from ...core.tape.lazy_cotangents import BASES, Units
from ...core.tape.scatter import LAZY, Scatter, accumulate, add_pending, apart_from, push_pending
from ...core.tape.strong_zeros import may_have_zeros
from ...core.tape.tape import FREED, Partial, note_zeros
from ...core.types import Any
from .blocks import sweep_region
from .mutation_guards import LARGE

ndarray = np.ndarray
_SCALARS = frozenset({np.float64, np.float32})  # what operators give of 0-d arrays


def sweep(
    roots: list[tuple[Node, Any]],
    count: Any,
    *,
    masked: bool = False,
    large: bool = False,
    retain: bool = False,
    drive: Any = None,
) -> Any:
    """Push cotangents from `roots` to the leaves: newest node first, iteratively, linear in the graph.

    Args:
        roots: `[(node, ct), …]`.
        count: how many leaves, whose `saved` is their index; or a dict to fill, keyed by what leaves saved.
        masked: structural zeros may occur, so rules use strong zeros: where `roots` have no zeros, from the newest node
            on whose pullback makes some.
        large: there may be large arrays, whose elementwise operations are swept in blocks.
        retain: keep what the nodes saved, so that the graph can be swept again.
        drive: what the nodes of a subclass are given: `node.run_in_sweep(ct, drive)` returns the cotangent(s) of its
            parents, or None to end this path (the stateful layer runs hooks there, frees what was saved, fills
            `.grad`); `drive.places`, unless None, gives numbers by which leaves take their turns among nodes;
            `drive.masked` says whether zeros are strong. Where `drive.plain`, and `drive.needed` is None,
            nodes without `extra` are run here, unless they are older (of a larger number) than the one in
            `drive.checked`, so that saved values must be looked at.
    Returns:
        the leaf cotangents (None where nothing arrived).
    Raises:
        MutationError: an array that a rule saved was written to since.

    >>> from covector._engine import make_leaf, make_node
    >>> from covector._interpreters import sweep
    >>> from covector.extend import REGISTRY
    >>> node = make_node(REGISTRY["negative"].rule((0,), plain=True), make_leaf(0), None)
    >>> sweep([(node, 2.0)], 1)
    [-2.0]
    """
    results: Any = [None] * count if type(count) is int else count
    pending = {}  # node number -> [node, cotangent so far, whether to add in place, whether nobody else has its memory]
    heap = []
    special = large
    plain = drive is not None and drive.plain and drive.needed is None
    places: Any = None if drive is None else drive.places
    checked = drive.checked if plain else (1,)
    retain = drive.retain if plain else retain
    spent = drive is None and not retain  # the trace ends with this sweep
    awaited = masked and not large  # the newest node with structural zeros is yet to come
    node: Node
    parent: Node
    for node, ct in roots:
        special = special or type(ct) is Units
        awaited = awaited and not may_have_zeros(ct)
        push_pending(pending, heap, node, ct, places)
    masked = masked and not awaited
    if drive is not None:
        drive.masked = masked
    roots.clear()  # the caller must not keep the newest node alive, and with it the whole graph
    get = pending.get
    first = None
    while heap:
        entry = None  # it would keep alive what is popped
        node, ct, added, mine = pending.pop(heappop(heap))
        mine = mine or added
        while True:
            rule = node.rule
            kind = type(ct)
            if kind is not ndarray and (kind is Partial or kind is Scatter and (rule is None or not rule.lazy)):
                ct = ct.dense()
                mine = kind is Scatter
            if type(node) is Node:
                if rule is None:
                    results[node.saved] = ct.dense() if kind in BASES else ct
                    break
                saved = node.saved
                parents = node.parents
                if special:
                    if kind in BASES:
                        c = ct.through(node, masked)
                        if c is not None:
                            node = saved = parents = ct = None
                            while c:
                                origin, given = c.pop()
                                push_pending(pending, heap, origin, given, places)
                                origin = given = None
                            break
                        ct = ct.dense()
                    if large and kind is ndarray and rule.pointwise and ct.nbytes >= LARGE:
                        entry = saved = parents = None
                        if sweep_region(node, ct, pending, heap, masked):
                            node = ct = None
                            break
                        saved = node.saved
                        parents = node.parents
                if spent:
                    node.rule = node.parents = node.saved = None
                node = None
                if awaited and rule.masks:
                    awaited = False
                    masked = True
                c = rule.strong(ct, saved) if masked else rule.back(ct, saved)
                ct = None
            elif plain and rule is not None and node.extra is None and not (rule.keeps and node.seq > checked[0]) and (
                    kind is ndarray or kind is Scatter or kind in _SCALARS):
                saved = node.saved
                if saved is FREED:
                    node.run_in_sweep(ct, drive)  # raises
                if not retain and rule.keeps:
                    node.saved = FREED
                parents = node.parents
                if awaited and rule.masks:
                    awaited = False
                    masked = drive.masked = True
                c = rule.strong(ct, saved) if masked else rule.back(ct, saved)
                node = None
            else:
                if plain:
                    drive.mine = mine
                    drive.ruled = False
                if awaited and rule is not None and rule.masks:
                    awaited = False
                    masked = drive.masked = True
                if masked and not plain:
                    note_zeros(ct)
                c = node.run_in_sweep(ct, drive)
                if c is None:
                    break
                parents = node.parents
                if not plain or not drive.ruled:
                    ct = None
                    mine = False  # users may have seen it, or made it
            node = saved = None  # what is still needed of them, others hold; a `ct` means that a rule made `c` of it
            if type(parents) is tuple:
                if len(parents) == 2:
                    first, parents = parents
                    c, other = c
                    mine = (ct is not None and c is not other and c is not ct and other is not ct and type(c) is ndarray
                            and type(other) is ndarray and c.base is None and other.base is None)
                    ct = None
                    seq = parents.seq
                    at = first.seq
                    if places is not None:
                        seq = places.get(seq, seq)
                        at = places.get(at, at)
                    if parents is first:  # x * x: one contribution, no detour over the heap
                        if c is not None and other is not None:
                            c = c + other if type(c) is ndarray and type(other) is ndarray else accumulate(c, other)
                        elif c is None:
                            c = other
                        other = None
                    elif seq < at:  # the newer one is next
                        first, parents = parents, first
                        c, other = other, c
                        seq = at
                    if other is not None:
                        entry = get(seq)
                        if entry is None:
                            pending[seq] = [parents, other, False, mine]
                            if parents.rule is not None or type(parents) is not Node:
                                heappush(heap, seq)
                        elif entry[2] and type(other) is ndarray:
                            entry[1] += other
                        else:
                            add_pending(entry, other)
                        other = None
                else:
                    first = parents[0]
                    alone = [False] * len(parents) if ct is None else apart_from(ct, c)
                    ct = None
                    for k in range(len(parents) - 1, 0, -1):
                        if c[k] is None:
                            continue
                        parent = parents[k]
                        seq = parent.seq
                        if places is not None:
                            seq = places.get(seq, seq)
                        entry = get(seq)
                        if entry is not None:
                            add_pending(entry, c[k])
                            continue
                        pending[seq] = [parent, c[k], False, alone[k]]
                        if parent.rule is not None or type(parent) is not Node:
                            heappush(heap, seq)
                    c, parent, mine = c[0], None, alone[0]
                parents = first
                first = None
            elif ct is not None:
                mine = mine or c is not ct and type(c) is ndarray and c.base is None
                ct = None
            if c is None:
                break
            if heap or parents.rule is None:  # else nothing is pending but leaves, and this is none
                seq = parents.seq
                if places is not None:
                    seq = places.get(seq, seq)
                entry = get(seq)
                if entry is not None:
                    if entry[2] and type(c) is ndarray:
                        entry[1] += c
                    else:
                        add_pending(entry, c)
                    break
                if heap and heap[0] < seq:
                    pending[seq] = [parents, c, False, mine]
                    heappush(heap, seq)
                    break
            node = parents
            ct = c
            c = None
    for node, ct, _, _ in pending.values():  # leaves wait here and not in the heap: nothing comes after them
        kind = type(ct)
        results[node.saved] = ct.dense() if kind in LAZY else ct
    if masked and drive is None:
        for ct in results if type(results) is list else results.values():
            note_zeros(ct)
    return results
