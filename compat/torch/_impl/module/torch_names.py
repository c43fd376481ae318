"""The names of torch's top level as layers use them: the package itself imports torch.nn, so that layers cannot it."""

from types import SimpleNamespace

from ..dispatch import surface
from ..factories.from_data import as_tensor, tensor
from ..modes.grad_mode import enable_grad, is_grad_enabled, no_grad
from ..public_names import NAMES
from ..types.dtypes import get_default_dtype
from ..types.limits import finfo
from ..types.parameter import Parameter
from ..types.size import Size, device
from ..types.tensor_type import Tensor

globals().update(NAMES)
linalg = SimpleNamespace(**surface.names("linalg."))

__all__ = ["Parameter", "Size", "Tensor", "as_tensor", "device", "enable_grad", "finfo", "get_default_dtype",
           "is_grad_enabled", "linalg", "no_grad", "tensor"]
