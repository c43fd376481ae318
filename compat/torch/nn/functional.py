"""torch.nn.functional."""

from .._impl.dispatch.surface import getter, names

__getattr__ = getter("nn.functional.", "torch.nn.functional")
globals().update(names("nn.functional."))
