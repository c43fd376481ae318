"""torch.optim.nadam: NAdam."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import NAdam as NAdam

_surface.publish(globals())
