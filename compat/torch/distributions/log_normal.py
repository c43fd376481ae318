"""torch.distributions.log_normal."""

from .._impl.distributions.transformed import LogNormal as LogNormal
