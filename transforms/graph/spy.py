"""Spy plots of the nonzeros of a matrix, as SVG for notebooks and as text elsewhere."""

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.types import Any

_SIDE = 320.0  # pixels of the longer side
_TEXT = 40  # rows and columns up to which it is printed entry by entry
_CELLS = 160  # rows and columns that are told apart in a drawing; those of a larger matrix share cells


class Spy:
    """The result of `spy`: `rows` and `columns` of the entries that are not zero, and the `shape` of the matrix."""

    def __init__(self, rows, columns, shape):
        self.rows, self.columns, self.shape = rows, columns, shape

    def __repr__(self):
        m, n = self.shape
        head = f"{m} by {n}, {len(self.rows)} of {m * n} entries not zero"
        if max(m, n) > _TEXT:
            return head
        marks = np.full((m, n), ".")
        marks[self.rows, self.columns] = "x"
        return "\n".join([*[" ".join(row) for row in marks.tolist()], head])

    def _repr_html_(self):
        m, n = self.shape
        size = _SIDE / max(m, n, 1)
        step = max(m, n) / min(max(m, n, 1), _CELLS) if max(m, n) else 1.0
        cells = sorted({(int(r / step), int(c / step)) for r, c in zip(self.rows.tolist(), self.columns.tolist())})
        side = step * size
        boxes = "".join([f'<rect x="{1 + c * side:.2f}" y="{1 + r * side:.2f}" width="{0.92 * side:.2f}" '
                         f'height="{0.92 * side:.2f}"/>' for r, c in cells])
        width, height = n * size + 2, m * size + 2
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
                f'viewBox="0 0 {width:.2f} {height:.2f}" fill="#2a7fd4"><title>{m} by {n}, {len(self.rows)} not zero'
                f'</title><rect x="0.5" y="0.5" width="{n * size + 1:.2f}" height="{m * size + 1:.2f}" fill="none" '
                f'stroke="currentColor" stroke-opacity="0.5"/>{boxes}</svg>')


def spy(matrix: Any) -> Spy:
    """Draw the pattern of a matrix: where its entries are not zero.

    Args:
        matrix: an array with two axes, a Jacobian for example, or a sparse matrix (what has `tocoo()`).
    Returns:
        a `Spy`, which notebooks draw, and which prints as text.
    Raises:
        ShapeError: it does not have two axes.

    >>> import numpy as np, covector
    >>> covector.debug.spy(covector.jacobian(np.diff)(np.ones(4)))
    x x . .
    . x x .
    . . x x
    3 by 4, 6 of 12 entries not zero
    """
    if hasattr(matrix, "tocoo"):
        found = matrix.tocoo()
        kept = np.asarray(found.data) != 0
        return Spy(np.asarray(found.row)[kept], np.asarray(found.col)[kept], tuple(found.shape))
    array = np.asarray(matrix)
    if array.ndim != 2:
        raise ShapeError(f"spy draws a matrix, but got an array of shape {array.shape}; reshape it to two axes"
                         f"{at_user_line()}")
    rows, columns = np.nonzero(array)
    return Spy(rows, columns, array.shape)
