"""torch.optim.adamax: Adamax."""

from .._impl.optim.adam import Adamax as Adamax
