"""torch.optim.radam: RAdam."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import RAdam as RAdam

_surface.publish(globals())
