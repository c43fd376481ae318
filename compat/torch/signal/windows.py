"""torch.signal.windows."""

from ..window_functions import WINDOWS

globals().update(WINDOWS)
