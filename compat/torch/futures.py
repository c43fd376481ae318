"""torch.futures: results that come later, from threads and callbacks of this process."""

from ._impl.dispatch import surface as _surface
from ._impl.platform.futures import Future as Future, collect_all as collect_all, wait_all as wait_all

__all__ = ["Future", "collect_all", "wait_all"]
__getattr__ = _surface.getter("futures.", "torch.futures")
_surface.publish(globals())
