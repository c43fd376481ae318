"""torch.optim.asgd: ASGD, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.functions import asgd as asgd
from .._impl.optim.gradient_descent import ASGD as ASGD

_surface.publish(globals())
