"""torch.optim.swa_utils: averages of parameters, and the schedule that goes with them."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.averaging import (
    SWALR as SWALR,
    get_ema_avg_fn as get_ema_avg_fn,
    get_ema_multi_avg_fn as get_ema_multi_avg_fn,
    get_swa_avg_fn as get_swa_avg_fn,
    get_swa_multi_avg_fn as get_swa_multi_avg_fn,
)

__getattr__ = _surface.getter("optim.swa_utils.", "torch.optim.swa_utils")
