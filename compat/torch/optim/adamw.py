"""torch.optim.adamw: AdamW."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.adam import AdamW as AdamW

_surface.publish(globals())
