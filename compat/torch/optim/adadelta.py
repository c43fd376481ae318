"""torch.optim.adadelta: Adadelta, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adaptive import Adadelta as Adadelta
from .._impl.optim.functions import adadelta as adadelta

_surface.publish(globals())
