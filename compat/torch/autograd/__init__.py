"""torch.autograd: the engine, modes, Function, and the tools around the graph."""

from ..engine import backward, grad
from ..grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = ["backward", "enable_grad", "grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad",
           "set_grad_enabled"]
