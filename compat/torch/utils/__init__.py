"""torch.utils."""

from ..surface import getter
from . import _pytree, checkpoint, hooks

__getattr__ = getter("utils.", "torch.utils")
