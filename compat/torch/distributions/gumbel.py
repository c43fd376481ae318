"""torch.distributions.gumbel."""

from .._impl.distributions.transformed import Gumbel as Gumbel
