"""torch.utils.hooks: what registering a hook returns."""

from .._impl.graph.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
