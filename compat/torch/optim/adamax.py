"""torch.optim.adamax: Adamax, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import Adamax as Adamax
from .._impl.optim.functions import adamax as adamax

_surface.publish(globals())
