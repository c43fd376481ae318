"""torch.optim.adamw: AdamW, and its step as a function."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import AdamW as AdamW
from .._impl.optim.functions import adamw as adamw

_surface.publish(globals())
