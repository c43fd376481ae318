"""`x.at[index]`: indexed updates that give a new array."""

from ..checks import check_function
from ..ops import selection
from ..ops.indexing import indexing


class At:
    """`at(x)[index].set(v)` and friends: indexed updates that give a new array; of a traced `x` also `x.at[index]`.

    `.get()` reads; `.set(v)`, `.add(v)`, `.subtract(v)`, `.multiply(v)` (also `.mul`), `.divide(v)`, `.power(v)`,
    `.min(v)`, `.max(v)` write; `.apply(f)` writes `f` of what is there. Duplicate indices accumulate in `.add` and
    `.subtract`; elsewhere the last one wins.
    `At(x)` is the same for plain arrays, which have no `.at`.

    >>> import numpy as np
    >>> from covector._engine import At
    >>> At(np.zeros(3))[np.array([0, 0])].add(1.0)
    array([2., 0., 0.])
    """

    __slots__ = ("x", "key")

    def __init__(self, x, key=None):
        self.x = x
        self.key = key

    def __getitem__(self, key):
        return At(self.x, key)

    def get(self):
        return indexing.index(self.x, self.key)

    def set(self, value):
        return indexing.update(self.x, self.key, value)

    def add(self, value):
        return indexing.update(self.x, self.key, value, add=True)

    def subtract(self, value):
        return self.add(-value)

    def multiply(self, value):
        return self.set(self.get() * value)

    mul = multiply

    def divide(self, value):
        return self.set(self.get() / value)

    def power(self, value):
        return self.set(self.get() ** value)

    def min(self, value):
        return self.set(selection.minimum(self.get(), value))

    def max(self, value):
        return self.set(selection.maximum(self.get(), value))

    def apply(self, f):
        check_function(f, ".at[…].apply", "give a function of the elements")
        return self.set(f(self.get()))
