"""torch.distributions.pareto."""

from .._impl.distributions.transformed import Pareto as Pareto
