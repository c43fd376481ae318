"""torch.special."""

from ._impl.dispatch import surface as _surface

__getattr__ = _surface.getter("special.", "torch.special")
globals().update(_surface.names("special."))
_surface.publish(globals())
