"""torch.distributions.wishart."""

from .._impl.distributions.matrices import Wishart as Wishart
