"""All there is of sparse tensors, loaded at once: what the rest of compat asks this room for."""

from ..dispatch.overriding import dispatching
from . import changing, operations, shaping
from .entries import sparse_coo_tensor as sparse_coo_tensor, sparse_mask as sparse_mask, to_sparse as to_sparse
from .operations import (
    addmm as addmm,
    log_softmax as log_softmax,
    mm as mm,
    softmax as softmax,
    sparse_sum as sparse_sum,
)
from .sparse_tensor import SparseTensor as SparseTensor

dsmm = spmm = dispatching(mm, "mm")
_LOADED = changing, operations, operations, operations, shaping
