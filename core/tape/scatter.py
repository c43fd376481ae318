"""Lazy cotangent of indexing: accumulate contributions to parts of an array in one buffer that the sweep owns."""

import operator
from heapq import heappush

import numpy as np

from ..arrays.sums import small
from ..trace.buffers import make_buffer
from ..trace.device import zeros_of
from ..trace.tracer import Tracer
from .lazy_cotangents import BASES, meet
from .tape import Node, Partial

ndarray = np.ndarray
_SCALARS = frozenset({np.float64, np.float32})  # what operators give of 0-d arrays
_plus = small(operator.add)


class Scatter:
    """A cotangent of shape `aval` that is zero except where `pieces` were added.

    It belongs to one pending node and is consumed by it, so its buffer is written in place: n reads or writes of one
    array cost O(n) in reverse, not O(n²). On tracers the buffer is a `Buffer`, and the same lines apply.
    """

    __slots__ = ("aval", "buffer", "piece")
    __array_ufunc__ = None

    def __init__(self, aval, index, ct):
        self.aval = aval
        self.buffer = None
        # Not written yet: if nothing else arrives, as of one read, the only piece is used as it is and no zeros are
        # made.
        self.piece = (index, ct)

    @property
    def shape(self):
        return self.aval.shape

    @property
    def dtype(self):
        return self.aval.dtype

    @property
    def real(self):
        """The real part of the whole cotangent."""
        return self.dense().real

    def astype(self, dtype):
        """The whole cotangent in another dtype: that of an array that was written to in a wider one."""
        return self.dense().astype(dtype)

    @classmethod
    def of(cls, aval, ct):
        """`ct` itself if it is a Scatter, else one that owns a copy of it."""
        if type(ct) is cls:
            ct.settle()
            return ct
        out = cls.__new__(cls)
        out.aval = aval
        out.piece = None
        if isinstance(ct, Tracer):
            out.buffer = make_buffer(ct)
        else:
            out.buffer = np.array(ct, aval.dtype) if isinstance(ct, (ndarray, np.generic)) else ct.copy()
        return out

    def settle(self):
        """Make the buffer, so that the pieces lie in it."""
        if self.piece is None:
            return
        index, ct = self.piece
        self.piece = None
        if self.buffer is None:
            if type(ct) is ndarray:
                self.buffer = zeros = np.zeros(self.aval.shape, self.aval.dtype)
                zeros[index] = ct
                return
            zeros = zeros_of(self.aval, ct)
            if isinstance(ct, Tracer):
                self.buffer = make_buffer(zeros, own=True)
                self.buffer.write(index, ct, add=True)
                return
            self.buffer = zeros
            zeros[index] = ct
            return
        self.add_at(index, ct)

    def add_at(self, index, ct):
        """Add `ct` to the part `index`."""
        if self.buffer is None:
            self.settle()
        if isinstance(ct, Tracer) and not isinstance(self.buffer, Tracer):
            self.buffer = make_buffer(self.buffer, own=True)
        if isinstance(self.buffer, Tracer):
            self.buffer.write(index, ct, add=True)
        else:
            self.buffer[index] += ct

    def take_out(self, index):
        """The part `index`, replaced by zero."""
        if self.piece is not None:
            self.settle()
        buffer = self.buffer
        if isinstance(buffer, Tracer):
            part = buffer.part(lambda whole: whole[index])
            buffer.write(index, 0.0)
            return part
        part = buffer[index]
        if not isinstance(part, np.generic):
            part = part.copy()
        buffer[index] = 0
        return part

    def part(self, index):
        """The part `index`, left in place."""
        self.settle()
        if isinstance(self.buffer, Tracer):
            return self.buffer.part(lambda whole: whole[index])
        part = self.buffer[index]
        return part if isinstance(part, np.generic) else part.copy()

    def put(self, index, ct):
        """Replace the part `index`."""
        self.settle()
        if isinstance(ct, Tracer) and not isinstance(self.buffer, Tracer):
            self.buffer = make_buffer(self.buffer, own=True)
        if isinstance(self.buffer, Tracer):
            self.buffer.write(index, ct)
        else:
            self.buffer[index] = ct

    def plus(self, other):
        """Add another cotangent of the whole array, in place where that is ours."""
        if self.piece is not None:
            self.settle()
        if type(other) is Scatter:
            if other.piece is not None and other.buffer is None:
                index, ct = other.piece
                buffer = self.buffer
                if type(buffer) is ndarray and not isinstance(ct, Tracer):
                    buffer[index] += ct
                else:
                    self.add_at(index, ct)
                return self
            other = other.dense()
        if isinstance(other, Tracer) and not isinstance(self.buffer, Tracer):
            self.buffer = make_buffer(self.buffer, own=True)
        if isinstance(self.buffer, Tracer):
            self.buffer = make_buffer(self.buffer.read() + other)
        else:
            self.buffer += other
        return self

    def dense(self):
        """The whole cotangent as an array nobody else holds, or as a tracer."""
        self.settle()
        return self.buffer.read() if isinstance(self.buffer, Tracer) else self.buffer


_OWNED = frozenset({Scatter, Partial})  # they belong to what is pending, and are added to in place


def _absent(c):
    """Tell whether a cotangent carries nothing; a tracer is not asked, which would look for the reason why it has not
    the attribute."""
    return not isinstance(c, Tracer) and getattr(c, "absent", False)


def accumulate(h, c):
    """`h + c` for cotangents of any kind; a Scatter absorbs what it meets, unless that carries nothing (`absent`)."""
    if isinstance(h, Tracer) and isinstance(c, Tracer):
        plus = None if h.owner is None else h.owner.plus
        both = None if plus is None else plus(h, c)
        return h + c if both is None else both
    if type(c) in BASES or type(h) in BASES:
        h, c = meet(h, c)
        if c is None:
            return h
    if type(h) is Scatter:
        return h if _absent(c) else h.plus(c)
    if type(c) is Scatter:
        if _absent(h):
            return c
        if c.piece is not None and c.buffer is None:
            whole = Scatter.of(c.aval, h)
            whole.add_at(*c.piece)
            return whole
        return c.plus(h)
    if isinstance(h, Tracer) and _absent(c):  # an operator of a tracer refuses what is no array
        return h
    return h + c


def add_pending(entry, c):
    """Add to what is pending: the second contribution makes a buffer of ours, later ones go into it."""
    h = entry[1]
    if type(h) is ndarray and type(c) is ndarray:
        # `entry[2]`: the pending array is ours to write to. A first contribution is not: a rule may have given it to
        # another node, too.
        if entry[2]:
            h += c
            return
        entry[1] = h = _plus(h, c)
        entry[2] = type(h) is ndarray
        return
    if type(h) in _SCALARS and type(c) in _SCALARS:
        entry[1] = h + c
        return
    entry[1] = h.plus(c) if type(h) is type(c) and type(h) in _OWNED else accumulate(h, c)
    entry[2] = entry[3] = False


def lent(c):
    """Return a read-only view of a cotangent from a user's rule, so that its memory is never reused."""
    if type(c) is not ndarray:
        return c
    view = c.view()
    # A view, so that the user's own array stays writable.
    view.flags.writeable = False
    return view


def apart_from(ct, cts):
    """Flags of the cotangents that a rule made of `ct` and that own their memory alone."""
    ids = [id(c) for c in cts]
    known = {id(c.base) for c in cts if type(c) is ndarray} | {id(ct)}
    return [type(c) is ndarray and c.base is None and i not in known and ids.count(i) == 1 for c, i in zip(cts, ids)]


LAZY = frozenset({Scatter, Partial, *BASES})  # cotangents that are not arrays


def push_pending(pending, heap, node, c, places=None):
    """Add a contribution to a node that may be pending already; `places` has the numbers of nodes that wait elsewhere.
    """
    seq = node.seq
    if places is not None:
        seq = places.get(seq, seq)
    entry = pending.get(seq)
    if entry is None:
        pending[seq] = [node, c, False, False]
        # Leaves wait outside of the heap, since nothing is to be run for them.
        if node.rule is not None or type(node) is not Node:
            heappush(heap, seq)
    else:
        add_pending(entry, c)
