"""torch.optim.sparse_adam: SparseAdam."""

from .._impl.optim.matrices import SparseAdam as SparseAdam
