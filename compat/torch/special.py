"""torch.special."""

from ._impl.dispatch.surface import getter, names

__getattr__ = getter("special.", "torch.special")
globals().update(names("special."))
