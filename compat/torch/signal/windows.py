"""torch.signal.windows."""

from .._impl.factories.window_functions import WINDOWS

globals().update(WINDOWS)
