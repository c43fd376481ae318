"""torch.distributions.generalized_pareto."""

from .._impl.distributions.positive import GeneralizedPareto as GeneralizedPareto
