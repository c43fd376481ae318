"""torch.autograd.grad_mode, the module that older scripts import the modes from."""

from .._impl.dispatch import surface as _surface
from .._impl.modes.engine_switches import enforce_grad_layout_policy, set_multithreading_enabled
from .._impl.modes.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "enforce_grad_layout_policy", "inference_mode", "no_grad", "set_grad_enabled",
           "set_multithreading_enabled"]

_surface.publish(globals())
