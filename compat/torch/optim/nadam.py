"""torch.optim.nadam: NAdam."""

from .._impl.optim.adam import NAdam as NAdam
