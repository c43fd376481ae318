"""torch.optim.adamax: Adamax."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import Adamax as Adamax

_surface.publish(globals())
