"""torch.distributions.exp_family."""

from .._impl.distributions.distribution import ExponentialFamily as ExponentialFamily
