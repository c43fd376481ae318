"""torch.overrides: for functions of one's own that ask `__torch_function__`, as torch's do."""

from ._impl.dispatch import surface as _surface
from ._impl.dispatch.function_modes import (
    BaseTorchFunctionMode as BaseTorchFunctionMode,
    TorchFunctionMode as TorchFunctionMode,
)
from ._impl.dispatch.torch_function import (
    handle_torch_function as handle_torch_function,
    has_torch_function as has_torch_function,
    has_torch_function_unary as has_torch_function_unary,
    has_torch_function_variadic as has_torch_function_variadic,
    is_tensor_like as is_tensor_like,
    wrap_torch_function as wrap_torch_function,
)

__getattr__ = _surface.getter("overrides.", "torch.overrides")
