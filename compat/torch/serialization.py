"""torch.serialization: files of tensors, and what they may contain."""

import os as _os
from collections.abc import Callable as _Callable
from typing import IO as _IO, Any as _Any

from ._impl.dispatch import surface as _surface
from ._impl.interchange.map_location import default_restore_location as default_restore_location
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
from ._impl.types.size import device as _device

# The types of arguments of `save` and `load`, by which annotations of other projects call them.
FILE_LIKE = str | _os.PathLike[str] | _IO[bytes]
MAP_LOCATION = _Callable[[_Any, str], _Any] | _device | str | dict[str, str] | None

DEFAULT_PROTOCOL = 2  # of pickle, in which files are written
STORAGE_KEY_SEPARATOR = ","


class SourceChangeWarning(Warning):
    """The warning that the source of a module changed since it was saved, which is never given: none is saved."""


__getattr__, __dir__ = _surface.look_up("serialization")
