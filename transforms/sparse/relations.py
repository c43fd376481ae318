"""Boolean relations between elements in CSR form (columns of each row), and their composition."""

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.lazy import LazyModule
from ...core.ops.dependence import Pairs

SPARSE = LazyModule("scipy.sparse")
LIMIT = 1 << 27  # nonzeros; their column numbers take half a GiB


class Relation:
    """A relation from elements to the `width` inputs they depend on: row i is `columns[starts[i] : starts[i + 1]]`."""

    __slots__ = ("starts", "columns", "width")

    def __init__(self, starts, columns, width):
        self.starts = starts
        self.columns = columns
        self.width = width

    @property
    def rows(self):
        """The number of elements."""
        return len(self.starts) - 1

    def matrix(self):
        """The relation as a boolean `csr_array`."""
        return SPARSE.csr_array((np.ones(len(self.columns), bool), self.columns, self.starts),
                                shape=(self.rows, self.width))

    @staticmethod
    def of(matrix):
        """The relation whose pairs are the stored elements of a matrix."""
        matrix = matrix.tocsr()
        return Relation(matrix.indptr, matrix.indices, matrix.shape[1])

    @staticmethod
    def identity(start, size, width):
        """Each of `size` elements depends on itself: the inputs from `start` on."""
        return Relation(np.arange(size + 1), np.arange(start, start + size), width)

    @staticmethod
    def empty(rows, width):
        """No element depends on anything."""
        return Relation(np.zeros(rows + 1, np.int64), np.zeros(0, np.int64), width)

    @staticmethod
    def full(rows, columns, width):
        """Every element depends on each of `columns`."""
        _check(rows * len(columns))
        return Relation(np.arange(rows + 1) * len(columns), np.tile(columns, rows), width)


def _check(count):
    if count > LIMIT:
        raise ShapeError(f"a sparsity pattern with {count} nonzeros came up, and more than {LIMIT} are not kept; where "
                         "every element depends on all (a mean that is subtracted, say), use jacobian, or products "
                         f"with vectors: jvp, vjp, hvp{at_user_line()}")


def gathered(found, rows):
    """The relation of elements that are those of `rows`; negative numbers stand for constants."""
    inside = rows >= 0
    first = found.starts[:-1][rows]
    counts = np.where(inside, found.starts[1:][rows] - first, 0) if found.rows else np.zeros(len(rows), np.int64)
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    total = int(starts[-1])
    _check(total)
    if total == len(rows) and counts.all():  # one each: the most frequent case, and the fastest
        return Relation(starts, found.columns[first], found.width)
    return Relation(starts, found.columns[np.repeat(first - starts[:-1], counts) + np.arange(total)], found.width)


def united(a, b):
    """The union of two relations of the same elements; None stands for no dependence."""
    if a is None or b is None or a is b:
        return b if a is None else a
    if len(a.columns) == len(b.columns) and np.array_equal(a.starts, b.starts) and np.array_equal(a.columns, b.columns):
        return a
    if not len(a.columns) or not len(b.columns):
        return a if len(a.columns) else b
    return Relation.of(a.matrix() + b.matrix())


def joined(found, source, target):
    """The relation of elements with keys `target`, given that of elements with keys `source`."""
    source, target = np.ravel(source), np.ravel(target)
    count = max(int(source.max(initial=-1)), int(target.max(initial=-1))) + 1
    if len(source) == count and np.array_equal(source, np.arange(count)):
        return gathered(found, target)
    times = np.bincount(source[source >= 0], minlength=count)
    # Keys that occur once need no union of rows: a gather in place of a sparse product.
    if times.max(initial=0) <= 1:
        place = np.full(count + 1, -1)
        place[source] = np.arange(len(source))
        place[-1] = -1
        return gathered(found, place[target])
    return gathered(_merged(found, source, count), target)


def _merged(found, source, count):
    """For each key the union of the rows that have it."""
    live = np.flatnonzero(source >= 0)
    member = SPARSE.csr_array((np.ones(len(live), bool), (source[live], live)), shape=(count, len(source)))
    return composed(Relation.of(member), found)


def composed(outer, inner):
    """The relation of elements that depend by `outer` on elements with the relation `inner`."""
    return Relation.of(outer.matrix() @ inner.matrix())


def related(found, relation, size):
    """The relation of `size` elements of an output, by what a `depends` rule gives for one operand."""
    if type(relation) is Pairs:
        pairs = SPARSE.csr_array((np.ones(len(relation.source), bool), (relation.target, relation.source)),
                                 shape=(size, found.rows))
        return composed(Relation.of(pairs), found)
    if type(relation) is list:
        total = None
        for one in relation:
            total = united(total, joined(found, *one))
        return Relation.empty(size, found.width) if total is None else total
    return joined(found, *relation)


def stacked(parts):
    """Relations one below the other."""
    if len(parts) == 1:
        return parts[0]
    starts, before = [np.zeros(1, np.int64)], 0
    for p in parts:
        starts.append(p.starts[1:] + before)
        before += len(p.columns)
    return Relation(np.concatenate(starts), np.concatenate([p.columns for p in parts]), parts[0].width)
