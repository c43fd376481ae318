"""torch.optim.rmsprop: RMSprop."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adaptive import RMSprop as RMSprop

_surface.publish(globals())
