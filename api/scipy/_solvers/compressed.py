"""Jacobians of a known pattern, by products with sums of columns that share no row."""

from typing import Any

import numpy as np

from ...core.types import Callable
from ...transforms.interpreters.forward import jvp
from ...transforms.interpreters.vmap import vmap
from .arguments import Repeated
from .library import scipy_module


def compressed_jacobian(fun: Callable[..., Any], pattern: Any, groups: Any = None) -> Callable[..., Any]:
    """A function of plain arrays that returns the Jacobian by the first, a sparse matrix of the given pattern.

    The columns are coloured once (Curtis, Powell and Reid, 1974); each call runs one sweep a colour, all at once.
    """
    sparse = scipy_module("sparse", "a sparse Jacobian")
    rows, columns, groups, (m, n) = groups or grouped(pattern)
    seeds = np.zeros((int(groups.max(initial=-1)) + 1, n))
    seeds[groups, np.arange(n)] = 1.0

    sweeps = Repeated(lambda x, *more: vmap(lambda dx: jvp(lambda x: fun(x, *more), (x,), (dx,))[1])(seeds))

    def of(*given: Any) -> Any:
        pushed = sweeps(*given)
        return sparse.csc_matrix((np.asarray(pushed)[groups[columns], rows], (rows, columns)), shape=(m, n))

    return of


def grouped(pattern: Any) -> Any:
    """`(rows, columns, group of each column, shape)` of a pattern: the places of its entries that are not 0."""
    sparse = scipy_module("sparse", "a sparse Jacobian")
    numdiff = scipy_module("optimize._numdiff", "a sparse Jacobian")
    if isinstance(pattern, tuple):  # as SciPy takes it: with the groups beside it
        matrix = sparse.csr_matrix(pattern[0])
        rows, columns = matrix.nonzero()
        return rows, columns, np.asarray(pattern[1]), matrix.shape
    matrix = sparse.csr_matrix(pattern)
    rows, columns = matrix.nonzero()
    return rows, columns, np.asarray(numdiff.group_columns(matrix)), matrix.shape
