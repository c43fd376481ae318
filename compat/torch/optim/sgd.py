"""torch.optim.sgd: SGD."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.gradient_descent import SGD as SGD

_surface.publish(globals())
