"""torch.optim.rprop: Rprop."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.gradient_descent import Rprop as Rprop

_surface.publish(globals())
