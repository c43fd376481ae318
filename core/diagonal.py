"""The lazy cotangent that a Jacobian starts from: a basis, kept as a diagonal until a rule mixes elements."""

import numpy as np

from .device import constant
from .fix import WHERE
from .tracer import make_batched

ndarray = np.ndarray


class Diagonal:
    """A batch of cotangents of shape `values.shape`, each zero but in one element: row `first + k` in element k.

    Pullbacks are linear, and elementwise ones keep the zeros: there the batch is pulled back by pulling back `values`,
    once. A rule that mixes elements gets the batch itself (`dense`), unless its primitive knows the rows (`basis`).

    `trace` is the vmap trace of the batch, which may hold a part of the rows; `unit` says that all values are 1. `lent`
    gathers what was saved by somebody and became rows as it is.
    """

    __slots__ = ("trace", "values", "first", "unit", "lent")
    __array_ufunc__ = None

    def __init__(self, trace, values, first, lent, unit=False):
        self.trace = trace
        self.values = values
        self.first = first
        self.lent = lent
        self.unit = unit

    @property
    def shape(self):
        return self.values.shape

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def ndim(self):
        return self.values.ndim

    @property
    def whole(self):
        """Whether each row of the batch belongs to an element, and each element has its row."""
        return self.first == 0 and self.values.size == self.trace.size

    def conj(self):
        """The basis is real."""
        return self

    def through(self, node, masked):
        """`[(parent, cotangent), …]` behind a node, or None if its rule needs the batch itself."""
        rule = node.rule
        if rule is None or rule.basis is None and not rule.pointwise:
            return None
        parents = node.parents if type(node.parents) is tuple else (node.parents,)
        if rule.pointwise:
            cts = (rule.strong if masked else rule.back)(self.values, node.saved)
            cts = cts if type(node.parents) is tuple else (cts,)
            return [(p, Diagonal(self.trace, c, self.first, self.lent)) for p, c in zip(parents, cts) if c is not None]
        rows = rule.basis(self, node.saved)
        rows = rows if type(node.parents) is tuple else (rows,)
        apart = self.unit or type(self.values) is ndarray  # whether the rows can be put among others
        if any(r is None or not (self.whole or apart and type(r) is ndarray) for r in rows):
            return None
        return [(p, self.scaled(r)) for p, r in zip(parents, rows)]

    def scaled(self, rows):
        """The batch whose row of element k is `rows[k]` times the value there."""
        low, high = self._range()
        part = slice(low - self.first, high - self.first)
        rows = rows if self.whole else rows[part]
        if not self.unit:
            rows = self.values.reshape(-1)[part].reshape((-1,) + (1,) * (rows.ndim - 1)) * rows
        if high - low != self.trace.size:
            batch = np.zeros((self.trace.size, *rows.shape[1:]), rows.dtype)
            batch[low:high] = rows
            rows = batch
        elif self.unit:
            self.lent.append(rows)
        return make_batched(self.trace, rows)

    def dense(self):
        """The batch itself, as a tracer."""
        values, size = self.values, self.trace.size
        low, high = self._range()
        rows = np.arange(low, high)
        plain = isinstance(values, (ndarray, np.generic))
        batch = np.zeros((size, values.size), values.dtype if plain or self.unit else np.bool_)
        if plain and not self.unit:
            batch[rows, rows - self.first] = values.reshape(-1)[low - self.first : high - self.first]
        else:
            batch[rows, rows - self.first] = 1
        batch = batch.reshape((size, *values.shape))
        if not plain:
            batch = constant(batch, values)
            if not self.unit:
                batch = WHERE[0](batch, values, 0.0)
        return make_batched(self.trace, batch)

    def plus(self, other):
        """Add another cotangent."""
        if type(other) is Diagonal and other.first == self.first:
            return Diagonal(self.trace, self.values + other.values, self.first, self.lent)
        return self.dense() + (other.dense() if type(other) is Diagonal else other)

    def _range(self):
        """The rows that belong to elements, as a range."""
        low = max(0, self.first)
        return low, max(low, min(self.trace.size, self.first + self.values.size))
