"""torch._C: the few names of PyTorch's own room that programs use."""

from ._impl.dispatch.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from ._impl.types.parameter import disabled_torch_function as _disabled_torch_function_impl
from ._impl.types.tensor_type import TensorBase as TensorBase

__all__ = ["DisableTorchFunctionSubclass", "TensorBase", "_disabled_torch_function_impl"]
