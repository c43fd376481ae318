"""torch.signal.windows."""

from .._impl.dispatch import surface as _surface
from .._impl.factories.window_functions import WINDOWS as _WINDOWS

globals().update(_WINDOWS)
_surface.publish(globals())
