"""NumPy aliases: arrays handed out by `.numpy()` share memory, and what is written through them is noticed.

An alias's base is a holder object that NumPy keeps alive through every view, so a weak reference tells whether an alias
lives. While one does, the memory is compared with a snapshot whenever its version is asked for; a difference counts
as a write. Writes that restore the old contents are invisible.
"""

from weakref import ref

import numpy as np

from ..graph import versions


class Holder:
    """Keeps memory alive for an array that NumPy does not know as a view of it."""

    __slots__ = ("__array_interface__", "__weakref__", "owner")

    def __init__(self, array):
        self.owner = array
        self.__array_interface__ = array.__array_interface__


class Exposed:
    """Memory with aliases: the aliases, and its contents when last looked at."""

    __slots__ = ("holders", "root", "snapshot")

    def __init__(self, root):
        key = id(root)
        self.root = ref(root, lambda _: versions.EXPOSED.pop(key, None))
        self.holders = []
        self.snapshot = root.copy()

    def look(self):
        """Count a write if the contents changed; forget memory whose aliases are gone."""
        root = self.root()
        if root is None:
            return
        if not same(root, self.snapshot):
            versions.bump(root)
        self.holders = [h for h in self.holders if h() is not None]
        if not self.holders:
            versions.EXPOSED.pop(id(root), None)


def same(a, b):
    """Tell whether two arrays have the same bytes."""
    if a.nbytes <= 1 << 16 or not (a.flags.c_contiguous and b.flags.c_contiguous):
        return a.tobytes() == b.tobytes()
    return np.array_equal(a.reshape(-1).view(np.uint8), b.reshape(-1).view(np.uint8))


def expose(array):
    """The array that `.numpy()` gives."""
    if not array.size or array.dtype.kind == "V":
        return array.view()
    root = versions.root_of(array)
    entry = versions.EXPOSED.get(id(root))
    if entry is None:
        entry = versions.EXPOSED[id(root)] = Exposed(root)
    else:
        entry.look()
        versions.EXPOSED[id(root)] = entry
    holder = Holder(array)
    entry.holders.append(ref(holder))
    out = np.asarray(holder)
    return out


def look(array):
    """Notice what was written to the memory of an array through an alias."""
    if versions.EXPOSED:
        entry = versions.EXPOSED.get(id(versions.root_of(array)))
        if entry is not None:
            entry.look()
