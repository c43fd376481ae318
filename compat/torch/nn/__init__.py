"""torch.nn: the functional part."""

from .._impl.dispatch import surface as _surface
from . import functional as functional

__getattr__ = _surface.getter("nn.", "torch.nn")
