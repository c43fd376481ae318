"""torch.distributions.dirichlet."""

from .._impl.distributions.positive import Dirichlet as Dirichlet
