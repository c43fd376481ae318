"""The functions of torch.nn.functional as layers use them."""

from .. import public_names
from ..dispatch import surface

ATTACHED = public_names  # every operation has its row then
globals().update(surface.names("nn.functional."))
