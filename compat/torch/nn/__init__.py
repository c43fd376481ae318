"""torch.nn: the functional part."""

from . import functional

__all__ = ["functional"]
