"""torch.autograd.grad_mode, the module that older scripts import the modes from."""

from ..grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]
