"""torch.distributions.multivariate_normal."""

from .._impl.distributions.distribution import Distribution as Distribution
from .._impl.distributions.normal_vectors import (
    MultivariateNormal as MultivariateNormal,
    mahalanobis as _batch_mahalanobis,  # noqa: F401 (private, and called by programs)
    precision_to_scale_tril as _precision_to_scale_tril,  # noqa: F401
)
