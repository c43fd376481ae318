"""torch.signal.windows."""

from .._impl.factories.window_functions import WINDOWS as _WINDOWS

globals().update(_WINDOWS)
