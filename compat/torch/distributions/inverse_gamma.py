"""torch.distributions.inverse_gamma."""

from .._impl.distributions.transformed import InverseGamma as InverseGamma
