"""torch.optim.adagrad: Adagrad."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adaptive import Adagrad as Adagrad

_surface.publish(globals())
