"""torch.distributions.gamma."""

from .._impl.distributions.positive import Gamma as Gamma
