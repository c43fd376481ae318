"""torch.optim.adagrad: Adagrad, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adaptive import Adagrad as Adagrad
from .._impl.optim.functions import adagrad as adagrad

_surface.publish(globals())
