"""torch.utils."""

from ..surface import getter
from . import checkpoint

__getattr__ = getter("utils.", "torch.utils")
