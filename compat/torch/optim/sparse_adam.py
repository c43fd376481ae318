"""torch.optim.sparse_adam: SparseAdam."""

from .._impl.optim.sparse_adam import SparseAdam as SparseAdam
