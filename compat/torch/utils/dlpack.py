"""torch.utils.dlpack."""

from .._impl.dispatch import surface as _surface
from .._impl.interchange.dlpack import from_dlpack as from_dlpack, to_dlpack as to_dlpack

__getattr__ = _surface.getter("utils.dlpack.", "torch.utils.dlpack")

_surface.publish(globals())
