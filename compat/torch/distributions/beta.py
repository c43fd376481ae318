"""torch.distributions.beta."""

from .._impl.distributions.positive import Beta as Beta
