"""Structured matrices: block-diagonal and Toeplitz."""

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.ops.shaping import concatenate, pad
from ...core.trace.device import constant
from ...numpy import conjugate
from ...numpy.surface import Array, arrays_of, floating


def block_diag(*arrs: Array) -> Array:
    """Build a block-diagonal matrix.

    Args:
        arrs: matrices; vectors are treated as rows, numbers as 1 x 1 matrices.
    Returns:
        a matrix that is 0 outside the blocks.
    Raises:
        ShapeError: an argument has more than two axes.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.block_diag(np.array([[1.0, 2.0]]), 3.0)
    array([[1., 2., 0.],
           [0., 0., 3.]])
    """
    blocks = arrays_of(arrs or (np.zeros((1, 0)),))
    for x in blocks:
        if x.ndim > 2:
            raise ShapeError(f"block_diag needs matrices, but got shape {tuple(x.shape)}; use vmap for stacks of them"
                             f"{at_user_line()}")
    blocks = [x.reshape((1,) * (2 - x.ndim) + tuple(x.shape)) for x in blocks]
    width = sum(x.shape[1] for x in blocks)
    rows, before = [], 0
    for x in blocks:
        rows.append(pad(x, widths=((0, 0), (before, width - before - x.shape[1]))))
        before += x.shape[1]
    return concatenate(*rows, axis=0)


def toeplitz(c: Array, r: Array | None = None) -> Array:
    """Build a Toeplitz matrix, whose diagonals are constant.

    Args:
        c: the first column.
        r: the first row, whose first element is ignored; by default the conjugate of `c`.
    Returns:
        a matrix of shape `(len(c), len(r))`.
    Raises:
        ShapeError: `c` or `r` is not a vector.

    >>> from covector.scipy import linalg
    >>> linalg.toeplitz([1.0, 2.0, 3.0], [1.0, 4.0])
    array([[1., 4.],
           [2., 1.],
           [3., 2.]])
    """
    c = floating(c)
    r = conjugate(c) if r is None else floating(r)
    if c.ndim != 1 or r.ndim != 1:
        raise ShapeError(f"toeplitz needs vectors, but got shapes {tuple(c.shape)} and {tuple(r.shape)}; use vmap for "
                         f"stacks of them{at_user_line()}")
    n, m = c.shape[0], r.shape[0]
    places = constant(np.arange(n)[:, None] - np.arange(m)[None, :] + max(m - 1, 0), c)
    return concatenate(r[1:][::-1], c, axis=0)[places]
