"""torch.distributions.wishart."""

from .._impl.distributions.random_matrices import Wishart as Wishart
