"""Sparse matrices whose values may be traced: `scipy.sparse` with derivatives of products, sums and solvers."""

from . import linalg as linalg
from .construction import (
    coo_array as coo_array,
    csc_array as csc_array,
    csr_array as csr_array,
    diags_array as diags_array,
    with_data as with_data,
)
from .sparse_array import SparseArray as SparseArray
