"""torch.distributions.pareto."""

from .._impl.distributions.transformed_families import Pareto as Pareto
