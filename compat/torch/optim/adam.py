"""torch.optim.adam: Adam, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import Adam as Adam
from .._impl.optim.functions import adam as adam

_surface.publish(globals())
