"""torch.serialization: files of tensors, and what they may contain."""

from ._impl.dispatch import surface as _surface
from ._impl.interchange.safe_globals import (
    add_safe_globals as add_safe_globals,
    clear_safe_globals as clear_safe_globals,
    get_safe_globals as get_safe_globals,
    safe_globals as safe_globals,
)
from ._impl.interchange.serialization import (
    get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint,
    load as load,
    save as save,
)

__getattr__ = _surface.getter("serialization.", "torch.serialization")
