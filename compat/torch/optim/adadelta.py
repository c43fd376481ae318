"""torch.optim.adadelta: Adadelta."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adaptive import Adadelta as Adadelta

_surface.publish(globals())
