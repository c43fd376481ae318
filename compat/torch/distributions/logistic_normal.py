"""torch.distributions.logistic_normal."""

from .._impl.distributions.transformed import LogisticNormal as LogisticNormal
