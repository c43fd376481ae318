"""torch.optim.asgd: ASGD."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.gradient_descent import ASGD as ASGD

_surface.publish(globals())
