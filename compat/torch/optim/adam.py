"""torch.optim.adam: Adam."""

from .._impl.optim.adam import Adam as Adam
