"""The names of torch as one object, for rooms that are written as users of torch write."""

from types import SimpleNamespace

from .dispatch.call import ROWS
from .dispatch.surface import public
from .factories import creation, ranges
from .factories.from_data import as_tensor, tensor
from .modes.grad_mode import enable_grad, no_grad
from .public_names import NAMES
from .random import sampling
from .types import dtypes, limits
from .types.size import Size
from .types.tensor_type import Tensor


def below(prefix):
    """The functions of a namespace of torch."""
    return SimpleNamespace(**{name.removeprefix(prefix): public(row) for name, row in ROWS.items()
                              if name.startswith(prefix) and "." not in name.removeprefix(prefix)})


torch = SimpleNamespace(**{
    **{name: getattr(creation, name) for name in ("empty", "eye", "full", "is_tensor", "ones", "zeros")},
    "arange": ranges.arange,
    **{name: getattr(sampling, name) for name in ("rand", "randn", "randperm", "randint")},
    **NAMES, "Size": Size, "Tensor": Tensor, "as_tensor": as_tensor, "dtype": dtypes.dtype,
    "enable_grad": enable_grad, "finfo": limits.finfo, "get_default_dtype": dtypes.get_default_dtype,
    "linalg": below("linalg."), "no_grad": no_grad, "special": below("special."), "tensor": tensor})
F = below("nn.functional.")
