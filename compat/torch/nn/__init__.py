"""torch.nn: the functional part."""

from ..surface import getter
from . import functional

__getattr__ = getter("nn.", "torch.nn")
__all__ = ["functional"]
