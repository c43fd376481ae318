"""torch.optim.rmsprop: RMSprop, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adaptive import RMSprop as RMSprop
from .._impl.optim.functions import rmsprop as rmsprop

_surface.publish(globals())
