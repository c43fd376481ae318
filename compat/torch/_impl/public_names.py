"""The names of torch's top level that come from tables; importing this attaches every operation to Tensor."""

from . import ops
from .dispatch import nans, overriding, surface
from .factories import creation, from_data, window_functions
from .forward_ad import forward_ad
from .ops import inplace_shape
from .random import sampling
from .state import accumulate
from .tensor import attributes, container, conversion, tensor_queries
from .types import dtypes

# Loaded for what they attach or register.
ATTACHED = nans, forward_ad, inplace_shape, accumulate, attributes, container, conversion

_LIKE = [getattr(creation, name) for name in ("empty_like", "full_like", "ones_like", "zeros_like")]
_LIKE += [getattr(sampling, name) for name in ("rand_like", "randint_like", "randn_like")]

NAMES = dict(tensor_queries.PUBLIC)
NAMES |= {fun.__name__: overriding.dispatching(fun) for fun in _LIKE}
NAMES |= from_data.LEGACY | dtypes.NAMED | dtypes.ALIASES | surface.names("")
NAMES |= {name: overriding.dispatching(surface.explained(name, fun)) for name, fun in ops.PLAIN.items()}
NAMES |= {name: surface.explained(name, NAMES.get(name) or getattr(creation, name, None) or getattr(sampling, name))
          for name in surface.FACTORIES}
NAMES |= window_functions.TOP
