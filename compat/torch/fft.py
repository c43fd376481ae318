"""torch.fft."""

from .ops.spectra import FREQUENCIES
from .surface import getter, names

__getattr__ = getter("fft.", "torch.fft")
globals().update(names("fft."))
globals().update(FREQUENCIES)
