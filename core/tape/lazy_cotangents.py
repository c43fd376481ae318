"""Lazy cotangents of a Jacobian: unit vectors, known rows times a shared factor, and sums of these."""

import math

import numpy as np

from ..arrays.axes import even_steps
from ..trace.buffers import updated
from ..trace.device import constant
from ..trace.tracer import Batched, make_batched, unwrap
from .strong_zeros import CHOICES

ndarray = np.ndarray
_EXACT = 1 << 24  # numbers of rows below this are exact in every dtype that a pullback may cast them to


class Units:
    """A batch of cotangents of shape `values.shape` in which each element is zero in all of them but one, at least.

    At the start that is one element a cotangent; where a sum is pulled back, it becomes several. Pullbacks are linear,
    and elementwise ones keep the zeros: there the batch is pulled back by pulling back `values`, once; one that moves
    elements moves `places`, too. A rule that mixes elements gets the batch itself (`dense`), unless its primitive knows
    the rows for one element a cotangent (`basis`).

    Args:
        trace: the vmap trace of the batch.
        values: what the rows hold, each in its element.
        places: for each element 1 + the number of its row, 0 where it is zero in all of them.
        aliased: gathers what somebody else saved and became rows as it is.
        unit: all values are 1.
    """

    __slots__ = ("trace", "values", "places", "aliased", "unit", "whole", "complete", "spots", "known")
    __array_ufunc__ = None

    def __init__(self, trace, values, places, aliased, unit=False):
        self.trace = trace
        self.values = values
        self.places = places
        self.aliased = aliased
        self.unit = unit
        self.spots = self.known = None
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
        at = None if self.whole else self._single()
        if at is None and not self.whole:
            return None
        rows = rule.basis(self, node.saved)
        if any(r is None or at is not None and type(r) is not ndarray for r in _each(node, rows)):
            return None
        return _paired(node, rows, lambda r: Scaled(self.trace, self._times(r), None, self.aliased, at))

    def dense(self):
        """The batch itself, as a tracer."""
        if self.known is None:
            made = self.materialize()
            if self.unit and self.whole and type(made) is ndarray and made.ndim == 2:
                self.trace.units = made  # all unit vectors, in their order: products know them
            self.known = make_batched(self.trace, made)
        return self.known

    def materialize(self):
        """The batch as a new array, or as a value of an outer trace."""
        values = self.values
        shape = (self.trace.size, *values.shape)
        # Traced values cannot be assigned into an array; `onto` writes them by operations.
        if not self.unit and not isinstance(values, (ndarray, np.generic)):
            return self.onto(constant(np.zeros(shape, values.dtype), values))
        at, rows = self._rows()
        batch = np.zeros((self.trace.size, values.size), values.dtype)
        batch[rows, at] = 1 if self.unit else values.reshape(-1)[at]
        return constant(batch.reshape(shape), values)

    def onto(self, batch):
        """`batch`, an array or a traced value, with it added."""
        values = self.values
        at, rows = self._rows()
        places = even_steps(rows * values.size + at)
        if places is None:  # in no even steps, which an index would say
            mask = np.zeros(batch.shape, np.bool_)
            mask.reshape((len(mask), -1))[rows, at] = True
            return batch + CHOICES["where"](constant(mask, values), values, 0.0)
        values = values if values.ndim == 1 else values.reshape((-1,))
        if not self.complete:
            values = values[even_steps(at) or at]
        return updated(batch.reshape((-1,)), values, places, True).reshape(batch.shape)

    def plus(self, other):
        """The sum with another batch of units in the same places, else None."""
        if self.places is not other.places and not np.array_equal(self.places, other.places):
            return None
        return self._same_places(self.values + other.values)

    def _same_places(self, values):
        out = Units.__new__(Units)
        out.trace, out.values, out.places, out.aliased = self.trace, values, self.places, self.aliased
        out.unit, out.known, out.complete, out.whole, out.spots = False, None, self.complete, self.whole, self.spots
        return out

    def _moved(self, node):
        """Behind a rule that moves elements; None if elements met."""
        back, saved = node.rule.back, node.saved
        # `places` is pulled back as numbers by the rule itself, in float32 at worst, which holds integers up to
        # 2**24.
        if self.trace.size >= _EXACT:
            return None
        values = self.values
        if not self.complete:
            values = CHOICES["where"](constant(self.places > 0, values), values, 0.0)
        values = [_settled(c) for c in _each(node, back(values, saved))]
        # A pullback may cast to the dtype of an operand, so these come back in float32, or complex.
        places, ones = ([None if c is None else np.real(_settled(c)) for c in _each(node, back(x, saved))]
                        for x in (self.places, np.minimum(self.places, 1.0)))
        # Elements that met added up their row numbers, too, which then name a row that neither has: 1 + 2 is not row
        # 3.
        if any(c is not None and c.size and np.max(c) > 1 for c in ones):
            return None
        return [(parent, Units(self.trace, v, p, self.aliased, self.unit))
                for parent, v, p in zip(_each(node, node.parents), values, places) if p is not None]

    def _rows(self):
        """Flat positions of the elements that have a row, and these rows."""
        if self.spots is None:
            flat = self.places.reshape(-1)
            at = np.flatnonzero(flat)
            self.spots = at, flat[at].astype(np.intp) - 1
        return self.spots

    def _single(self):
        """The row of each element, in order, a slice where consecutive; None if a row has several elements."""
        _, rows = self._rows()
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and bool((rows[1:] > rows[:-1]).all()):
            return slice(int(rows[0]), int(rows[-1]) + 1)
        return rows if len(rows) == len(np.unique(rows)) else None

    def _times(self, rows):
        """`rows[k]` times the value of element k, for each element that has a cotangent."""
        if self.unit:
            if self.whole:
                self.aliased.append(rows)
            return rows if self.complete else rows[self._rows()[0]]
        values = self.values
        if not self.complete:
            at, _ = self._rows()
            rows, values = rows[at], values.reshape(-1)[at]
        return values.reshape((-1,) + (1,) * (rows.ndim - 1)) * rows

    @property
    def plain(self):
        """Tell whether it can be added to a plain array in place."""
        return type(self.values) is ndarray

    def into(self, batch):
        """`batch`, a plain one, which it is added to in place."""
        at, rows = self._rows()
        batch.reshape((len(batch), -1))[rows, at] += self.values.reshape(-1)[at]
        return batch


class Scaled:
    """A batch of cotangents: `rows`, with the batch axis in front, times one `factor` (None: 1).

    Elementwise pullbacks change the factor alone; the product is made where another rule needs it, or strong zeros do.

    Args:
        at: which cotangents of the batch the rows are, a slice or indices, all others being zero; None for all of them.
    """

    __slots__ = ("trace", "rows", "factor", "aliased", "at", "known")
    __array_ufunc__ = None

    def __init__(self, trace, rows, factor, aliased, at=None):
        self.trace = trace
        self.rows = rows
        self.factor = factor
        self.aliased = aliased
        self.at = at
        self.known = None

    def through(self, node, masked):
        """`[(parent, cotangent), …]` behind a node, or None if its rule needs the batch itself."""
        rule = node.rule
        if rule is None:
            return None
        if not rule.pointwise:
            # `gram` is the product with the factor inside: it needs all rows, and one saved operand.
            if self.factor is None or self.at is not None or rule.prim is None or rule.prim.gram is None or (
                    len(rule.names) != 1):
                return None
            out = rule.prim.gram(self.rows, self.factor, node.saved if rule.names == ("x",) else node.saved.T)
            return None if out is None else [(_each(node, node.parents)[0], make_batched(self.trace, out))]
        if self.factor is None:
            self.factor = constant(np.ones(self.rows.shape[1:], self.rows.dtype), self.rows)
        cts = rule.back(self.factor, node.saved)
        masked = masked and rule.strong is not rule.back
        if not all(c is None or c is self.factor or self._bears(c, masked) for c in _each(node, cts)):
            return None
        return _paired(node, cts, lambda c: self if c is self.factor else self._by(c))

    def _bears(self, factor, masked):
        """Tell whether rows times this factor are what the rule gives of each row: a mask takes infinities, 0 does
        not."""
        factor, rows = unwrap(factor), unwrap(self.rows)
        if masked and (factor is None or not np.isfinite(factor).all()):
            return False
        if type(factor) is not ndarray or type(rows) is not ndarray or factor.all():
            return True
        flat = rows.ravel("K")
        with np.errstate(all="ignore"):
            return bool(np.isfinite(flat.dot(flat)))  # in one pass, and large numbers may well count as infinite

    def _by(self, factor):
        return Scaled(self.trace, self.rows, factor, self.aliased, self.at)

    def dense(self):
        """The batch itself, as a tracer."""
        if self.known is None:
            bare = self.at is None and self.factor is None
            self.known = make_batched(self.trace, self.rows if bare else self.materialize())
        return self.known

    def materialize(self):
        """The batch as a new array, or as a value of an outer trace."""
        if self.at is None:
            return self.rows.copy() if self.factor is None else self.rows * self.factor
        return self._spread() if self.plain else self._by(None)._spread() * self.factor

    def onto(self, batch):
        """`batch`, an array or a traced value, with it added."""
        if type(self.at) is not slice:
            return batch + self.materialize()
        return updated(batch, self.rows if self.factor is None else self.rows * self.factor, self.at, True)

    def _spread(self):
        """The batch of plain rows, those in between zero."""
        batch = np.zeros((self.trace.size, *self.rows.shape[1:]), self.rows.dtype)
        if self.factor is None:
            batch[self.at] = self.rows
        elif type(self.at) is slice:
            np.multiply(self.rows, self.factor, batch[self.at])
        else:
            batch[self.at] = self.rows * self.factor
        return batch

    @property
    def shape(self):
        return self.rows.shape[1:]

    @property
    def dtype(self):
        return self.rows.dtype

    @property
    def plain(self):
        """Tell whether it can be added to a plain array in place."""
        return type(self.rows) is ndarray and (self.factor is None or type(self.factor) is ndarray)

    def into(self, batch):
        """`batch`, a plain one, which it is added to in place."""
        batch[... if self.at is None else self.at] += self.rows if self.factor is None else self.rows * self.factor
        return batch

    def plus(self, other):
        """The sum with another batch of the same rows, else None."""
        if self.rows is not other.rows or self.at is not other.at or self.factor is None or other.factor is None:
            return None
        return self._by(self.factor + other.factor)


class Sum:
    """A sum of such batches, which elementwise pullbacks meet one by one."""

    __slots__ = ("parts", "known")
    __array_ufunc__ = None

    def __init__(self, parts):
        self.parts = parts
        self.known = None

    def through(self, node, masked):
        """`[(parent, cotangent), …]` behind a node, or None if its rule needs the batch itself."""
        rule = node.rule
        if rule is None or not (rule.pointwise or rule.moves and all(type(p) is Units for p in self.parts)):
            return None
        found = [part.through(node, masked) for part in self.parts]
        return None if any(f is None for f in found) else [pair for pairs in found for pair in pairs]

    def dense(self):
        """The batch itself, as a tracer."""
        if self.known is None:
            first, *others = self.parts
            plain = all(p.plain for p in self.parts)
            batch = np.ascontiguousarray(first.materialize()) if plain else first.materialize()
            for part in others:
                batch = part.into(batch) if plain else part.onto(batch)
            self.known = make_batched(first.trace, batch)
        return self.known


BASES = frozenset({Units, Scaled, Sum})
_PARTS = 4  # a sum of more is added up
SMALL = 1 << 16  # elements of a batch below which one array is sooner computed with than the parts of a sum


def meet(h, c):
    """Add two cotangents of one node, at least one of them lazy: `(sum, None)`, or both made dense."""
    lazy = type(h) in BASES, type(c) in BASES
    total = _summed(h, c) if all(lazy) else _added(h, c) if lazy[1] else _added(c, h)
    if total is not None:
        return total, None
    return (h.dense() if lazy[0] else h), (c.dense() if lazy[1] else c)


def _summed(h, c):
    """The sum of two lazy batches; None if it has too many parts, or is not of one dtype."""
    parts = _parts(h).copy()
    for part in _parts(c):
        for k, found in enumerate(parts):
            total = found.plus(part) if type(found) is type(part) else None
            if total is not None:
                parts[k] = total
                break
        else:
            parts.append(part)
    first = parts[0]
    if len(parts) == 1:
        return first
    if len(parts) > _PARTS or not all(p.dtype == first.dtype and p.shape == first.shape for p in parts):
        return None
    # The part with most rows first: it is what becomes the array to which the others are added.
    total = Sum(sorted(parts, key=lambda p: -len(p.rows) if type(p) is Scaled else 0))
    small = SMALL if all(p.plain for p in parts) else SMALL >> 4  # staged, an operation on few elements takes less
    return total if first.trace.size * math.prod(first.shape) >= small else total.dense()


def _parts(batch):
    return batch.parts if type(batch) is Sum else [batch]


def _added(whole, part):
    """A lazy batch added to a batch, touching the rows alone that it has; None where it is to be made whole before."""
    if type(whole) is not Batched or type(part) is Scaled and part.at is None:
        return None
    parts = _parts(part)
    value = whole.value
    if whole.owner is not parts[0].trace or not all(
            p.dtype == value.dtype and p.shape == value.shape[1:] for p in parts):
        return None
    if type(value) is not ndarray or not all(p.plain for p in parts):
        for p in parts:
            value = p.onto(value)
        return make_batched(whole.owner, value)
    # The batch belongs to whoever made it, so it is copied once, and all parts are added in place.
    batch = value.copy()
    for p in parts:
        p.into(batch)
    return make_batched(whole.owner, batch)


def _each(node, values):
    """Values for the parents of a node, as a sequence."""
    return values if type(node.parents) is tuple else (values,)


def _paired(node, cts, wrap):
    """Each parent with its cotangent."""
    return [(p, wrap(c)) for p, c in zip(_each(node, node.parents), _each(node, cts)) if c is not None]


def _settled(c):
    """Materialize a lazy cotangent."""
    return c.dense() if hasattr(type(c), "dense") else c
