"""The names of torch's top level that come from tables; importing this attaches every operation to Tensor."""

from . import ops
from .dispatch import nans, overriding, surface, telling
from .factories import creation, from_data, ranges, window_functions
from .forward_ad import forward_ad
from .ops import inplace_shape
from .random import filling as filling, gamma, sampling
from .tensor import attributes, conversion, copying, elements_by_python, tensor_queries
from .types import dtypes

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
