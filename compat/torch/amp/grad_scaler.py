"""torch.amp.grad_scaler."""

from .._impl.platform.absent import Scaler as GradScaler

__all__ = ["GradScaler"]
