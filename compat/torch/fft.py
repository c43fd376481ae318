"""torch.fft."""

from .surface import getter, names

__getattr__ = getter("fft.", "torch.fft")
globals().update(names("fft."))
