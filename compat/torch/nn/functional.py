"""torch.nn.functional."""

from .._impl.dispatch import surface as _surface

__getattr__ = _surface.getter("nn.functional.", "torch.nn.functional")
globals().update(_surface.names("nn.functional."))
_surface.publish(globals())
