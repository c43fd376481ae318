"""torch.distributions.logistic_normal."""

from .._impl.distributions.transformed_families import LogisticNormal as LogisticNormal
