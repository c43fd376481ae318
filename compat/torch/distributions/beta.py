"""torch.distributions.beta."""

from .._impl.distributions.simplex import Beta as Beta
