"""torch.distributions.inverse_gamma."""

from .._impl.distributions.transformed_families import InverseGamma as InverseGamma
