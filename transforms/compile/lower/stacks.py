"""Stacks of rows or matrices among the statements of a program, for what is written in the loop language."""

from math import prod

from ..loops.define import Array, Body
from ..loops.statements import KINDS, Place


class Part:
    """One row or matrix of a stack: `x[i, j]` and `x[i, j] = value`."""

    __slots__ = ("place", "shape", "stack")

    def __init__(self, stack, place):
        self.stack, self.place, self.shape = stack, place, stack.shape[1:]

    @property
    def kind(self):
        return self.stack.kind

    def __getitem__(self, places):
        return self.stack[self.place, *(places if type(places) is tuple else (places,))]

    def __setitem__(self, places, value):
        self.stack[self.place, *(places if type(places) is tuple else (places,))] = value


class Stack:
    """Work on each of the rows (`rank` 1) or matrices (2) that a variable holds, in the loop language."""

    def __init__(self, writer, like, rank):
        self.writer = writer
        self.count = prod(like.aval.shape[: like.aval.ndim - rank])
        self.kind = KINDS[like.aval.dtype]
        self.body = Body(0)
        self.body.statements = writer.statements

    def new(self, shape):
        """Memory for as many of a shape."""
        shape = self.count, *shape
        return Array(self.body, self.writer.new(shape, self.kind).memory, shape)

    def copy(self, v, shape, whole=None):
        """A copy of a variable, broadcast to a `whole` shape, as so many of a shape."""
        found = self.new(shape)
        self.writer.copy(v, Place(found.memory, v.aval.shape if whole is None else whole))
        return found

    def each(self):
        """The place of one of them, in a loop if there are several."""
        return self.body.range(self.count) if self.count > 1 else (0,)

    def give(self, out, found):
        """Make memory a result."""
        place = self.writer.result(out)
        self.writer.copy(Place(found.memory, out.aval.shape), place)
        self.writer.values[out] = place
