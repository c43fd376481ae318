"""torch.optim.adam: Adam."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import Adam as Adam

_surface.publish(globals())
