"""torch.optim.radam: RAdam, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import RAdam as RAdam
from .._impl.optim.functions import radam as radam

_surface.publish(globals())
