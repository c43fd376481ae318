"""torch.nn: the functional part."""

from .._impl.dispatch.surface import getter
from . import functional

__getattr__ = getter("nn.", "torch.nn")
__all__ = ["functional"]
