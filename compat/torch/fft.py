"""torch.fft."""

from ._impl.dispatch.surface import getter, names
from ._impl.ops.spectra import FREQUENCIES

__getattr__ = getter("fft.", "torch.fft")
globals().update(names("fft."))
globals().update(FREQUENCIES)
