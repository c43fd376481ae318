"""torch.utils."""

from .._impl.dispatch import surface as _surface
from . import _pytree, checkpoint, dlpack, hooks

__getattr__ = _surface.getter("utils.", "torch.utils")
