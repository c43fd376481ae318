"""torch.distributions.categorical."""

from .._impl.distributions.categorical import Categorical as Categorical
