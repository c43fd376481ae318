"""All there is of sparse tensors, loaded at once: what the rest of compat asks this room for."""

from ..dispatch.overriding import dispatching
from . import changing, pointwise, products, reductions, shaping
from .construction import sparse_coo_tensor as sparse_coo_tensor, sparse_mask as sparse_mask, to_sparse as to_sparse
from .products import addmm as addmm, mm as mm
from .reductions import log_softmax as log_softmax, softmax as softmax, sparse_sum as sparse_sum
from .sparse_tensor import SparseTensor as SparseTensor

dsmm = spmm = dispatching(mm, "mm")
_LOADED = changing, pointwise, products, reductions, shaping
