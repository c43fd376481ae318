"""torch._jit_internal: marks of functions for a compiler that is not here; functions are left as they are."""

from ._impl.dispatch import surface as _surface
from .jit import (
    Final as Final,
    Future as Future,
    _overload as _overload,
    _overload_method as _overload_method,
    export as export,
    ignore as ignore,
    is_scripting as is_scripting,
    unused as unused,
)

_copy_to_script_wrapper = unused
__getattr__ = _surface.getter("_jit_internal.", "torch._jit_internal")
