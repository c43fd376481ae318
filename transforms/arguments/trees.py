"""Lazy import of optree, for the first pytree that is no flat tuple, list or dict of arrays."""

from ...core.lazy import LazyModule
from ...core.types import Any

optree: Any = LazyModule("optree")
NAMESPACE = "covector"  # of the classes that are registered as nodes
