"""torch.utils.hooks: what registering a hook returns."""

from .... import _engine
from .._impl.dispatch import surface as _surface
from .._impl.graph.hooks import (
    RemovableHandle as RemovableHandle,
    unserializable_hook as unserializable_hook,
    warn_if_has_hooks as warn_if_has_hooks,
)

LazyModule = _engine.LazyModule
_backward_hooks = LazyModule("covector.compat.torch._impl.module.backward_hooks")
__getattr__ = _surface.getter("utils.hooks.", "torch.utils.hooks", parts={"BackwardHook": _backward_hooks})
del LazyModule
