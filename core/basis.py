"""The lazy cotangents that a Jacobian starts from: unit vectors, and known rows times a factor that all share."""

import numpy as np

from .device import constant
from .fix import WHERE
from .tracer import make_batched

ndarray = np.ndarray
_EXACT = 1 << 24  # numbers of rows below this are exact in every dtype that a pullback may cast them to


class Units:
    """A batch of cotangents of shape `values.shape`, each zero but in one element.

    Pullbacks are linear, and elementwise ones keep the zeros: there the batch is pulled back by pulling back `values`,
    once; one that moves elements moves `places`, too. A rule that mixes elements gets the batch itself (`dense`),
    unless its primitive knows the rows (`basis`).

    Args:
        trace: the vmap trace of the batch.
        values: what the rows hold, each in its element.
        places: for each element 1 + the number of its row, 0 where it is zero in all of them.
        lent: gathers what somebody else saved and became rows as it is.
        unit: all values are 1.
    """

    __slots__ = ("trace", "values", "places", "lent", "unit", "whole", "complete", "known")
    __array_ufunc__ = None

    def __init__(self, trace, values, places, lent, unit=False):
        self.trace = trace
        self.values = values
        self.places = places
        self.lent = lent
        self.unit = unit
        self.known = None
        flat = places.reshape(-1)
        self.complete = bool(flat.all())  # each element has a row
        self.whole = flat.size == trace.size and bool((flat == np.arange(1, flat.size + 1)).all())  # in their order

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
    def size(self):
        return self.values.size

    def conj(self):
        """The basis is real."""
        return self

    def through(self, node, masked):
        """`[(parent, cotangent), …]` behind a node, or None if its rule needs the batch itself."""
        rule = node.rule
        if rule is None:
            return None
        if rule.pointwise:
            cts = (rule.strong if masked else rule.back)(self.values, node.saved)
            return _paired(node, cts, lambda c: self if c is self.values else self._same_places(c))
        if rule.moves:
            return self._moved(node)
        if rule.basis is None:
            return None
        if not (self.whole or self.unit or type(self.values) is ndarray):
            return None
        rows = rule.basis(self, node.saved)
        if any(r is None or not self.whole and type(r) is not ndarray for r in _each(node, rows)):
            return None
        return _paired(node, rows, lambda r: Scaled(self.trace, self._times(r), None, self.lent))

    def dense(self):
        """The batch itself, as a tracer."""
        if self.known is None:
            values = self.values
            at, rows = self._rows()
            plain = self.unit or isinstance(values, (ndarray, np.generic))
            batch = np.zeros((self.trace.size, values.size), values.dtype if plain else np.bool_)
            batch[rows, at] = 1 if self.unit or not plain else values.reshape(-1)[at]
            batch = constant(batch.reshape((self.trace.size, *values.shape)), values)
            self.known = make_batched(self.trace, batch if plain else WHERE[0](batch, values, 0.0))
        return self.known

    def plus(self, other):
        """The sum with another batch of units in the same places, else None."""
        if self.places is not other.places:
            return None
        return self._same_places(self.values + other.values)

    def _same_places(self, values):
        out = Units.__new__(Units)
        out.trace, out.values, out.places, out.lent = self.trace, values, self.places, self.lent
        out.unit, out.known, out.complete, out.whole = False, None, self.complete, self.whole
        return out

    def _moved(self, node):
        """Behind a rule that moves elements; None if elements met."""
        back, saved = node.rule.back, node.saved
        if self.trace.size >= _EXACT:
            return None
        values = self.values if self.complete else WHERE[0](constant(self.places > 0, self.values), self.values, 0.0)
        values = [_settled(c) for c in _each(node, back(values, saved))]
        # A pullback may cast to the dtype of an operand, so these come back in float32, or complex.
        places, ones = ([None if c is None else np.real(_settled(c)) for c in _each(node, back(x, saved))]
                        for x in (self.places, np.minimum(self.places, 1.0)))
        if any(c is not None and c.size and np.max(c) > 1 for c in ones):
            return None
        return [(parent, Units(self.trace, v, p, self.lent, self.unit))
                for parent, v, p in zip(_each(node, node.parents), values, places) if p is not None]

    def _rows(self):
        """Flat positions of the elements that have a row, and these rows."""
        flat = self.places.reshape(-1)
        at = np.flatnonzero(flat)
        return at, flat[at].astype(np.intp) - 1

    def _times(self, rows):
        """The batch whose row of element k is `rows[k]` times the value there."""
        scale = (-1,) + (1,) * (rows.ndim - 1)
        if self.whole:
            if not self.unit:
                return self.values.reshape(scale) * rows
            self.lent.append(rows)
            return rows
        at, places = self._rows()
        batch = np.zeros((self.trace.size, *rows.shape[1:]), rows.dtype)
        rows = rows if self.complete else rows[at]
        batch[places] = rows if self.unit else self.values.reshape(-1)[at].reshape(scale) * rows
        return batch


class Scaled:
    """A batch of cotangents: `rows`, with the batch axis in front, times one `factor` (None: 1).

    Elementwise pullbacks change the factor alone; the product is made where another rule needs it. A `singular` rule
    with strong zeros needs it at once: it must see the zeros in the rows.
    """

    __slots__ = ("trace", "rows", "factor", "lent", "known")
    __array_ufunc__ = None

    def __init__(self, trace, rows, factor, lent):
        self.trace = trace
        self.rows = rows
        self.factor = factor
        self.lent = lent
        self.known = None

    def through(self, node, masked):
        """`[(parent, cotangent), …]` behind a node, or None if its rule needs the batch itself."""
        rule = node.rule
        if rule is None:
            return None
        if not rule.pointwise:
            if self.factor is None or rule.prim is None or rule.prim.gram is None or len(rule.names) != 1:
                return None
            out = rule.prim.gram(self.rows, self.factor, node.saved if rule.names == ("x",) else node.saved.T)
            return None if out is None else [(_each(node, node.parents)[0], make_batched(self.trace, out))]
        if masked and rule.strong is not rule.back:
            return None
        if self.factor is None:
            self.factor = constant(np.ones(self.rows.shape[1:], self.rows.dtype), self.rows)
        cts = rule.back(self.factor, node.saved)
        return _paired(node, cts, lambda c: self if c is self.factor else Scaled(self.trace, self.rows, c, self.lent))

    def dense(self):
        """The batch itself, as a tracer."""
        if self.known is None:
            rows = self.rows if self.factor is None else self.rows * self.factor
            self.known = make_batched(self.trace, rows)
        return self.known

    def plus(self, other):
        """The sum with another batch of the same rows, else None."""
        if self.rows is not other.rows or self.factor is None or other.factor is None:
            return None
        return Scaled(self.trace, self.rows, self.factor + other.factor, self.lent)


BASES = frozenset({Units, Scaled})


def meet(h, c):
    """Two cotangents of one node, at least one of them of these: their sum, or both as arrays or other lazy kinds."""
    if type(h) is type(c):
        total = h.plus(c)
        if total is not None:
            return total, None
    return (h.dense() if type(h) in BASES else h), (c.dense() if type(c) in BASES else c)


def _each(node, values):
    """What belongs to the parents of a node, as a sequence."""
    return values if type(node.parents) is tuple else (values,)


def _paired(node, cts, wrap):
    """Each parent with its cotangent."""
    return [(p, wrap(c)) for p, c in zip(_each(node, node.parents), _each(node, cts)) if c is not None]


def _settled(c):
    """A cotangent that is not lazy."""
    return c.dense() if hasattr(c, "dense") else c
