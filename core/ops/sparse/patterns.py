"""Sparsity patterns, static parameters of operations on the values."""

import hashlib
from functools import cached_property

import numpy as np

from ...errors import MissingLibraryError, at_user_line
from ...lazy import LazyModule, loaded

SPARSE = LazyModule("scipy.sparse")
LINALG = LazyModule("scipy.sparse.linalg")


def need_scipy(what):
    """Raise unless SciPy is there."""
    try:
        loaded(SPARSE)
    except ImportError as error:
        raise MissingLibraryError(f"{what} needs SciPy, but importing it failed ({error}); install it: pip install "
                                  f"'covector[scipy]'{at_user_line()}") from error


class SparsePattern:
    """The nonzero structure of a sparse matrix, row by row: equal to any other with the same places.

    Args:
        starts: where the values of each row begin, and where the last ones end.
        columns: of the values.
        shape: of the matrix.
    """

    def __init__(self, starts, columns, shape):
        self.starts = starts
        self.columns = columns
        self.shape = tuple(int(n) for n in shape)
        self.factors = []  # [(values, factorization)]: the last ones, which a pullback asks for again

    @property
    def size(self):
        """The number of values."""
        return len(self.columns)

    @cached_property
    def rows(self):
        """The row of each value."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    @cached_property
    def digest(self):
        """A number that stands for the places."""
        text = hashlib.blake2b(np.asarray(self.starts, np.int64).tobytes(), digest_size=16)
        text.update(np.asarray(self.columns, np.int64).tobytes())
        return text.digest()

    def __eq__(self, other):
        return self is other or type(other) is SparsePattern and (self.shape, self.digest) == (other.shape,
            other.digest)

    def __hash__(self):
        return hash((self.shape, self.digest))

    def __repr__(self):
        return f"SparsePattern({self.shape[0]}x{self.shape[1]}, {self.size})"

    def __getstate__(self):
        return self.starts, self.columns, self.shape

    def __setstate__(self, state):
        self.__init__(*state)

    def matrix(self, values, turned=False):
        """The SciPy array with these values; `turned`: its transpose."""
        if turned:
            return SPARSE.csc_array((values, self.columns, self.starts), shape=self.shape[::-1])
        return SPARSE.csr_array((values, self.columns, self.starts), shape=self.shape)


LATEST = 2


def factorization(pattern, values):
    """SuperLU's factorization of a square matrix; that of the values seen last is kept."""
    values = np.asarray(values)
    kind = np.result_type(values.dtype, np.float32)
    for known, factor in pattern.factors:
        if known.dtype == values.dtype and np.array_equal(known, values):
            return factor
    # The rows of the matrix as columns: its transpose, without sorting anything.
    try:
        factor = LINALG.splu(SPARSE.csc_array((values.astype(kind), pattern.columns, pattern.starts),
                                              shape=pattern.shape[::-1]))
    except RuntimeError as error:
        raise np.linalg.LinAlgError(
            f"a sparse system has no unique solution: SciPy's factorization says {str(error)!r}; change the matrix, "
            f"add to its diagonal, or use a least-squares solver{at_user_line()}") from error
    pattern.factors = [(values.copy(), factor), *pattern.factors[: LATEST - 1]]
    return factor
