"""torch.utils."""

from ..surface import getter

__getattr__ = getter("utils.", "torch.utils")
