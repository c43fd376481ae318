"""torch.utils.safetensors: files of safetensors, read and written without that package, by the names it has.

Where the package is installed, its own `safetensors.torch` takes these tensors too, once `install()` was called.
"""

from .._impl.dispatch import surface as _surface
from .._impl.interchange.safetensors import (
    SafetensorError as SafetensorError,
    load as load,
    load_file as load_file,
    safe_open as safe_open,
    save as save,
    save_file as save_file,
)

__all__ = ["SafetensorError", "load", "load_file", "safe_open", "save", "save_file"]
_surface.publish(globals())
