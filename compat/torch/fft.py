"""torch.fft."""

from ._impl.dispatch import surface as _surface
from ._impl.ops.spectra import FREQUENCIES as _FREQUENCIES

__getattr__ = _surface.getter("fft.", "torch.fft")
globals().update(_surface.names("fft."))
globals().update(_FREQUENCIES)
_surface.publish(globals())
