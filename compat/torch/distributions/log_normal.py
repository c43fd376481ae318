"""torch.distributions.log_normal."""

from .._impl.distributions.transformed_families import LogNormal as LogNormal
