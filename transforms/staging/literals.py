"""Constants of a graph under construction: one Literal an array, with the contents at its first use."""

import numpy as np

from ..graph.equations import Literal
from ..reverse.mutation_guards import COPY_LIMIT, Guards


class Literals:
    """The literals of one trace.

    What holds few elements is copied; of anything larger there is a fingerprint in `guards`. Elements that repeat along
    an axis are held once. With `watch` False nobody writes to the arrays, so they are taken as they are.
    """

    __slots__ = ("known", "watch", "guards")

    def __init__(self, watch):
        self.known = {}  # identity of an array -> (array, its elements, Literal)
        self.watch = watch
        self.guards = None

    def of(self, array):
        """The literal of an array; one that was written to in the meantime is another constant."""
        core = elements(array)
        small = self.watch and core.nbytes <= COPY_LIMIT
        known = self.known.get(id(array))
        if known is not None and (not small or known[1].tobytes() == core.tobytes()):
            return known[2]
        value = array
        if small or core is not array:
            core = np.array(core)
            value = core if core.shape == array.shape else np.broadcast_to(core, array.shape)
        elif self.watch:
            if self.guards is None:
                self.guards = Guards()
            self.guards.watch(array)
        literal = Literal(value)
        self.known[id(array)] = array, core, literal
        return literal


def elements(array):
    """The elements of an array: of length 1 along axes that repeat them, a single one where all have the same bits."""
    if array.size < 2 or array.dtype.hasobject:
        return array
    if 0 in array.strides:
        array = array[tuple([slice(None) if step else slice(1) for step in array.strides])]
    corners = [array[(k,) * array.ndim].tobytes() for k in (0, -1)]
    if corners[0] != corners[1]:
        return array
    return array[(slice(1),) * array.ndim] if array.tobytes() == corners[0] * array.size else array


def unit_places(array):
    """Flat places of what is not 0 in a large array of few such elements, all the same number, else None.

    Bases of Jacobians, and masks made of these, have one in a row or in a column.
    """
    if array.ndim < 2 or array.nbytes <= COPY_LIMIT or not array.flags.c_contiguous:
        return None
    flat = array.reshape(-1)
    if np.count_nonzero(flat[:_SPARSE]) > 1 and np.count_nonzero(flat[-_SPARSE:]) > 1:
        return None
    if np.count_nonzero(flat) * _SPARSE > flat.size:
        return None
    at = np.flatnonzero(flat)
    if not len(at):
        return None
    again = np.zeros_like(flat)
    again[at] = flat[at[0]]
    return at if again.tobytes() == flat.tobytes() else None


_SPARSE = 16
