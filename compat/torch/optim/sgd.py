"""torch.optim.sgd: SGD, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.functions import sgd as sgd
from .._impl.optim.gradient_descent import SGD as SGD

_surface.publish(globals())
