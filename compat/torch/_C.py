"""torch._C, as far as other people's modules look at it."""

from ._impl.dispatch.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from ._impl.modes.grad_mode import is_grad_enabled as is_grad_enabled
from ._impl.modes.modes import set_modes as _set_modes
from ._impl.random.generator import Generator as Generator
from ._impl.types.dtypes import dtype as dtype
from ._impl.types.parameter import disabled_torch_function as _disabled_torch_function_impl
from ._impl.types.size import Size as Size, device as device
from ._impl.types.tensor_type import TensorBase as TensorBase

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "Size", "TensorBase",
           "_disabled_torch_function_impl", "device", "dtype", "is_grad_enabled"]
DisableTorchFunction = DisableTorchFunctionSubclass


def _set_grad_enabled(enabled):
    """Switch recording on or off."""
    _set_modes(grad=bool(enabled))


def _get_tracing_state():
    """None: nothing is being traced."""
    return None


def _log_api_usage_once(name):
    """Nothing."""
