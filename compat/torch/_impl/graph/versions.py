"""Versions of memory: which arrays were written to in place, when, and how often.

Nothing is kept for an array until its first write. A write stamps the root of the memory with the next number of the
tape, so a node knows from its own number whether what it saved was written to later, without saving a version.
"""

import os
from threading import Lock
from weakref import ref

import numpy as np

from ..... import _engine
from ..types.arrays import root_on_device
from ..types.ndarrays import UNDISTURBED, key_of, owner

ndarray = np.ndarray
next_seq = _engine.next_seq
_NUMBERING = Lock()
_STAMPS = 64  # that are kept at least
WRITTEN = {}  # id of a root array -> Written
LAST = [1]  # the stamp of the newest write: what was recorded after it (a smaller number) cannot have been written to
EXPOSED = {}  # id of a root array -> what aliases.py knows of the NumPy arrays that share its memory


def new_stamp():
    """The number of a write, which is the newest from now on: two threads must not put an older one in its place."""
    if UNDISTURBED:
        return numbered()
    with _NUMBERING:
        return numbered()


def numbered():
    """`new_stamp` of the only thread that is here."""
    last: list = LAST
    stamp = next_seq()
    if stamp < last[0]:  # numbers count downwards
        last[0] = stamp
    return stamp


def _unlocked():
    """In a forked process the thread that may have held the lock is gone."""
    global _NUMBERING
    _NUMBERING = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked)


class Written:
    """The writes of one memory: how many, and the stamps of the last ones."""

    __slots__ = ("count", "ref", "stamps")

    def __init__(self, root):
        key = id(root)
        self.ref = ref(root, lambda _: WRITTEN.pop(key, None))
        self.count = 0
        self.stamps = []

    def note(self, stamp):
        """Note a write."""
        self.count += 1
        if len(self.stamps) == 2 * _STAMPS:
            del self.stamps[:_STAMPS]
        self.stamps.append(stamp)

    def before(self, seq):
        """The number of writes that came before the node `seq` (numbers count downwards)."""
        return self.count - sum(stamp < seq for stamp in self.stamps)


def root_of(array):
    """The array that owns the memory of `array`."""
    return owner(array) if type(array) is ndarray else root_on_device(array)


def flat(root):
    """The elements of memory in their order, as a view of its root."""
    if root.flags.c_contiguous:
        return root.reshape(-1)
    ordered = root.transpose(np.argsort([-s for s in root.strides], kind="stable").tolist())
    if root.size and not ordered.flags.c_contiguous:
        raise NotImplementedError("this tensor's memory came from an array with gaps between its elements, of which "
                                  "covector makes no view of other strides; clone() it first")
    return ordered.reshape(-1)


def written(array):
    """The `Written` of an array's memory, or None."""
    return WRITTEN.get(id(root_of(array)))


def note(array):
    """Note a write to memory that no other array of NumPy is known to share: of an array of NumPy, or a root."""
    root = owner(array) if type(array) is ndarray else array
    known: dict = WRITTEN
    entry: Written = known.get(key_of(root))
    if entry is None:
        entry = known[key_of(root)] = Written(root)
    entry.note(new_stamp())


def bump(array):
    """Note a write."""
    root = root_of(array)
    note(root)
    if EXPOSED and (known := EXPOSED.get(id(root))) is not None:
        known.snapshot = root.copy()  # this write is none through an alias


def note_all(roots):
    """Note one write to several memories that no arrays of NumPy share, by their roots."""
    stamp = new_stamp()
    for root in roots:
        entry: Written = WRITTEN.get(id(root))
        if entry is None:
            entry = WRITTEN[id(root)] = Written(root)
        entry.note(stamp)


def watch(array):
    """Let the nodes that were recorded so far look again at what they saved of an array's memory."""
    root = root_of(array)
    WRITTEN.setdefault(id(root), Written(root))
    new_stamp()


def reset(array, count):
    """Let the counter of a memory stand at a number, as if its last writes had not been."""
    if count < 0:
        raise RuntimeError(f"Cannot set a version_counter to a value below 0: {count}")
    while version(array) < count:
        bump(array)
    entry = written(array)
    while entry is not None and entry.count > count:
        entry.count -= 1
        if entry.stamps:
            entry.stamps.pop()


def exposed(array):
    """Tell whether NumPy arrays of `.numpy()` may share an array's memory."""
    return bool(EXPOSED) and id(root_of(array)) in EXPOSED


def version(array):
    """The number of in-place writes to the memory."""
    if not WRITTEN:
        return 0
    known: dict = WRITTEN
    entry: Written = known.get(key_of(root_of(array)))
    return 0 if entry is None else entry.count


def changed_since(array, seq):
    """`(version now, version then)` where the memory was written to after node `seq`, else None."""
    entry = written(array)
    if entry is None or not entry.stamps or entry.stamps[-1] >= seq:
        return None
    return entry.count, entry.before(seq)
