"""torch.distributions.geometric."""

from .._impl.distributions.discrete import Geometric as Geometric
