"""torch.distributions.multinomial."""

from .._impl.distributions.categorical import Multinomial as Multinomial
