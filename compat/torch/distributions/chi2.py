"""torch.distributions.chi2."""

from .._impl.distributions.positive import Chi2 as Chi2
