"""torch.linalg."""

from .ops.linalg import LinAlgError as LinAlgError
from .surface import getter, names

__getattr__ = getter("linalg.", "torch.linalg")
globals().update(names("linalg."))
