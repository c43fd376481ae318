"""torch.optim.radam: RAdam."""

from .._impl.optim.adam import RAdam as RAdam
