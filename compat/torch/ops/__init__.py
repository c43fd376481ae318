"""The operations by family: each is written once, on core values, and attaches itself to torch and Tensor."""

from . import (
    elementwise,
    indexing,
    joining,
    linalg,
    more,
    network,
    reductions,
    selecting,
    shaping,
    strided,
    windows,
)

from . import special  # isort: skip (its aliases name operations registered above)

PLAIN = {**joining.PLAIN, **more.PLAIN, **selecting.PLAIN}  # functions of tensors that are no operations of their own
__all__ = ["PLAIN", "elementwise", "indexing", "joining", "linalg", "more", "network", "reductions", "selecting",
           "shaping", "special", "strided", "windows"]
