"""torch._VF: operations by their names, as modules call them."""

from ._impl.dispatch import surface as _surface

__getattr__ = _surface.getter("", "torch._VF")
