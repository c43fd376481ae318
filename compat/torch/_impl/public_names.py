"""The names of torch's top level that come from tables; importing this attaches every operation to Tensor."""

from types import SimpleNamespace

from . import ops
from .dispatch import nans, overriding, surface, telling
from .dispatch.call import ROWS
from .dispatch.surface import public
from .factories import creation, from_data, ranges, window_functions
from .factories.from_data import as_tensor, tensor
from .forward_ad import forward_ad
from .modes.grad_mode import enable_grad, is_grad_enabled, no_grad
from .ops import inplace_shape
from .random import filling as filling, gamma, sampling
from .tensor import attributes, conversion, copying, elements_by_python, tensor_queries
from .types import dtypes, limits
from .types.parameter import Parameter
from .types.size import Size, device
from .types.tensor_type import Tensor

# Loaded for what they attach or register.
ATTACHED = nans, forward_ad, inplace_shape, attributes, conversion, copying, elements_by_python

NAMES = dict(tensor_queries.PUBLIC)
NAMES |= {name: overriding.dispatching(NAMES[name]) for name in ("resolve_conj", "resolve_neg")}
NAMES["chain_matmul"] = overriding.composed(NAMES["chain_matmul"])
NAMES |= from_data.LEGACY | dtypes.ONLY_NAMED | dtypes.NAMED | {"bfloat16": dtypes.bfloat16} | dtypes.ALIASES
NAMES |= {"chalf": dtypes.ONLY_NAMED["complex32"]} | surface.names("")
NAMES |= {name: surface.asking_first(name, fun) for name, fun in ops.PLAIN.items()}
NAMES |= {name: surface.asking_first(name, NAMES.get(name) or next(
    getattr(file, name) for file in (creation, ranges, sampling) if hasattr(file, name))) for name in surface.FACTORIES}
NAMES |= {name: surface.asking_first(name, fun) for name, fun in gamma.PUBLIC.items()}
NAMES |= {name: telling.asks_modes(fun) for name, fun in window_functions.TOP.items()}
NAMES |= {name: overriding.composed(fun) for name, fun in ops.LISTS.items()}


# The names of torch as one object, for rooms that are written as users of torch write.


def below(prefix):
    """The functions of a namespace of torch."""
    return SimpleNamespace(**{name.removeprefix(prefix): public(row) for name, row in ROWS.items()
                              if name.startswith(prefix) and "." not in name.removeprefix(prefix)})


torch = SimpleNamespace(**{
    **{name: getattr(creation, name) for name in ("empty", "eye", "full", "is_tensor", "ones", "zeros")},
    "arange": ranges.arange,
    **{name: getattr(sampling, name) for name in ("rand", "randn", "randperm", "randint")},
    **NAMES, "Parameter": Parameter, "Size": Size, "Tensor": Tensor, "as_tensor": as_tensor,
    "device": device, "dtype": dtypes.dtype, "enable_grad": enable_grad, "finfo": limits.finfo,
    "get_default_dtype": dtypes.get_default_dtype, "is_grad_enabled": is_grad_enabled,
    "linalg": below("linalg."), "no_grad": no_grad, "special": below("special."), "tensor": tensor})
F = below("nn.functional.")
