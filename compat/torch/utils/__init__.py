"""torch.utils."""

from .._impl.dispatch.surface import getter
from . import _pytree, checkpoint, dlpack, hooks

__getattr__ = getter("utils.", "torch.utils")
