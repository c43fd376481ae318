"""torch.distributions.negative_binomial."""

from .._impl.distributions.discrete import NegativeBinomial as NegativeBinomial
