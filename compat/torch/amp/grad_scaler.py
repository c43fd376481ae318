"""torch.amp.grad_scaler."""

from .._impl.platform.grad_scaler import GradScaler

__all__ = ["GradScaler"]
