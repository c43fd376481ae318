"""torch.optim.sparse_adam: SparseAdam."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.sparse_adam import SparseAdam as SparseAdam

_surface.publish(globals())
