"""torch.amp: mixed precision."""

from .._impl.dispatch import surface as _surface
from .._impl.platform.autocast import autocast, custom_bwd, custom_fwd, is_autocast_available
from .._impl.platform.grad_scaler import GradScaler
from . import autocast_mode, grad_scaler

__getattr__ = _surface.getter("amp.", "torch.amp")
__all__ = ["GradScaler", "autocast", "autocast_mode", "custom_bwd", "custom_fwd", "grad_scaler",
           "is_autocast_available"]
_surface.publish(globals())
