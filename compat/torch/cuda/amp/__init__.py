"""torch.cuda.amp: mixed precision on a device; without one nothing is cast or scaled, as in PyTorch."""

import warnings as _warnings
from functools import partial as _partial

from ..._impl.platform.autocast import autocast as _autocast, custom_bwd as _custom_bwd, custom_fwd as _custom_fwd
from ..._impl.platform.grad_scaler import GradScaler as _Scaler


class GradScaler(_Scaler):
    """`torch.amp.GradScaler("cuda")`."""

    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        _warnings.warn("`torch.cuda.amp.GradScaler(args...)` is deprecated. Please use "
                       "`torch.amp.GradScaler('cuda', args...)` instead.", FutureWarning, stacklevel=2)
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


class autocast(_autocast):  # noqa: N801 (torch's name)
    """`torch.autocast("cuda")`: without a device it changes nothing."""

    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        _warnings.warn("`torch.cuda.amp.autocast(args...)` is deprecated. Please use "
                       "`torch.amp.autocast('cuda', args...)` instead.", FutureWarning, stacklevel=2)
        super().__init__("cuda", dtype, enabled, cache_enabled)

    def clone(self):
        """The context itself, which can be entered again."""
        return self


custom_fwd = _partial(_custom_fwd, device_type="cuda")
custom_bwd = _partial(_custom_bwd, device_type="cuda")
__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]
