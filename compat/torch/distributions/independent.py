"""torch.distributions.independent."""

from .._impl.distributions.combined import Independent as Independent
