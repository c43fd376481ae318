"""Graph colouring: groups of structurally orthogonal columns, or rows, of a sparse matrix."""

import numpy as np

from ...core.errors import at_user_line


def colour_columns(pattern, order="natural"):
    """A colour for each column of a sparse matrix, so that no two of one colour have an element in the same row.

    Greedy, in a given order. Each row keeps its colours as the bits of one integer.

    Args:
        pattern: a `csr_array`.
        order: "natural", "largest" (columns with most elements first), or a permutation of the columns.
    Returns:
        integers from 0, one a column; those of columns without elements are -1.
    """
    by_column = pattern.tocsc()
    starts, rows = by_column.indptr.tolist(), by_column.indices.tolist()
    width = pattern.shape[1]
    taken = [0] * pattern.shape[0]
    colours = [-1] * width
    for j in ordered(by_column, order):
        mine = rows[starts[j] : starts[j + 1]]
        if not mine:
            continue
        used = 0
        for i in mine:
            used |= taken[i]
        # The lowest zero bit of `used`: the first colour that no row of this column has.
        bit = ~used & (used + 1)
        colours[j] = bit.bit_length() - 1
        for i in mine:
            taken[i] |= bit
    return np.array(colours, np.int64)


def ordered(by_column, order):
    """The columns in the order in which they are coloured."""
    width = by_column.shape[1]
    if isinstance(order, str):
        if order == "natural":
            return range(width)
        if order == "largest":
            return np.argsort(-np.diff(by_column.indptr), kind="stable").tolist()
        raise ValueError(f'the order of a colouring is "natural", "largest" or a permutation, but got {order!r}; '
                         f"choose one{at_user_line()}")
    return np.asarray(order).tolist()


def best_columns(pattern):
    """The colouring with fewer colours out of two orders; stops where no colouring can have fewer."""
    # The columns of the fullest row all meet in it, so no colouring has fewer colours.
    least = int(np.diff(pattern.indptr).max(initial=0))
    found = colour_columns(pattern)
    if colours_of(found) > least:
        other = colour_columns(pattern, "largest")
        found = min(found, other, key=colours_of)
    return found


def colours_of(colours):
    """The number of colours."""
    return int(colours.max(initial=-1)) + 1


def check_columns(pattern, colours, name):
    """Raise unless `colours`, given by the user, part the columns that meet in a row."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    found = colours[pattern.indices]
    missing = pattern.indices[found < 0]
    what = "columns" if name == "column" else "rows"
    if len(missing):
        raise ValueError(f"the colouring gives no colour to {name} {missing[0]}, which has elements; give it a colour "
                         f"from 0 on{at_user_line()}")
    keys = rows * (colours_of(colours) + 1) + found
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(same):
        a, b = order[same[0]], order[same[0] + 1]
        raise ValueError(f"the colouring gives {what} {pattern.indices[a]} and {pattern.indices[b]} the same colour "
                         f"{found[a]}, but both have an element in {'row' if name == 'column' else 'column'} "
                         f"{rows[a]}; give them different ones, or leave colouring out{at_user_line()}")


class Coloured:
    """A compression of a matrix: colours of columns for forward sweeps, of rows for reverse ones, and which elements
    come from which.

    `columns` and `rows` hold a colour for each, -1 for those that no sweep asks for; `by_rows` is a flag for each
    element of the pattern, or True or False for all.
    """

    __slots__ = ("columns", "rows", "by_rows")

    def __init__(self, columns, rows, by_rows):
        self.columns = columns
        self.rows = rows
        self.by_rows = by_rows

    @property
    def passes(self):
        """`(forward, reverse)`: how many."""
        return colours_of(self.columns), colours_of(self.rows)


def _none(n):
    return np.full(n, -1)


def coloured(pattern, way):
    """The colouring of a matrix: by "columns", "rows", "both" (parts by columns, parts by rows), or "auto"."""
    if way == "columns":
        return Coloured(best_columns(pattern), _none(pattern.shape[0]), False)
    if way == "rows":
        return Coloured(_none(pattern.shape[1]), best_columns(pattern.T.tocsr()), True)
    if way == "both":
        return min(_parted(pattern), key=_cost)
    found = [coloured(pattern, "columns")]
    across = np.bincount(pattern.indices, minlength=pattern.shape[1])
    most = np.diff(pattern.indptr).max(initial=0), across.max(initial=0)
    # The fullest column bounds the row colouring from below: by rows it can only win if that is less.
    if most[1] < found[0].passes[0]:
        found.append(coloured(pattern, "rows"))
    best = min(found, key=_cost)
    if sum(best.passes) > 16 + 2 * (pattern.nnz // max(min(pattern.shape), 1)):
        best = min([best, *_parted(pattern)], key=_cost)
    return best


def _cost(one):
    forward, reverse = one.passes
    return forward + 1.5 * reverse


def _parted(pattern):
    """Partitions: rows (or columns) that are full are swept for by themselves, the rest the other way."""
    out = []
    for turned in (False, True):
        matrix = pattern.T.tocsr() if turned else pattern
        counts = np.diff(matrix.indptr)
        levels = np.unique(counts[counts > 0])
        for level in sorted({int(levels[-1 - k]) for k in (1, 2, 4, 8, 16) if k < len(levels)} | {int(np.quantile(
                counts, q)) for q in (0.5, 0.9, 0.99) if len(counts)}):
            full = counts > level
            if not full.any():
                continue
            line = np.repeat(full, counts)
            parts = [_only(matrix, line), _only(matrix, ~line)]
            lines, others = best_columns(parts[0].T.tocsr()), best_columns(parts[1])
            if not turned:
                out.append(Coloured(others, lines, line))
            else:
                out.append(Coloured(lines, others, ~_turned(pattern, line)))
    return out or [coloured(pattern, "columns")]


def _only(matrix, keep):
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[keep]
    columns = matrix.indices[keep]
    return type(matrix)((np.ones(len(rows), bool), (rows, columns)), shape=matrix.shape)


def _turned(pattern, flags):
    """Flags of the elements of the transpose, in the order of the elements of the matrix itself."""
    order = np.argsort(pattern.indices, kind="stable")  # of the transpose, in terms of ours
    out = np.empty(len(flags), bool)
    out[order] = flags
    return out
