"""torch.autograd.forward_ad."""

from .._impl.dispatch import surface as _surface
from .._impl.dispatch.overriding import dispatching as _dispatching
from .._impl.forward_ad.forward_ad import (
    UnpackedDualTensor,
    dual_level,
    enter_dual_level,
    exit_dual_level,
    make_dual as _make_dual,
    unpack_dual as _unpack_dual,
)
from .._impl.modes.engine_switches import _set_fwd_grad_enabled as _set_fwd_grad_enabled
from .._impl.state.levels import DUAL as _DUAL

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]
make_dual, unpack_dual = _dispatching(_make_dual), _dispatching(_unpack_dual)
_surface.publish(globals())


def __getattr__(name):
    if name == "_current_level":
        return -1 if _DUAL.get() is None else 0
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
