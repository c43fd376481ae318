"""torch.special."""

from .surface import getter, names

__getattr__ = getter("special.", "torch.special")
globals().update(names("special."))
