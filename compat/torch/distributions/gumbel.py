"""torch.distributions.gumbel."""

from .._impl.distributions.transformed_families import Gumbel as Gumbel
