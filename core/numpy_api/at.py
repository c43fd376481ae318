"""`x.at[index]`: indexed updates that give a new array."""

import operator

from ..checks import check_function
from ..errors import ConversionError, at_user_line
from ..ops import selection
from ..ops.indexing import indexing
from .turns import extreme, in_turn, repeated


class At:
    """`at(x)[index].set(v)` and friends: indexed updates that give a new array; of a traced `x` also `x.at[index]`.

    `.get()` reads; `.set(v)`, `.add(v)`, `.subtract(v)`, `.multiply(v)` (also `.mul`), `.divide(v)`, `.power(v)`,
    `.min(v)`, `.max(v)` write; `.apply(f)` writes `f` of what is there. A place that the index names twice is written
    to twice: values add up in `.add`, multiply in `.multiply` and so on; in `.set` the last one wins. Where the index
    is traced, `.multiply`, `.divide`, `.power` and `.apply` cannot know, and need `unique_indices=True`.
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

    def get(self, *, unique_indices=False, indices_are_sorted=False):
        return indexing.index(self.x, self.key)

    def set(self, value, *, unique_indices=False, indices_are_sorted=False):
        return indexing.update(self.x, self.key, value)

    def add(self, value, *, unique_indices=False, indices_are_sorted=False):
        return indexing.update(self.x, self.key, value, add=True)

    def subtract(self, value, *, unique_indices=False, indices_are_sorted=False):
        return self.add(-value)

    def multiply(self, value, *, unique_indices=False, indices_are_sorted=False):
        return self._write("multiply", operator.mul, value, unique_indices)

    mul = multiply

    def divide(self, value, *, unique_indices=False, indices_are_sorted=False):
        return self._write("divide", operator.truediv, value, unique_indices)

    def power(self, value, *, unique_indices=False, indices_are_sorted=False):
        return self._write("power", operator.pow, value, unique_indices)

    def min(self, value, *, unique_indices=False, indices_are_sorted=False):
        if not unique_indices and repeated(self.x, self.key) is not False:
            return extreme(self.x, self.key, value, largest=False)
        return self.set(selection.minimum(self.get(), value))

    def max(self, value, *, unique_indices=False, indices_are_sorted=False):
        if not unique_indices and repeated(self.x, self.key) is not False:
            return extreme(self.x, self.key, value, largest=True)
        return self.set(selection.maximum(self.get(), value))

    def apply(self, f, *, unique_indices=False, indices_are_sorted=False):
        check_function(f, ".at[…].apply", "give a function of the elements")
        return self._write("apply", f, None, unique_indices)

    def _write(self, name, fun, value, unique):
        """`fun` of what is there and of `value`, written; in turn where a place is named more than once."""
        again = not unique and repeated(self.x, self.key)
        if again is None:
            raise ConversionError(f".at[…].{name} writes once for each time that the index names a place, but got a "
                                  f"traced index that may name one twice; give unique_indices=True where each place is "
                                  f"named once, or make the index an argument that is not transformed{at_user_line()}")
        if again:
            return in_turn(self.x, self.key, fun, value)
        return self.set(fun(self.get()) if value is None else fun(self.get(), value))
