"""torch.optim.nadam: NAdam, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import NAdam as NAdam
from .._impl.optim.functions import nadam as nadam

_surface.publish(globals())
