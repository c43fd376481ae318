"""torch.amp: mixed precision, which is not implemented: what is switched off works, what is switched on says so."""

from .._impl.dispatch import surface as _surface
from .._impl.platform.absent import Scaler as GradScaler
from .._impl.platform.autocast import autocast, custom_bwd, custom_fwd, is_autocast_available
from . import autocast_mode, grad_scaler

__getattr__ = _surface.getter("amp.", "torch.amp")
__all__ = ["GradScaler", "autocast", "autocast_mode", "custom_bwd", "custom_fwd", "grad_scaler",
           "is_autocast_available"]
_surface.publish(globals())
