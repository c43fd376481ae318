"""torch.utils."""

from ..surface import getter
from . import _pytree, checkpoint

__getattr__ = getter("utils.", "torch.utils")
