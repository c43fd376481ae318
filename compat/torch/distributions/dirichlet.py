"""torch.distributions.dirichlet."""

from .._impl.distributions.simplex import Dirichlet as Dirichlet
