"""torch._C: the few names of PyTorch's own room that programs use."""

from ._impl.dispatch.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from ._impl.modes.grad_mode import set_grad_enabled as _set_grad_mode
from ._impl.types.parameter import disabled_torch_function as _disabled_torch_function_impl
from ._impl.types.tensor_type import TensorBase as TensorBase

__all__ = ["DisableTorchFunctionSubclass", "TensorBase", "_disabled_torch_function_impl"]


def _set_grad_enabled(enabled):
    """Record operations from now on, or not."""
    _set_grad_mode(enabled)
