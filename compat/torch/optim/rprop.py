"""torch.optim.rprop: Rprop, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.functions import rprop as rprop
from .._impl.optim.gradient_descent import Rprop as Rprop

_surface.publish(globals())
